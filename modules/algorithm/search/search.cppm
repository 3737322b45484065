module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:search;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :searching;
import :membership;

// Where values are among sorted ones, which bin they are in, and whether they are among others.
namespace tessera {

/// A sorted vector and what is looked for in it.
template <class S, class O>
concept SearchOperands =
    ComparedOperands<S, O> && (rank_of<S> == 1 || unsatisfied<"the elements to search are a vector: flatten(x)">);

template <class S, class O>
auto searched(const S& sorted, const O& values, SearchSide side, const std::source_location& where) {
  using T = promote_t<value_of<S>, value_of<O>>;
  const auto elements = rows::on_host<T>(sorted, {"searchsorted", "sorted", where});
  const auto wanted = rows::on_host<T>(values, {"searchsorted", "values", where});
  Array<std::int64_t, rank_of<O>, rows::result_place<O>> result(wanted.shape(), wanted.place());
  searching::search(rows::vector_of(elements), rows::vector_of(wanted), side, result.data());
  return result;
}

/// Before which element (int64) of a vector in ascending order each value goes: after all elements that are below it, with
/// SearchSide::right also after those that equal it. NaN counts as the largest number, as sort() puts it. The order of `sorted` is not
/// checked. O(log n) per value; on the host only. Throws PlaceError for elements elsewhere, OutOfMemory.
export template <class S, class O>
  requires SearchOperands<S, O>
auto searchsorted(const S& sorted, const O& values, SearchSide side = SearchSide::left,
                  std::source_location where = std::source_location::current()) {
  return searched(sorted, values, side, where);
}
/// Of one value: its position.
export template <class S, ScalarValue V>
  requires rows::KnownOperand<S> && OrderedOperand<S> && (rank_of<S> == 1) && WeakWith<V, value_of<S>>
std::int64_t searchsorted(const S& sorted, V value, SearchSide side = SearchSide::left,
                          std::source_location where = std::source_location::current()) {
  const Array<value_of<S>, 0> wanted = full(Dim<0>{}, static_cast<value_of<S>>(value));
  return item(searched(sorted, wanted, side, where));
}

/// Number (int64) of the bin that each value is in: i where edges[i - 1] <= x < edges[i], with SearchSide::right where
/// edges[i - 1] < x <= edges[i]; 0 before the first edge, as many as there are edges behind the last. Edges may descend: then i where
/// edges[i - 1] > x >= edges[i], or edges[i - 1] >= x > edges[i]. On the host only. Throws std::invalid_argument for edges without order,
/// PlaceError, OutOfMemory.
export template <class O, class E>
  requires SearchOperands<E, O>
auto digitize(const O& x, const E& edges, SearchSide closed = SearchSide::left,
              std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<E>, value_of<O>>;
  const auto bounds = rows::on_host<T>(edges, {"digitize", "edges", where});
  const auto values = rows::on_host<T>(x, {"digitize", "x", where});
  Array<std::int64_t, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  const SearchSide side = closed == SearchSide::left ? SearchSide::right : SearchSide::left;
  searching::find_bins(rows::vector_of(bounds), rows::vector_of(values), side, result.data(),
                       {"digitize", "edges", where});
  return result;
}

/// Whether each element of x equals one of `among`, of any shape; NaN equals nothing. O(1) per element by a table of all of `among`, which
/// takes up to four times its memory, sixteen times that of fewer than 2^14. On the host only. Throws PlaceError for elements elsewhere, OutOfMemory.
export template <class O, class A>
  requires ComparedOperands<O, A>
auto isin(const O& x, const A& among, std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<O>, value_of<A>>;
  const auto values = rows::on_host<T>(x, {"isin", "x", where});
  const auto others = rows::on_host<T>(among, {"isin", "among", where});
  Array<bool, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  searching::find_members(rows::vector_of(values), rows::vector_of(others), result.data());
  return result;
}

}  // namespace tessera
