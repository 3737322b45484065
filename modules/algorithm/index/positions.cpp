module;
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.array;

// What is said of a position outside a shape.
namespace tessera {

void throw_unravelled(std::int64_t position, std::ptrdiff_t elements, const std::string& shape,
                      const std::source_location& where) {
  throw IndexError(to_string(Failure{.operation = "unravel_index",
                                     .problem = "position " + std::to_string(position) + " is outside the shape " +
                                                shape + ", which has " + std::to_string(elements) + " elements",
                                     .where = where}));
}

}  // namespace tessera
