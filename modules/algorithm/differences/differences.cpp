module;
#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What differences say to arguments that they do not take.
namespace tessera::rows {

void require_times(std::ptrdiff_t times, const std::source_location& where) {
  if (times >= 0) return;
  throw std::invalid_argument(
      to_string(Failure{.operation = "diff",
                        .problem = "differences are asked for " + std::to_string(times) + " times",
                        .where = where}));
}

void require_slopes(std::ptrdiff_t extent, std::ptrdiff_t needed, int axis, const std::source_location& where) {
  if (extent >= needed) return;
  throw ShapeError(to_string(Failure{
      .operation = "gradient",
      .problem = "axis " + std::to_string(axis) + " has extent " + std::to_string(extent),
      .advice = needed == 2 ? "a slope is between two elements" : "a slope of second order is of three elements",
      .where = where}));
}

void require_coordinates(std::ptrdiff_t coordinates, std::ptrdiff_t extent, int axis, const char* operation,
                         const std::source_location& where) {
  if (coordinates == extent) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "there are " + std::to_string(coordinates) + " coordinates for axis " +
                                                std::to_string(axis) + " with extent " + std::to_string(extent),
                                     .where = where}));
}

}  // namespace tessera::rows
