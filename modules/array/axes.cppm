module;
#include <cstddef>
export module tessera.array:axes;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;
import :layout;
import :reshaping;
import :view;

// Views with other axes: reversed, moved, swapped, added. They share the storage and copy nothing.
namespace tessera {

/// Which axes are named; negative ones count from the end, and naming none names all.
export template <int Rank, int... Axis>
constexpr std::array<bool, static_cast<std::size_t>(Rank)> named_axes() {
  std::array<bool, static_cast<std::size_t>(Rank)> named{};
  if (sizeof...(Axis) == 0) named.fill(true);
  ((named[static_cast<std::size_t>(Axis < 0 ? Axis + Rank : Axis)] = true), ...);
  return named;
}

template <int Rank, int... Axis>
constexpr bool names_axes() {
  if (!((Axis >= -Rank && Axis < Rank) && ...)) return false;
  int count = 0;
  for (const bool named : named_axes<Rank, Axis...>()) count += named ? 1 : 0;
  return sizeof...(Axis) == 0 || count == static_cast<int>(sizeof...(Axis));
}

/// Axes of an operand of rank `Rank`: each in [-Rank, Rank), none twice.
export template <int Rank, int... Axis>
concept AxesOf = names_axes<Rank, Axis...>() || unsatisfied<"an axis is out of range or named twice">;

/// The elements in reverse order along the named axes, or along all when none is named, sharing the storage.
export template <int... Axis, Elements A>
  requires AxesOf<A::rank, Axis...>
auto flip(const A& array) {
  constexpr std::array named = named_axes<A::rank, Axis...>();
  Layout<A::rank> layout = array.layout();
  if (array.size() == 0)
    return array.with_layout(layout);  // maybe without storage: there is no last element to point at
  for (int axis = 0; axis < A::rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (!named[at] || layout.shape[axis] < 2) continue;
    layout.offset += (layout.shape[axis] - 1) * layout.strides[at];
    layout.strides[at] = -layout.strides[at];
  }
  return array.with_layout(layout);
}

/// The order of axes after moving: `order[i]` is the old axis that becomes axis i. Throws IndexError for an axis out of range
/// or named twice.
template <int Rank, std::size_t Count>
std::array<int, static_cast<std::size_t>(Rank)> moved_axes(const int (&source)[Count],
                                                           const int (&destination)[Count]) {
  std::array<int, static_cast<std::size_t>(Rank)> order;
  order.fill(-1);
  std::array<bool, static_cast<std::size_t>(Rank)> moved{};
  for (std::size_t k = 0; k < Count; ++k) {
    const int from = checked_axis(source[k], Rank, "moveaxis");
    const int to = checked_axis(destination[k], Rank, "moveaxis");
    const bool source_again = std::exchange(moved[static_cast<std::size_t>(from)], true);
    if (source_again || order[static_cast<std::size_t>(to)] != -1) {
      throw IndexError(
          to_string(Failure{.operation = "moveaxis",
                            .problem = source_again ? "axis " + std::to_string(from) + " is moved twice"
                                                    : "two axes are moved to position " + std::to_string(to),
                            .advice = "name each axis and each position once"}));
    }
    order[static_cast<std::size_t>(to)] = from;
  }
  int next = 0;
  for (int& axis : order) {  // the others keep their order
    if (axis != -1) continue;
    while (moved[static_cast<std::size_t>(next)]) ++next;
    axis = next++;
  }
  return order;
}

/// Axis source[k] becomes axis destination[k] and the others keep their order, sharing the storage: moveaxis(a, {0, 1}, {-1, -2}).
/// Throws IndexError for an axis out of range or named twice.
export template <Elements A, std::size_t Count>
  requires(Count > 1)
auto moveaxis(const A& array, const int (&source)[Count], const int (&destination)[Count]) {
  return transpose(array, moved_axes<A::rank>(source, destination));
}

/// One axis becomes axis `destination` and the others keep their order. Throws IndexError for an axis out of range.
export template <Elements A>
auto moveaxis(const A& array, int source, int destination) {
  return transpose(array, moved_axes<A::rank, 1>({source}, {destination}));
}

/// Two axes in each other's place, sharing the storage. Throws IndexError for an axis out of range.
export template <Elements A>
auto swapaxes(const A& array, int first, int second) {
  std::array<int, static_cast<std::size_t>(A::rank)> order{};
  for (int axis = 0; axis < A::rank; ++axis) order[static_cast<std::size_t>(axis)] = axis;
  std::swap(order[static_cast<std::size_t>(checked_axis(first, A::rank, "swapaxes"))],
            order[static_cast<std::size_t>(checked_axis(second, A::rank, "swapaxes"))]);
  return transpose(array, order);
}

/// Each matrix of a stack of matrices transposed: the last two axes in each other's place.
export template <Elements A>
  requires(A::rank >= 2 || unsatisfied<"a matrix has two axes: the operand has fewer">)
auto matrix_transpose(const A& array) {
  return swapaxes(array, -2, -1);
}

/// New axes of extent 1 at the named positions of the result, sharing the storage.
export template <int... Axis, Elements A>
  requires(sizeof...(Axis) > 0) && AxesOf<A::rank + static_cast<int>(sizeof...(Axis)), Axis...>
auto expand_dims(const A& array) {
  constexpr int result_rank = A::rank + static_cast<int>(sizeof...(Axis));
  constexpr std::array added = named_axes<result_rank, Axis...>();
  Layout<result_rank> layout;
  for (int axis = 0, source = 0; axis < result_rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    layout.shape = layout.shape.with(axis, added[at] ? 1 : array.shape()[source]);
    if (!added[at]) layout.strides[at] = array.strides()[static_cast<std::size_t>(source++)];
  }
  return array.with_layout(layout);
}

}  // namespace tessera
