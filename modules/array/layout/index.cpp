module;
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
module tessera.array;
import tessera.core;

// What is said of an index that is outside the array.
namespace tessera {

void throw_index_error(int axis, std::span<const std::ptrdiff_t> index, std::span<const std::ptrdiff_t> shape,
                       const std::source_location& where) {
  const auto at = static_cast<std::size_t>(axis);
  const std::string accepted = shape[at] == 0
                                   ? " is empty"
                                   : " takes " + std::to_string(-shape[at]) + " to " + std::to_string(shape[at] - 1) +
                                         ", not " + std::to_string(index[at]);
  throw IndexError(to_string(Failure{.operation = "element access",
                                     .problem = "index " + core::shape_text(index) + " is outside the shape " +
                                                core::shape_text(shape) + ": axis " + std::to_string(axis) + accepted,
                                     .where = where}));
}

}  // namespace tessera
