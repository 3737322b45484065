module;
#include <cstddef>
export module tessera.array:picking;
import tessera.standard;
import tessera.core;
import :concepts;
import :index;
import :layout;
import :slicing;

// NumPy's indexing by arrays of integers and by masks, which pick positions along their axes. What is picked is an operand of expressions: picked()
// of tessera.expr; of elements that can be written it is a target as well.
namespace tessera {

/// Integers between the parentheses of `a(...)`: an array, a view, an expression or a parameter with at least one axis.
template <class I>
concept IndexArray = Operand<I> && Integer<value_of<I>> && rank_of<I> >= 1;

/// A mask between the parentheses of `a(...)`, which picks where it is true along as many axes as it has.
template <class I>
concept IndexMask = Operand<I> && std::same_as<value_of<I>, bool> && rank_of<I> >= 1;

namespace storage {

/// What picks elements: an index array or a mask.
export template <class I>
concept Picker = IndexArray<I> || IndexMask<I>;

/// Axes of the array that an indexer names, an ellipsis aside.
export template <class I>
constexpr int axes_named() {
  if constexpr (IndexMask<I>) {
    return rank_of<I>;
  } else {
    return consumed_axes<I>;
  }
}

/// `a(...)` with index arrays or masks, beside integers, ranges, all, newaxis and ellipsis.
export template <int Rank, class... I>
concept PickingIndexers = ((Indexer<I> || Picker<I>) && ...) && (Picker<I> || ...) &&
                          (0 + ... + axes_named<I>()) <= Rank && ellipses<I...> <= 1;

/// Axes along which index arrays and masks pick.
export template <class... I>
inline constexpr int picked_axes = (0 + ... + (Picker<I> ? axes_named<I>() : 0));

/// Where index arrays and masks pick.
export template <int Count>
struct PickedAxes {
  std::array<int, static_cast<std::size_t>(Count)> source;  ///< axes of the array
  std::array<int, static_cast<std::size_t>(Count)>
      sliced;  ///< axes of what the other indexers leave, in the order in which they are written
  bool leads;  ///< what is picked comes first, because something stands between what picks: arrays, masks and integers
};

export template <int Rank, class... I>
constexpr auto picked_axes_of() {
  constexpr int whole = Rank - (0 + ... + axes_named<I>());  // of an ellipsis
  constexpr bool picks[] = {Picker<I>...};
  constexpr bool is_integer[] = {Positional<I>...};
  constexpr int consumed[] = {std::same_as<I, Ellipsis> ? whole : axes_named<I>()...};
  constexpr int kept[] = {std::same_as<I, Ellipsis>  ? whole
                          : std::same_as<I, NewAxis> ? 1
                          : Positional<I>            ? 0
                                                     : axes_named<I>()...};
  PickedAxes<picked_axes<I...>> axes{};
  std::size_t count = 0;
  int source = 0, sliced = 0;
  int groups = 0;  // of what picks beside each other
  bool was_picking = false;
  for (std::size_t k = 0; k < sizeof...(I); ++k) {
    const bool is_picking = picks[k] || is_integer[k];
    if (is_picking && !was_picking) ++groups;
    was_picking = is_picking;
    for (int axis = 0; picks[k] && axis < consumed[k]; ++axis) {
      axes.source[count] = source + axis;
      axes.sliced[count++] = sliced + axis;
    }
    source += consumed[k];
    sliced += kept[k];
  }
  axes.leads = groups > 1;
  return axes;
}

/// What stands for an indexer while the other ones change the layout: all of each of its axes where it picks.
template <class I>
auto without_picking(const I& indexer) {
  if constexpr (Picker<I>) {
    return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
      return std::tuple{((void)Axis, All())...};
    }(std::make_index_sequence<static_cast<std::size_t>(axes_named<I>())>());
  } else {
    return std::tuple<const I&>(indexer);
  }
}

/// What the other indexers make of a layout, and all positions along the axes that are picked from: side by side, from axis 0 on if they lead.
export template <int Rank, class... I>
auto layout_to_pick(const Layout<Rank>& layout, const I&... indexers) {
  const auto sliced = std::apply([&](const auto&... plain) { return storage::sliced(layout, plain...); },
                                 std::tuple_cat(without_picking(indexers)...));
  constexpr auto axes = picked_axes_of<Rank, I...>();
  if constexpr (axes.leads) {
    constexpr int rank = decltype(sliced.shape)::rank;
    std::array<int, static_cast<std::size_t>(rank)> order{};
    std::ranges::copy(axes.sliced, order.begin());
    std::size_t next = axes.sliced.size();
    for (int axis = 0; axis < rank; ++axis) {
      bool is_picked = false;
      for (const int picked : axes.sliced) is_picked = is_picked || picked == axis;
      if (!is_picked) order[next++] = axis;
    }
    return transposed(sliced, order);
  } else {
    return sliced;
  }
}

}  // namespace storage

}  // namespace tessera
