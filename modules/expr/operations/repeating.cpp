module;
#include <cstddef>
#include <string>
module tessera.expr;
import tessera.core;

// The checks of repeat and tile.
namespace tessera::plan {

std::ptrdiff_t repeated_extent(std::ptrdiff_t extent, std::ptrdiff_t times, int axis, const char* operation) {
  if (times >= 0) return core::checked_multiply(extent, times);
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = "axis " + std::to_string(axis) + " is repeated " + std::to_string(times) + " times",
                        .advice = "elements are repeated 0 times or more"}));
}

}  // namespace tessera::plan
