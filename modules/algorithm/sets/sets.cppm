module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:sets;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :compress;
import :gather;
import :host_elements;
import :search;
import :distinct;

// Arrays as sets of their elements.
namespace tessera {

/// The different elements of an array: which they are, where each is first, which of them each element is, and how often each is there.
export template <class T, int Rank, class P>
struct Unique {
  Array<T, 1, P> values;
  Array<std::int64_t, 1, P> indices;     ///< row-major position of the first of its like
  Array<std::int64_t, Rank, P> inverse;  ///< of the operand's shape: take(values, flatten(inverse)) has its elements
  Array<std::int64_t, 1, P> counts;
};

/// As Unique, without positions.
export template <class T, class P>
struct UniqueCounts {
  Array<T, 1, P> values;
  Array<std::int64_t, 1, P> counts;
};

/// As Unique, without counts and first positions.
export template <class T, int Rank, class P>
struct UniqueInverse {
  Array<T, 1, P> values;
  Array<std::int64_t, Rank, P> inverse;
};

/// The different slices of an array along an axis.
export template <class A, class P>
struct UniqueSlices {
  A values;
  Array<std::int64_t, 1, P> indices, inverse, counts;
};

/// An operand of a set: elements with an order.
template <class O>
concept SetOperand = rows::KnownOperand<O> && OrderedOperand<O>;

template <class T, class P>
Array<T, 1, P> values_of(const sets::Distinct& distinct, P place) {
  Array<T, 1, P> values(Dim<1>{distinct.count()}, place);
  distinct.write_values(values.data());
  return values;
}
template <class P>
Array<std::int64_t, 1, P> counts_of(const sets::Distinct& distinct, P place) {
  Array<std::int64_t, 1, P> counts(Dim<1>{distinct.count()}, place);
  distinct.write_counts(counts.data());
  return counts;
}

/// The different elements in ascending order as a vector: equal elements are one, zeros of both signs are 0, and all NaN are one, which comes
/// last. Few different elements (2^14) are found in O(n), others by sorting keys, which takes the memory of two copies. Results do not depend
/// on the number of threads. On the host only. Throws PlaceError for elements elsewhere, OutOfMemory.
export template <SetOperand O>
auto unique(const O& x, std::source_location where = std::source_location::current()) {
  const auto elements = rows::on_host<value_of<O>>(x, {"unique", "x", where});
  return values_of<value_of<O>, rows::result_place<O>>(sets::Distinct(rows::vector_of(elements), {}), elements.place());
}

/// The different elements as of unique(), and how often each is there.
export template <SetOperand O>
auto unique_counts(const O& x, std::source_location where = std::source_location::current()) {
  using P = rows::result_place<O>;
  const auto elements = rows::on_host<value_of<O>>(x, {"unique_counts", "x", where});
  const sets::Distinct distinct(rows::vector_of(elements), {.counts = true});
  return UniqueCounts<value_of<O>, P>{values_of<value_of<O>, P>(distinct, elements.place()),
                                      counts_of<P>(distinct, elements.place())};
}

/// The different elements as of unique(), and for each element of x its position among them.
export template <SetOperand O>
auto unique_inverse(const O& x, std::source_location where = std::source_location::current()) {
  using P = rows::result_place<O>;
  const auto elements = rows::on_host<value_of<O>>(x, {"unique_inverse", "x", where});
  Array<std::int64_t, rank_of<O>, P> inverse(elements.shape(), elements.place());
  const sets::Distinct distinct(rows::vector_of(elements), {.inverse = inverse.data()});
  return UniqueInverse<value_of<O>, rank_of<O>, P>{values_of<value_of<O>, P>(distinct, elements.place()), inverse};
}

/// All that is known of the different elements.
export template <SetOperand O>
auto unique_all(const O& x, std::source_location where = std::source_location::current()) {
  using P = rows::result_place<O>;
  const auto elements = rows::on_host<value_of<O>>(x, {"unique_all", "x", where});
  Array<std::int64_t, rank_of<O>, P> inverse(elements.shape(), elements.place());
  const sets::Distinct distinct(rows::vector_of(elements),
                                {.counts = true, .positions = true, .inverse = inverse.data()});
  Array<std::int64_t, 1, P> indices(Dim<1>{distinct.count()}, elements.place());
  distinct.write_positions(indices.data());
  return Unique<value_of<O>, rank_of<O>, P>{values_of<value_of<O>, P>(distinct, elements.place()), indices, inverse,
                                            counts_of<P>(distinct, elements.place())};
}

/// The different slices along an axis, in lexicographic order of their elements, with where each is first, which of them each slice is, and
/// how often each is there: unique<0>(x) has the different rows of a matrix. Slices are compared by sorting them. On the host only. Throws
/// PlaceError for elements elsewhere, OutOfMemory.
export template <int Axis, SetOperand O>
  requires rows::AxisOf<rank_of<O>, Axis>
auto unique(const O& x, std::source_location where = std::source_location::current()) {
  using P = rows::result_place<O>;
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto given = rows::on_host<value_of<O>>(x, {"unique", "x", where});
  const auto slices = rows::on_host<value_of<O>>(moveaxis(given, axis, 0), {"unique", "x", where});
  const std::ptrdiff_t count = slices.shape()[0];
  const Dim<1> room{count};
  Array<std::int64_t, 1, P> order(room, given.place()), inverse(room, given.place()), counts(room, given.place());
  const std::ptrdiff_t length = count == 0 ? 0 : slices.size() / count;
  const std::ptrdiff_t found =
      sets::find_distinct({rows::vector_of(slices), count, length}, order.data(), inverse.data(), counts.data());
  const auto indices = copy(order(range(0, found)));
  const auto values = copy(moveaxis(take(slices, indices, where), 0, axis));
  return UniqueSlices<std::remove_const_t<decltype(values)>, P>{values, indices, inverse,
                                                                copy(counts(range(0, found)))};
}

/// The elements that both have, each once, in ascending order. Throws as unique().
export template <class A, class B>
  requires ComparedOperands<A, B>
auto intersect1d(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<A>, value_of<B>>;
  const auto both = unique(rows::on_host<T>(a, {"intersect1d", "a", where}), where);
  const auto others = rows::on_host<T>(b, {"intersect1d", "b", where});
  return compress(isin(both, others, where), both, where);
}

/// The elements that one of them has or both, each once, in ascending order. Throws as unique().
export template <class A, class B>
  requires ComparedOperands<A, B>
auto union1d(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<A>, value_of<B>>;
  const auto left = rows::on_host<T>(a, {"union1d", "a", where});
  const auto right = rows::on_host<T>(b, {"union1d", "b", where});
  return unique(concat<0>(flatten(left), flatten(right)), where);
}

/// The elements of a that b has not, each once, in ascending order. Throws as unique().
export template <class A, class B>
  requires ComparedOperands<A, B>
auto setdiff1d(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<A>, value_of<B>>;
  const auto mine = unique(rows::on_host<T>(a, {"setdiff1d", "a", where}), where);
  const auto others = rows::on_host<T>(b, {"setdiff1d", "b", where});
  return compress(!isin(mine, others, where), mine, where);
}

/// The elements that one of them has and the other has not, each once, in ascending order. Throws as unique().
export template <class A, class B>
  requires ComparedOperands<A, B>
auto setxor1d(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<A>, value_of<B>>;
  const auto left = rows::on_host<T>(a, {"setxor1d", "a", where});
  const auto right = rows::on_host<T>(b, {"setxor1d", "b", where});
  return unique(concat<0>(setdiff1d(left, right, where), setdiff1d(right, left, where)), where);
}

}  // namespace tessera
