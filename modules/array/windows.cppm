module;
#include <cstddef>
export module tessera.array:windows;
import tessera.standard;
import tessera.core;
import tessera.device;
import :axes;
import :concepts;
import :handle;
import :layout;
import :view;

// Sliding windows: views in which every element appears once for each window that holds it.
namespace tessera {

/// Axes that a list names: its length, or all of them when it is empty.
template <int Rank, int... Axis>
inline constexpr int named_count = sizeof...(Axis) == 0 ? Rank : static_cast<int>(sizeof...(Axis));

/// The axes in the order in which they are named, from the front; all of them when none is named.
template <int Rank, int... Axis>
constexpr std::array<int, static_cast<std::size_t>(named_count<Rank, Axis...>)> listed_axes() {
  std::array<int, static_cast<std::size_t>(named_count<Rank, Axis...>)> axes{};
  if constexpr (sizeof...(Axis) == 0) {
    for (int axis = 0; axis < Rank; ++axis) axes[static_cast<std::size_t>(axis)] = axis;
  } else {
    axes = {(Axis < 0 ? Axis + Rank : Axis)...};
  }
  return axes;
}

/// Throws ShapeError if a window of `window` elements does not fit an axis of `extent` elements.
void check_window(std::ptrdiff_t window, std::ptrdiff_t extent, int axis, const std::string& shape);

/// All windows of the given extents along the named axes (all axes when none is named), sharing the storage: position (i, ..., k) of
/// the result is element i + k of the windowed axis. An axis of n elements becomes one of n - window + 1; the windows' own axes come
/// last, in the order named. Windows overlap, so writing to the result writes elements several times. Throws ShapeError for
/// a window below 1 or above its axis.
export template <int... Axis, Elements A>
  requires AxesOf<A::rank, Axis...>
auto sliding_window(const A& array, const std::type_identity_t<Dim<named_count<A::rank, Axis...>>>& window) {
  constexpr std::array axes = listed_axes<A::rank, Axis...>();
  constexpr int result_rank = A::rank + static_cast<int>(axes.size());
  Layout<result_rank> layout;
  for (int axis = 0; axis < A::rank; ++axis) {
    layout.shape = layout.shape.with(axis, array.shape()[axis]);
    layout.strides[static_cast<std::size_t>(axis)] = array.strides()[static_cast<std::size_t>(axis)];
  }
  for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
    const int axis = axes[static_cast<std::size_t>(k)];
    check_window(window[k], array.shape()[axis], axis, to_string(array.shape()));
    layout.shape = layout.shape.with(axis, array.shape()[axis] - window[k] + 1).with(A::rank + k, window[k]);
    layout.strides[static_cast<std::size_t>(A::rank + k)] = array.strides()[static_cast<std::size_t>(axis)];
  }
  static_cast<void>(product(layout.shape));  // no view may have more elements than can be counted
  return array.with_layout(layout);
}

}  // namespace tessera
