module;
#include <cstddef>
export module tessera.array:windows;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :layout;
import :named_axes;
import :viewed;

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

namespace storage {
/// Throws ShapeError if a window of `window` elements does not fit an axis of `extent` elements.
export void check_window(std::ptrdiff_t window, std::ptrdiff_t extent, int axis, const std::string& shape);
}  // namespace storage
using storage::check_window;

/// The layout of all windows of the given extents along the listed axes. Throws ShapeError as sliding_window does.
template <int Rank, std::size_t Count>
Layout<Rank + static_cast<int>(Count)> windowed(const Layout<Rank>& from, const std::array<int, Count>& axes,
                                                const Dim<static_cast<int>(Count)>& window) {
  Layout<Rank + static_cast<int>(Count)> layout{.offset = from.offset};
  for (int axis = 0; axis < Rank; ++axis) {
    layout.shape = layout.shape.with(axis, from.shape[axis]);
    layout.strides[static_cast<std::size_t>(axis)] = from.strides[static_cast<std::size_t>(axis)];
  }
  for (int k = 0; k < static_cast<int>(Count); ++k) {
    const int axis = axes[static_cast<std::size_t>(k)];
    check_window(window[k], from.shape[axis], axis, to_string(from.shape));
    layout.shape = layout.shape.with(axis, from.shape[axis] - window[k] + 1).with(Rank + k, window[k]);
    layout.strides[static_cast<std::size_t>(Rank + k)] = from.strides[static_cast<std::size_t>(axis)];
  }
  static_cast<void>(product(layout.shape));  // no view may have more elements than can be counted
  return layout;
}

// clang-format off
/// All windows of the given extents along the named axes (all axes when none is named), sharing the storage: position (i, ..., k) of
/// the result is element i + k of the windowed axis. An axis of n elements becomes one of n - window + 1; the windows' own axes come
/// last, in the order named. Windows overlap, so writing to the result writes elements several times. Throws ShapeError for
/// a window below 1 or above its axis.
export template <int... Axis, Operand A>
  requires AxesOf<rank_of<A>, Axis...>
decltype(auto) sliding_window(A&& array, const std::type_identity_t<Dim<named_count<rank_of<A>, Axis...>>>& window) {  // axes in range, each once
  // clang-format on
  return viewed(std::forward<A>(array), [=]<int Rank>(const Layout<Rank>& layout) {
    return windowed(layout, listed_axes<Rank, Axis...>(), window);
  });
}

}  // namespace tessera
