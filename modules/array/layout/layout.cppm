module;
#include <cstddef>
export module tessera.array:layout;
import tessera.standard;
import tessera.core;

// Where the elements of an array lie relative to its first one: shape, strides and offset, and what views do to them.
namespace tessera {

/// Distance between neighbours along each axis, in elements.
export template <int Rank>
using Strides = std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)>;

/// Element (i, j, ...) lies at offset + i * strides[0] + j * strides[1] + ...
export template <int Rank>
struct Layout {
  Dim<Rank> shape{};
  Strides<Rank> strides{};
  std::ptrdiff_t offset = 0;
};

namespace storage {

/// Row-major strides without gaps. Throws ShapeError if the shape is too large.
export template <int Rank>
constexpr Strides<Rank> contiguous_strides(const Dim<Rank>& shape) {
  static_cast<void>(product(shape));
  Strides<Rank> strides{};
  std::ptrdiff_t step = 1;
  for (int axis = Rank; axis-- > 0;) {
    strides[static_cast<std::size_t>(axis)] = step;
    std::ptrdiff_t next = 0;
    if (!__builtin_mul_overflow(step, shape[axis] > 0 ? shape[axis] : 1, &next)) step = next;
  }
  return strides;
}

/// The elements lie in row-major order without gaps. Axes of extent 1 and empty arrays do not matter.
export template <int Rank>
constexpr bool is_contiguous(const Dim<Rank>& shape, const Strides<Rank>& strides) {
  if (product(shape) == 0) return true;
  std::ptrdiff_t step = 1;
  for (int axis = Rank; axis-- > 0;) {
    if (shape[axis] != 1 && strides[static_cast<std::size_t>(axis)] != step) return false;
    step *= shape[axis];
  }
  return true;
}

/// An axis counted from the end when negative. Throws IndexError outside [-rank, rank).
export int checked_axis(std::ptrdiff_t axis, int rank, const char* operation);

}  // namespace storage
using storage::checked_axis;
using storage::contiguous_strides;
using storage::is_contiguous;

/// Axes in the order `axes`. Throws IndexError if `axes` is not a permutation.
template <int Rank>
Layout<Rank> transposed(const Layout<Rank>& layout, const std::array<int, static_cast<std::size_t>(Rank)>& axes) {
  Layout<Rank> result{.offset = layout.offset};
  std::array<bool, static_cast<std::size_t>(Rank)> used{};
  for (int to = 0; to < Rank; ++to) {
    const int from = checked_axis(axes[static_cast<std::size_t>(to)], Rank, "transpose");
    if (std::exchange(used[static_cast<std::size_t>(from)], true)) {
      throw IndexError(to_string(Failure{.operation = "transpose",
                                         .problem = "axis " + std::to_string(from) + " is named twice",
                                         .operands = {"the shape is " + to_string(layout.shape)},
                                         .advice = "name each axis once"}));
    }
    result.shape = result.shape.with(to, layout.shape[from]);
    result.strides[static_cast<std::size_t>(to)] = layout.strides[static_cast<std::size_t>(from)];
  }
  return result;
}

namespace storage {

/// The axes in reverse order.
export template <int Rank>
Layout<Rank> reversed_axes(const Layout<Rank>& layout) {
  std::array<int, static_cast<std::size_t>(Rank)> axes{};
  for (int axis = 0; axis < Rank; ++axis) axes[static_cast<std::size_t>(axis)] = Rank - 1 - axis;
  return transposed(layout, axes);
}

/// No two positions are one element. Where strides are not nested it looks at each of them.
export bool has_distinct_elements(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides);

/// Throws ShapeError if two positions of what is to be written are one element: which value it would get depended on the order.
export void require_distinct_elements(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                                      std::string_view operation, const std::source_location& where = {});

}  // namespace storage
using storage::has_distinct_elements;
using storage::require_distinct_elements;
using storage::reversed_axes;

namespace storage {

/// Strides of the same elements under another shape of the same element count, if views can express them
/// (std::nullopt: they must be copied).
export std::optional<std::array<std::ptrdiff_t, 64>> reshaped_strides(std::span<const std::ptrdiff_t> from_shape,
                                                                      std::span<const std::ptrdiff_t> from_strides,
                                                                      std::span<const std::ptrdiff_t> to_shape);

/// Throws ShapeError if `from` does not broadcast to `to` under NumPy's rules; the message names the first axis.
export void check_broadcast(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> to,
                            const char* operation);

/// The layout seen with the shape `to`: axes of extent 1 repeat with stride 0. Throws ShapeError if they do not fit.
export template <int Rank, int To>
  requires(To >= Rank)
Layout<To> broadcasted(const Layout<Rank>& layout, const Dim<To>& to, const char* operation = "broadcast_to") {
  check_broadcast(layout.shape.extents(), to.extents(), operation);
  product(to);  // no view may have more elements than can be counted
  Layout<To> result{.shape = to, .offset = layout.offset};
  for (int axis = 0; axis < Rank; ++axis) {
    const int target = axis + To - Rank;
    const bool repeats = layout.shape[axis] == 1 && to[target] != 1;
    result.strides[static_cast<std::size_t>(target)] = repeats ? 0 : layout.strides[static_cast<std::size_t>(axis)];
  }
  return result;
}

}  // namespace storage
using storage::broadcasted;
using storage::check_broadcast;
using storage::reshaped_strides;

}  // namespace tessera
