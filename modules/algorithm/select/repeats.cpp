module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.array;

// Positions of elements that are repeated.
namespace tessera {

Array<std::int64_t, 1> repeated_positions(const Array<std::int64_t, 1>& counts, std::ptrdiff_t extent, int axis,
                                          const std::source_location& where) {
  if (counts.size() != extent) {
    throw ShapeError(to_string(Failure{.operation = "repeat",
                                       .problem = "there are " + std::to_string(counts.size()) + " counts for axis " +
                                                  std::to_string(axis) + " with extent " + std::to_string(extent),
                                       .where = where}));
  }
  std::int64_t total = 0;
  for (std::ptrdiff_t i = 0; i < extent; ++i) {
    const std::int64_t count = counts.data()[i];
    if (count < 0) {
      throw std::invalid_argument(to_string(
          Failure{.operation = "repeat",
                  .problem = "element " + std::to_string(i) + " is asked for " + std::to_string(count) + " times",
                  .where = where}));
    }
    if (__builtin_add_overflow(total, count, &total)) {
      throw ShapeError(to_string(Failure{
          .operation = "repeat", .problem = "the result has more elements than can be counted", .where = where}));
    }
  }
  Array<std::int64_t, 1> positions(Dim<1>{total});
  std::int64_t* to = positions.data();
  for (std::ptrdiff_t i = 0; i < extent; ++i) to = std::fill_n(to, counts.data()[i], i);
  return positions;
}

}  // namespace tessera
