module;
#include <cstddef>
#include <string>
module tessera.array;
import tessera.core;

// Messages about the making of arrays.
namespace tessera {

void throw_ragged(std::ptrdiff_t expected, std::size_t found, int axis) {
  throw ShapeError(
      to_string(Failure{.operation = "values in braces",
                        .problem = "along axis " + std::to_string(axis) + " one list has " + std::to_string(found) +
                                   " elements, the first has " + std::to_string(expected),
                        .advice = "all lists of one level must be of the same length"}));
}

}  // namespace tessera
