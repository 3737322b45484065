module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:counts;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :counting;
import :histograms;

// How many elements have a label, or are in a bin.
namespace tessera {

/// A vector of labels.
template <class I>
concept LabelOperand = rows::KnownOperand<I> && (Integer<value_of<I>> || unsatisfied<"labels are integers">) &&
                       (rank_of<I> == 1 || unsatisfied<"labels are a vector: flatten(x)">);

/// Weights of elements: numbers that have a value as double.
template <class W>
concept WeightOperand = rows::KnownOperand<W> && (Real<value_of<W>> || unsatisfied<"weights are real numbers">);

/// Throws ShapeError unless there is a weight for each element.
void require_weights(std::span<const std::ptrdiff_t> weights, std::span<const std::ptrdiff_t> shape,
                     const rows::Argument& argument);

/// The length of a result, which is at least `least`. Throws ShapeError for a negative one.
std::ptrdiff_t length_at_least(std::ptrdiff_t least, std::ptrdiff_t length, const rows::Argument& argument);

/// How often each label from 0 to the largest is there (int64), or more of them if `least` is greater. O(n) in one pass and a table of the
/// result's size. On the host only. Throws IndexError for a negative label, ShapeError for a negative `least`, PlaceError, OutOfMemory.
export template <LabelOperand I>
auto bincount(const I& labels, std::ptrdiff_t least = 0, std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"bincount", "labels", where};
  const auto elements = rows::on_host<value_of<I>>(labels, argument);
  const std::ptrdiff_t wanted = length_at_least(least, 0, argument);
  const counting::LabelCounts counts(rows::vector_of(elements), nullptr, argument);
  Array<std::int64_t, 1, rows::result_place<I>> result(Dim<1>{length_at_least(wanted, counts.size(), argument)},
                                                       elements.place());
  counts.write(result.data(), result.size());
  return result;
}

/// The sum (double) of the weights of each label, as bincount() counts them. Throws also ShapeError unless there is a weight for each label.
export template <LabelOperand I, WeightOperand W>
auto bincount(const I& labels, const W& weights, std::ptrdiff_t least = 0,
              std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"bincount", "labels", where};
  const auto elements = rows::on_host<value_of<I>>(labels, argument);
  const auto numbers = rows::on_host<double>(weights, {"bincount", "weights", where});
  require_weights(numbers.shape().extents(), elements.shape().extents(), {"bincount", "weights", where});
  const std::ptrdiff_t wanted = length_at_least(least, 0, argument);
  const counting::LabelCounts counts(rows::vector_of(elements), numbers.data(), argument);
  Array<double, 1, rows::result_place<I>> result(Dim<1>{length_at_least(wanted, counts.size(), argument)},
                                                 elements.place());
  counts.write(result.data(), result.size());
  return result;
}

/// How many elements are in each bin, or the sum of their weights, and the edges of the bins, of which there is one more.
export template <class Count, class Edge, class P>
struct Histogram {
  Array<Count, 1, P> counts;
  Array<Edge, 1, P> edges;

  /// The counts over their sum and the widths of their bins: a density, whose integral is 1.
  auto density() const {
    const Array<double, 1, P> bounds = cast<double>(edges), counted = cast<double>(counts);
    return Array<double, 1, P>(counted / ((bounds(range(1, none)) - bounds(range(none, -1))) * sum(counted)));
  }
};

/// The ends of the first and the last bin.
export struct Bounds {
  double low, high;
};

/// The type of a histogram's edges: the elements' own, or double for integers.
template <class T>
using edge_t = std::conditional_t<Floating<T>, T, double>;

template <class O>
concept BinnedOperand = rows::KnownOperand<O> && OrderedOperand<O>;

/// The bounds of all elements. Those of none are 0 and 1.
template <class A>
Bounds bounds_of(const A& elements) {
  if (elements.size() == 0) return {0, 1};
  return {static_cast<double>(item(min(elements))), static_cast<double>(item(max(elements)))};
}

template <class Count, class A, class E>
auto histogram_of(const A& elements, const double* weights, const E& edges, bool even) {
  using P = typename A::place_type;
  const Array<double, 1> bounds = cast<double>(edges);
  bounds.wait(schedule::Purpose::read);
  Array<Count, 1, P> counts(Dim<1>{edges.size() - 1}, elements.place());
  counting::count({rows::vector_of(elements), weights, bounds.data(), counts.size(), even}, counts.data());
  return Histogram<Count, value_of<E>, P>{counts, edges};
}

