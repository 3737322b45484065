module;
#include <algorithm>
#include <cstddef>
#include <span>
module tessera.array;
import tessera.core;

// How far elements with strides reach.
namespace tessera {

storage::Reach storage::reach_of(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
  Reach reach;
  if (std::ranges::find(shape, 0) != shape.end()) return reach;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::ptrdiff_t way = core::checked_multiply(shape[axis] - 1, strides[axis]);
    if (way < 0) reach.before = core::checked_add(reach.before, core::checked_multiply(way, -1));
    if (way > 0) reach.after = core::checked_add(reach.after, way);
  }
  reach.after = core::checked_add(reach.after, 1);
  return reach;
}

}  // namespace tessera
