module;
#include <cstddef>
#include <source_location>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What differences say to arguments that they do not take.
namespace tessera {

void require_times(std::ptrdiff_t times, const rows::Argument& argument) {
  if (times < 0) rows::throw_value(argument, "differences are asked for " + std::to_string(times) + " times");
}

void require_slopes(std::ptrdiff_t extent, int axis, const rows::Argument& argument) {
  if (extent >= 2) return;
  throw ShapeError(
      to_string(Failure{.operation = argument.operation,
                        .problem = "axis " + std::to_string(axis) + " has extent " + std::to_string(extent),
                        .advice = "a slope is between two elements",
                        .where = argument.where}));
}

void require_coordinates(std::ptrdiff_t coordinates, std::ptrdiff_t extent, int axis, const rows::Argument& argument) {
  if (coordinates == extent) return;
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = "there are " + std::to_string(coordinates) + " coordinates for axis " +
                                                std::to_string(axis) + " with extent " + std::to_string(extent),
                                     .where = argument.where}));
}

}  // namespace tessera
