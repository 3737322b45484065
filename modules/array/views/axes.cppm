module;
#include <cstddef>
export module tessera.array:axes;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;
import :index;
import :layout;
import :named_axes;
import :reshaping;
import :view;
import :viewed;

// Views with other axes: reversed, moved, swapped, added. They share the storage and copy nothing.
namespace tessera {

/// The layout with the marked axes reversed.
template <int Rank>
Layout<Rank> flipped(Layout<Rank> layout, const std::array<bool, static_cast<std::size_t>(Rank)>& named) {
  if (product(layout.shape) == 0) return layout;  // maybe without storage: there is no last element to point at
  for (int axis = 0; axis < Rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (!named[at] || layout.shape[axis] < 2) continue;
    layout.offset += (layout.shape[axis] - 1) * layout.strides[at];
    layout.strides[at] = -layout.strides[at];
  }
  return layout;
}

/// The elements in reverse order along the named axes, or along all when none is named, sharing the storage.
export template <int... Axis, Operand A>
  requires AxesOf<rank_of<A>, Axis...>
decltype(auto) flip(A&& array) {
  return viewed(std::forward<A>(array),
                []<int Rank>(const Layout<Rank>& layout) { return flipped(layout, named_axes<Rank, Axis...>()); });
}

/// The same along an axis that is known at run time. Throws IndexError out of range.
export template <Operand A>
decltype(auto) flip(A&& array, Position axis) {
  std::array<bool, static_cast<std::size_t>(rank_of<A>)> named{};
  named[static_cast<std::size_t>(checked_axis(axis.value, rank_of<A>, "flip"))] = true;
  return viewed(std::forward<A>(array), [=]<int Rank>(const Layout<Rank>& layout) { return flipped(layout, named); });
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
export template <Operand A, std::size_t Count>
  requires(Count > 1)
decltype(auto) moveaxis(A&& array, const int (&source)[Count], const int (&destination)[Count]) {
  return transpose(std::forward<A>(array), moved_axes<rank_of<A>>(source, destination));
}

/// One axis becomes axis `destination` and the others keep their order. Throws IndexError for an axis out of range.
export template <Operand A>
decltype(auto) moveaxis(A&& array, Position source, Position destination) {
  constexpr int rank = rank_of<A>;
  return transpose(std::forward<A>(array), moved_axes<rank, 1>({checked_axis(source.value, rank, "moveaxis")},
                                                               {checked_axis(destination.value, rank, "moveaxis")}));
}

/// Two axes in each other's place, sharing the storage. Throws IndexError for an axis out of range.
export template <Operand A>
decltype(auto) swapaxes(A&& array, Position first, Position second) {
  constexpr int rank = rank_of<A>;
  std::array<int, static_cast<std::size_t>(rank)> order{};
  for (int axis = 0; axis < rank; ++axis) order[static_cast<std::size_t>(axis)] = axis;
  std::swap(order[static_cast<std::size_t>(checked_axis(first.value, rank, "swapaxes"))],
            order[static_cast<std::size_t>(checked_axis(second.value, rank, "swapaxes"))]);
  return transpose(std::forward<A>(array), order);
}

/// Each matrix of a stack of matrices transposed: the last two axes in each other's place.
export template <Operand A>
  requires(rank_of<A> >= 2 || unsatisfied<"a matrix has two axes: the operand has fewer">)
decltype(auto) matrix_transpose(A&& array) {
  return swapaxes(std::forward<A>(array), -2, -1);
}

/// The layout with axes of extent 1 at the marked positions.
template <int Result, int Rank>
Layout<Result> expanded(const Layout<Rank>& from, const std::array<bool, static_cast<std::size_t>(Result)>& added) {
  Layout<Result> layout{.offset = from.offset};
  for (int axis = 0, source = 0; axis < Result; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    layout.shape = layout.shape.with(axis, added[at] ? 1 : from.shape[source]);
    if (!added[at]) layout.strides[at] = from.strides[static_cast<std::size_t>(source++)];
  }
  return layout;
}

/// New axes of extent 1 at the named positions of the result, sharing the storage.
export template <int... Axis, Operand A>
  requires(sizeof...(Axis) > 0) && AxesOf<rank_of<A> + static_cast<int>(sizeof...(Axis)), Axis...>
decltype(auto) expand_dims(A&& array) {  // axes of the result, in range, each once
  constexpr int result_rank = rank_of<A> + static_cast<int>(sizeof...(Axis));
  return viewed(std::forward<A>(array),
                [](const auto& layout) { return expanded<result_rank>(layout, named_axes<result_rank, Axis...>()); });
}

}  // namespace tessera