/// The edges of `bins` bins of one width, rounded to the type of edges.
template <class A>
auto edges_of(const A& elements, std::ptrdiff_t bins, const std::optional<Bounds>& given,
              const rows::Argument& argument) {
  using E = edge_t<value_of<A>>;
  counting::require_bins(bins, argument);
  const Bounds bounds = given ? *given : bounds_of(elements);
  const Array<double, 1> exact(Dim<1>{bins + 1});
  counting::write_edges(bounds.low, bounds.high, bins, exact.data(), argument);
  return Array<E, 1, typename A::place_type>(cast<E>(exact));
}

template <class O, class W>
auto weighed_histogram(const O& x, const W& weights, const std::source_location& where, const auto& edges_for,
                       bool even) {
  const auto elements = rows::on_host<value_of<O>>(x, {"histogram", "x", where});
  const auto numbers = rows::on_host<double>(weights, {"histogram", "weights", where});
  require_weights(numbers.shape().extents(), elements.shape().extents(), {"histogram", "weights", where});
  return histogram_of<double>(elements, numbers.data(), edges_for(elements), even);
}

template <class O>
auto counted_histogram(const O& x, const std::source_location& where, const auto& edges_for, bool even) {
  const auto elements = rows::on_host<value_of<O>>(x, {"histogram", "x", where});
  return histogram_of<std::int64_t>(elements, nullptr, edges_for(elements), even);
}

/// How many elements (int64) are in each of `bins` bins of one width between the smallest and the largest element, or between bounds; the last
/// bin holds its right end, what is beyond the bounds is not counted, nor is NaN. Elements are compared as double. On the host only. Throws
/// ShapeError for less than one bin, std::invalid_argument for bounds that are not finite (those of elements with NaN are not) or not in order,
/// PlaceError, OutOfMemory.
export template <BinnedOperand O, std::integral Bins>
auto histogram(const O& x, Bins bins, std::source_location where = std::source_location::current()) {
  return counted_histogram(
      x, where,
      [&](const auto& elements) { return edges_of(elements, Position(bins).value, {}, {"histogram", "bins", where}); },
      true);
}
export template <BinnedOperand O, std::integral Bins>
auto histogram(const O& x, Bins bins, Bounds bounds, std::source_location where = std::source_location::current()) {
  return counted_histogram(
      x, where,
      [&](const auto& elements) {
        return edges_of(elements, Position(bins).value, bounds, {"histogram", "bins", where});
      },
      true);
}
/// The sums (double) of the elements' weights in each bin, of which x has as many as elements. Throws also ShapeError for others.
export template <BinnedOperand O, std::integral Bins, WeightOperand W>
auto histogram(const O& x, Bins bins, const W& weights, std::source_location where = std::source_location::current()) {
  return weighed_histogram(
      x, weights, where,
      [&](const auto& elements) { return edges_of(elements, Position(bins).value, {}, {"histogram", "bins", where}); },
      true);
}
export template <BinnedOperand O, std::integral Bins, WeightOperand W>
auto histogram(const O& x, Bins bins, Bounds bounds, const W& weights,
               std::source_location where = std::source_location::current()) {
  return weighed_histogram(
      x, weights, where,
      [&](const auto& elements) {
        return edges_of(elements, Position(bins).value, bounds, {"histogram", "bins", where});
      },
      true);
}

template <class E>
concept EdgeOperand =
    rows::KnownOperand<E> && OrderedOperand<E> && (rank_of<E> == 1 || unsatisfied<"the edges of bins are a vector">);

template <class E>
auto checked_edges(const E& edges, const std::source_location& where) {
  const rows::Argument argument{"histogram", "edges", where};
  const auto bounds = rows::on_host<value_of<E>>(edges, argument);
  const auto numbers = rows::on_host<double>(bounds, argument);
  counting::require_ascending(numbers.data(), numbers.size(), argument);
  return Array<value_of<E>, 1, rows::result_place<E>>(copy(bounds));
}

/// How many elements are between each edge and the next, of a vector in ascending order; as above, but for std::invalid_argument where the edges
/// do not ascend. O(log bins) per element.
export template <BinnedOperand O, EdgeOperand E>
auto histogram(const O& x, const E& edges, std::source_location where = std::source_location::current()) {
  return counted_histogram(x, where, [&](const auto&) { return checked_edges(edges, where); }, false);
}
export template <BinnedOperand O, EdgeOperand E, WeightOperand W>
auto histogram(const O& x, const E& edges, const W& weights,
               std::source_location where = std::source_location::current()) {
  return weighed_histogram(x, weights, where, [&](const auto&) { return checked_edges(edges, where); }, false);
}

}  // namespace tessera
