module;
#include <cstddef>
export module tessera.array:picking;
import tessera.standard;
import tessera.core;
import :concepts;
import :index;
import :layout;
import :slicing;

// NumPy's indexing by one vector of integers, which picks positions along an axis. What is picked is an operand of expressions: picked() of
// tessera.expr.
namespace tessera {

/// A vector of integers between the parentheses of `a(...)`: an array, a view, an expression or a parameter.
template <class I>
concept IndexVector = Operand<I> && Integer<value_of<I>> && rank_of<I> == 1;

namespace storage {

/// `a(...)` with one vector of indices, beside integers, ranges, all, newaxis and ellipsis.
export template <int Rank, class... I>
concept PickingIndexers = ((Indexer<I> || IndexVector<I>) && ...) && (0 + ... + int(IndexVector<I>)) == 1 &&
                          consumed_axes<I...> <= Rank && ellipses<I...> <= 1;

/// The axis of which a vector of indices picks positions.
export struct PickedAxis {
  int source;  ///< of the array
  int sliced;  ///< of what the other indexers leave, in the order in which they are written
  bool leads;  ///< it becomes the first axis, because something stands between the vector and an integer
};

export template <int Rank, class... I>
constexpr PickedAxis picked_axis() {
  constexpr bool is_vector[] = {IndexVector<I>...};
  constexpr bool is_integer[] = {Positional<I>...};
  constexpr int consumed[] = {std::same_as<I, Ellipsis> ? Rank - consumed_axes<I...>
                                                        : int(!std::same_as<I, NewAxis>)...};
  constexpr int kept[] = {std::same_as<I, Ellipsis> ? Rank - consumed_axes<I...> : int(!Positional<I>)...};
  PickedAxis axis{};
  int runs = 0;  // of integers and the vector beside each other
  bool was_picking = false;
  bool is_found = false;
  for (std::size_t k = 0; k < sizeof...(I); ++k) {
    const bool is_picking = is_vector[k] || is_integer[k];
    if (is_picking && !was_picking) ++runs;
    was_picking = is_picking;
    is_found = is_found || is_vector[k];
    if (is_found) continue;
    axis.source += consumed[k];
    axis.sliced += kept[k];
  }
  axis.leads = runs > 1;
  return axis;
}

/// What stands for the vector of indices while the other indexers change the layout: all of its axis.
template <class I>
decltype(auto) without_indices(const I& indexer) {
  if constexpr (IndexVector<I>) {
    return (all);
  } else {
    return (indexer);
  }
}

/// What the other indexers make of a layout, and all positions along the axis of which the vector picks some: axis 0 if it leads, `sliced` if not.
export template <int Rank, class... I>
auto layout_to_pick(const Layout<Rank>& layout, const I&... indexers) {
  const auto sliced = storage::sliced(layout, without_indices(indexers)...);
  constexpr PickedAxis axis = picked_axis<Rank, I...>();
  if constexpr (axis.leads && axis.sliced > 0) {
    constexpr int rank = decltype(sliced.shape)::rank;
    std::array<int, static_cast<std::size_t>(rank)> order{axis.sliced};
    for (int to = 1; to < rank; ++to) order[static_cast<std::size_t>(to)] = to <= axis.sliced ? to - 1 : to;
    return transposed(sliced, order);
  } else {
    return sliced;
  }
}

/// The vector of indices among the indexers.
export template <class First, class... Rest>
const auto& index_vector(const First& first, const Rest&... rest) {
  if constexpr (IndexVector<First>) {
    return first;
  } else {
    return index_vector(rest...);
  }
}

/// Throws IndexError: an index that picks is outside its axis.
export [[noreturn]] void throw_picked_index(const char* operation, const std::string& index, std::ptrdiff_t position,
                                            int axis, std::ptrdiff_t extent, const std::source_location& where = {});

}  // namespace storage

}  // namespace tessera
