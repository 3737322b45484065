module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:dcounts;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :drows;
import :dselect;
import :dsearch;

// Counts and sums by labels and bins, and partial orders, of dynamic arrays: each is the function of its name for arrays, on the host only.
namespace tessera {

/// How many elements are in each bin, or the sum of their weights, and the bins' edges.
export struct DHistogram {
  DArray counts, edges;
};
/// The first elements in order, and where they are.
export struct DTopK {
  DArray values, indices;
};

namespace dynamic {

export enum class Segmented { sum, mean, min, max };
export DArray counted(const DArray& labels, const DArray* weights, std::ptrdiff_t least);
/// `bins` is a vector of edges, or null for `count` of them.
export DHistogram binned(const DArray& x, const DArray* bins, std::ptrdiff_t count, const std::optional<Bounds>& bounds,
                         const DArray* weights);
export DArray segmented(Segmented operation, const DArray& x, const DArray& labels, std::ptrdiff_t count);
export DArray partitioned(const DArray& x, std::ptrdiff_t rank, int axis, bool positions);
export DTopK first_of(const DArray& x, std::ptrdiff_t count, int axis, TopMode mode);

}  // namespace dynamic

/// How often each label from 0 to the largest is there (int64), or more of them if `least` is greater; as the function for arrays. Throws DTypeError
/// for labels that are no integers, ShapeError unless they are a vector, IndexError, PlaceError.
export template <DynamicOperand I>
DArray bincount(const I& labels, std::ptrdiff_t least = 0) {
  return dynamic::counted(labels, nullptr, least);
}
/// The sum (float64) of the weights of each label. Throws also ShapeError unless there is a weight for each label.
export template <DynamicElements I, DynamicElements W>
  requires DynamicOperands<I, W>
DArray bincount(const I& labels, const W& weights, std::ptrdiff_t least = 0) {
  const DArray numbers = weights;
  return dynamic::counted(labels, &numbers, least);
}

/// How many elements are in each of `bins` bins of one width between the smallest and the largest element, or between bounds; as the function for
/// arrays. Throws DTypeError, ShapeError, std::invalid_argument, PlaceError.
export template <DynamicOperand X, std::integral Bins>
DHistogram histogram(const X& x, Bins bins, const std::optional<Bounds>& bounds = {}) {
  return dynamic::binned(x, nullptr, Position(bins).value, bounds, nullptr);
}
/// The sums (float64) of the elements' weights in each bin.
export template <DynamicElements X, std::integral Bins, DynamicElements W>
  requires DynamicOperands<X, W>
DHistogram histogram(const X& x, Bins bins, const std::optional<Bounds>& bounds, const W& weights) {
  const DArray numbers = weights;
  return dynamic::binned(x, nullptr, Position(bins).value, bounds, &numbers);
}
/// Between edges, which are a vector in ascending order.
export template <DynamicElements X, DynamicElements E>
  requires DynamicOperands<X, E>
DHistogram histogram(const X& x, const E& edges) {
  const DArray limits = edges;
  return dynamic::binned(x, &limits, 0, {}, nullptr);
}

#define TESSERA_SEGMENTED(function, operation)                                  \
  export template <DynamicElements X, DynamicElements I>                        \
    requires DynamicOperands<X, I>                                              \
  DArray function(const X& x, const I& labels, std::ptrdiff_t count) {          \
    return dynamic::segmented(dynamic::Segmented::operation, x, labels, count); \
  }
/// Sums of the slices along the first axis that have the same label, in the type of sum(); as the function for arrays. Throws DTypeError, ShapeError,
/// IndexError for a label out of range, PlaceError.
TESSERA_SEGMENTED(segment_sum, sum)
/// Means of the slices that have the same label; NaN where there are none.
TESSERA_SEGMENTED(segment_mean, mean)
/// The smallest element of the slices that have the same label.
TESSERA_SEGMENTED(segment_min, min)
/// The largest element of the slices that have the same label.
TESSERA_SEGMENTED(segment_max, max)
#undef TESSERA_SEGMENTED

/// The elements along an axis with the one of rank `rank` where sort() would put it, as the function for arrays. Throws DTypeError for complex
/// elements, IndexError, PlaceError.
export template <DynamicOperand X>
DArray partition(const X& x, std::ptrdiff_t rank, int axis = -1) {
  return dynamic::partitioned(x, rank, axis, false);
}
/// The positions (int64) of the elements in the order of partition().
export template <DynamicOperand X>
DArray argpartition(const X& x, std::ptrdiff_t rank, int axis = -1) {
  return dynamic::partitioned(x, rank, axis, true);
}
/// The `count` largest elements along an axis, largest first, or the smallest, and their positions. Throws as partition().
export template <DynamicOperand X>
DTopK top_k(const X& x, std::ptrdiff_t count, int axis = -1, TopMode mode = TopMode::largest) {
  return dynamic::first_of(x, count, axis, mode);
}

}  // namespace tessera
