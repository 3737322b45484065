module;
#include <cstddef>
#include <source_location>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What selection says to ranks and counts that an axis has not.
namespace tessera {

std::ptrdiff_t checked_rank(std::ptrdiff_t rank, std::ptrdiff_t extent, int axis, const rows::Argument& argument) {
  if (rank >= -extent && rank < extent) return rank < 0 ? rank + extent : rank;
  throw IndexError(to_string(Failure{.operation = argument.operation,
                                     .problem = "rank " + std::to_string(rank) + " is out of range for axis " +
                                                std::to_string(axis) + " with extent " + std::to_string(extent),
                                     .where = argument.where}));
}

void require_count(std::ptrdiff_t count, std::ptrdiff_t extent, int axis, const rows::Argument& argument) {
  if (count >= 0 && count <= extent) return;
  throw IndexError(to_string(Failure{.operation = argument.operation,
                                     .problem = std::to_string(count) + " elements are asked for along axis " +
                                                std::to_string(axis) + " with extent " + std::to_string(extent),
                                     .where = argument.where}));
}

}  // namespace tessera
