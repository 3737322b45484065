module;
#include <cstddef>
#include <string>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// The check of a window's extent.
namespace tessera::storage {

void check_window(std::ptrdiff_t window, std::ptrdiff_t extent, int axis, const std::string& shape) {
  if (window >= 1 && window <= extent) return;
  throw ShapeError(
      to_string(Failure{.operation = "sliding_window",
                        .problem = "a window of " + std::to_string(window) + " elements does not fit axis " +
                                   std::to_string(axis) + " of " + shape + ", which has " + std::to_string(extent),
                        .advice = "a window has at least 1 element and at most as many as its axis"}));
}

}  // namespace tessera::storage
