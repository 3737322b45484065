module;
#include <algorithm>
#include <cstddef>
#include <span>
module tessera.array;
import tessera.core;

// How far elements with strides span.
namespace tessera {

storage::ElementSpan storage::span_of(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
  ElementSpan span;
  if (std::ranges::find(shape, 0) != shape.end()) return span;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::ptrdiff_t way = core::checked_multiply(shape[axis] - 1, strides[axis]);
    if (way < 0) span.before = core::checked_add(span.before, core::checked_multiply(way, -1));
    if (way > 0) span.after = core::checked_add(span.after, way);
  }
  span.after = core::checked_add(span.after, 1);
  return span;
}

}  // namespace tessera
