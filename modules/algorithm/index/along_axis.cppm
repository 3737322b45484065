module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:along_axis;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;

// Picking and writing along an axis by indices of the elements' own rank.
namespace tessera {

/// Elements and indices of the same rank, for an axis of both.
export template <class X, class I, int Axis>
concept AlongAxis =
    Operand<X> && Operand<I> && (Integer<value_of<I>> || unsatisfied<"indices are integers">) &&
    (rank_of<X> == rank_of<I> || unsatisfied<"indices along an axis have as many axes as the elements">) &&
    ((Axis >= -rank_of<X> && Axis < rank_of<X>) || unsatisfied<"the axis is out of range">);

/// All positions along an axis of so many elements, of which the indices have `given`, as the axis `axis` of `Rank`.
template <int Rank>
auto all_positions(int axis, std::ptrdiff_t extent) {
  const Array<std::int64_t, 1> along = arange<std::int64_t>(0, extent);
  return viewed(along, [&](const auto& layout) {
    Layout<Rank> result{.offset = layout.offset};
    for (int to = 0; to < Rank; ++to) {
      result.shape = result.shape.with(to, to == axis ? extent : 1);
      result.strides[static_cast<std::size_t>(to)] = to == axis ? 1 : 0;
    }
    return result;
  });
}

/// Calls `pick` with the index arrays of all axes: `indices` for axis `Axis`, all positions for the others.
template <int Axis, class X, class I, class Pick>
decltype(auto) with_all_indices(const X& x, const I& indices, const Pick& pick) {
  constexpr int rank = rank_of<X>;
  constexpr int at = Axis < 0 ? Axis + rank : Axis;
  const Dim<rank> shape = x.shape();
  return [&]<int... Along>(std::integer_sequence<int, Along...>) -> decltype(auto) {
    const auto index = [&]<int Number>() {
      if constexpr (Number == at) {
        return indices;
      } else {
        return all_positions<rank>(Number, shape[Number]);
      }
    };
    return pick(index.template operator()<Along>()...);
  }(std::make_integer_sequence<int, rank>());
}

/// For each element of `indices` the element of x whose position along axis Axis it is and whose other positions are its own, as an operand that
/// copies nothing: take_along_axis<1>(x, argsort<1>(x)) is x in order. Other axes of the two broadcast; negative indices count from the end. Evaluation throws IndexError for an index out of
/// range, ShapeError for shapes that do not broadcast.
export template <int Axis, class X, class I>
  requires AlongAxis<X, I, Axis>
auto take_along_axis(const X& x, const I& indices) {
  return with_all_indices<Axis>(x, indices, [&](const auto&... all) { return picked(x, all...); });
}

/// Writes values to the elements that take_along_axis() would read; of an element that is named several times the last value stays. Throws as writing
/// x(indices...) = values does; nothing has been written then.
export template <int Axis, Elements X, class I, class S>
  requires AlongAxis<X, I, Axis> && WritableElements<X> && AssignableSource<S, value_of<X>, X::rank, place_of<X>>
void put_along_axis(const X& x, const I& indices, const S& values) {
  with_all_indices<Axis>(x, indices, [&](const auto&... all) { picked_to_write(x, all...) = values; });
}

}  // namespace tessera
