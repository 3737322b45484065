module;
#include <cstddef>
export module tessera.algorithm:quantile;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :sort;
import :host_elements;
import :partition;
import :quantiles;

// Medians and other quantiles along one axis, or of all elements.
namespace tessera {

/// Quantiles are along one axis, or of all elements.
template <class O, int... Axis>
concept QuantileOperand =
    rows::KnownOperand<O> && OrderedOperand<O> && ReducibleAxes<O, Axis...> && OneAxisOrAll<Axis...>;

/// The type of quantiles of elements of type T.
template <class T>
using quantile_t = std::conditional_t<Floating<T>, T, double>;

/// How quantiles are taken.
struct QuantileWay {
  QuantileMethod method = QuantileMethod::linear;
  bool skips_nan = false;
};

/// The quantiles along an axis, which has one for each probability.
template <class A>
auto quantiles_along(const A& elements, int axis, std::span<const double> probabilities, QuantileWay way,
                     const rows::Argument& argument) {
  selecting::require_elements(elements.shape().extents(), axis, argument);
  const auto count = std::ssize(probabilities);
  Array<quantile_t<value_of<A>>, A::rank, typename A::place_type> result(elements.shape().with(axis, count),
                                                                         elements.place());
  selecting::write_quantiles({call_of(result, elements, axis), probabilities, way.method, way.skips_nan});
  return result;
}

/// One quantile.
template <int... Axis, class O>
auto quantile_of(const O& x, double q, QuantileWay way, const rows::Argument& argument) {
  if constexpr (sizeof...(Axis) == 0) {
    const auto elements = flatten(rows::on_host<value_of<O>>(x, argument));
    return squeeze<0>(quantiles_along(elements, 0, {&q, 1}, way, argument));
  } else {
    const auto elements = elements_on_host(x, argument);
    return squeeze<Axis...>(quantiles_along(elements, (rows::axis_of<rank_of<O>, Axis> + ...), {&q, 1}, way, argument));
  }
}

/// One quantile, and an axis in the place of each that it is along.
template <int... Axis, class O>
auto quantile_with_axes(const O& x, double q, QuantileWay way, const rows::Argument& argument) {
  if constexpr (sizeof...(Axis) == 0) {
    Dim<rank_of<O>> ones;
    for (int axis = 0; axis < rank_of<O>; ++axis) ones = ones.with(axis, 1);
    return reshape(quantile_of(x, q, way, argument), ones);
  } else {
    return quantiles_along(elements_on_host(x, argument), (rows::axis_of<rank_of<O>, Axis> + ...), {&q, 1}, way,
                           argument);
  }
}

/// Several quantiles, whose axis is the first.
template <int... Axis, class O, class Q>
auto quantiles_of(const O& x, const Q& q, double scale, QuantileWay way, const rows::Argument& argument) {
  const auto given = rows::on_host<double>(q, {argument.operation, "q", argument.where});
  std::vector<double> probabilities(given.data(), given.data() + given.size());
  selecting::scale_probabilities(probabilities, scale, {argument.operation, "q", argument.where});
  if constexpr (sizeof...(Axis) == 0) {
    return quantiles_along(flatten(rows::on_host<value_of<O>>(x, argument)), 0, probabilities, way, argument);
  } else {
    constexpr int axis = (rows::axis_of<rank_of<O>, Axis> + ...);
    return moveaxis(quantiles_along(elements_on_host(x, argument), axis, probabilities, way, argument), axis, 0);
  }
}

inline double checked_probability(double q, double scale, const rows::Argument& argument) {
  selecting::scale_probabilities({&q, 1}, scale, {argument.operation, "q", argument.where});
  return q;
}

/// An operand with this axis as its last. Throws IndexError.
template <class O>
auto with_axis_last(const O& x, std::ptrdiff_t axis, const rows::Argument& argument) {
  const auto elements = elements_on_host(x, argument);
  return moveaxis(elements, storage::checked_axis(axis, rank_of<O>, argument.operation), -1);
}

template <class Q>
concept Probability = WeakScalar<Q> && !std::same_as<Q, bool>;
/// A vector of probabilities.
template <class Q>
concept Probabilities = rows::KnownOperand<Q> && OrderedOperand<Q> &&
                        (rank_of<Q> == 1 || unsatisfied<"several quantiles are asked for by a vector">);

/// The median along one axis, or of all elements: the middle one, or the mean of the two in the middle; NaN if an element is NaN. In double for
/// integers and bool, in the elements' own type otherwise. Found by selection, O(n). On the host only. Throws ShapeError over an empty axis,
/// PlaceError, OutOfMemory.
export template <int... Axis, class O>
  requires QuantileOperand<O, Axis...>
auto median(const O& x, std::source_location where = std::source_location::current()) {
  return quantile_of<Axis...>(x, 0.5, {}, {"median", "x", where});
}
export template <int... Axis, class O>
  requires QuantileOperand<O, Axis...>
auto median(const O& x, std::remove_cvref_t<decltype(keepdims)>,
            std::source_location where = std::source_location::current()) {
  return quantile_with_axes<Axis...>(x, 0.5, {}, {"median", "x", where});
}
/// Along an axis that is known at run time. Throws IndexError, and as above.
export template <class O, RunTimeAxis I>
  requires QuantileOperand<O, -1> && (rank_of<O> > 0)
auto median(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return quantile_of<-1>(with_axis_last(x, Position(axis).value, {"median", "x", where}), 0.5, {},
                         {"median", "x", where});
}

/// The median of the elements that are not NaN; NaN where all are. Otherwise as median().
export template <int... Axis, class O>
  requires QuantileOperand<O, Axis...>
auto nanmedian(const O& x, std::source_location where = std::source_location::current()) {
  return quantile_of<Axis...>(x, 0.5, {.skips_nan = true}, {"nanmedian", "x", where});
}
export template <int... Axis, class O>
  requires QuantileOperand<O, Axis...>
auto nanmedian(const O& x, std::remove_cvref_t<decltype(keepdims)>,
               std::source_location where = std::source_location::current()) {
  return quantile_with_axes<Axis...>(x, 0.5, {.skips_nan = true}, {"nanmedian", "x", where});
}
/// Along an axis that is known at run time. Throws IndexError, and as above.
export template <class O, RunTimeAxis I>
  requires QuantileOperand<O, -1> && (rank_of<O> > 0)
auto nanmedian(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return quantile_of<-1>(with_axis_last(x, Position(axis).value, {"nanmedian", "x", where}), 0.5, {.skips_nan = true},
                         {"nanmedian", "x", where});
}

/// The quantile of a probability in [0, 1] along one axis, or of all elements: of a sorted row the element at q (n - 1), between two by the
/// method. NaN if an element is NaN. Types and costs are those of median(). On the host only. Throws std::invalid_argument for another q, and as
/// median().
export template <int... Axis, class O, Probability Q>
  requires QuantileOperand<O, Axis...>
auto quantile(const O& x, Q q, QuantileMethod method = QuantileMethod::linear,
              std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"quantile", "x", where};
  return quantile_of<Axis...>(x, checked_probability(static_cast<double>(q), 1, argument), {method}, argument);
}
/// The quantiles of a vector of probabilities, whose axis is the first of the result.
export template <int... Axis, class O, Probabilities Q>
  requires QuantileOperand<O, Axis...>
auto quantile(const O& x, const Q& q, QuantileMethod method = QuantileMethod::linear,
              std::source_location where = std::source_location::current()) {
  return quantiles_of<Axis...>(x, q, 1, {method}, {"quantile", "x", where});
}

/// The quantile of q per cent; as quantile() of q / 100.
export template <int... Axis, class O, Probability Q>
  requires QuantileOperand<O, Axis...>
auto percentile(const O& x, Q q, QuantileMethod method = QuantileMethod::linear,
                std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"percentile", "x", where};
  return quantile_of<Axis...>(x, checked_probability(static_cast<double>(q), 100, argument), {method}, argument);
}
export template <int... Axis, class O, Probabilities Q>
  requires QuantileOperand<O, Axis...>
auto percentile(const O& x, const Q& q, QuantileMethod method = QuantileMethod::linear,
                std::source_location where = std::source_location::current()) {
  return quantiles_of<Axis...>(x, q, 100, {method}, {"percentile", "x", where});
}

/// The quantile of the elements that are not NaN; NaN where all are. Otherwise as quantile().
export template <int... Axis, class O, Probability Q>
  requires QuantileOperand<O, Axis...>
auto nanquantile(const O& x, Q q, QuantileMethod method = QuantileMethod::linear,
                 std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"nanquantile", "x", where};
  return quantile_of<Axis...>(x, checked_probability(static_cast<double>(q), 1, argument), {method, true}, argument);
}
export template <int... Axis, class O, Probabilities Q>
  requires QuantileOperand<O, Axis...>
auto nanquantile(const O& x, const Q& q, QuantileMethod method = QuantileMethod::linear,
                 std::source_location where = std::source_location::current()) {
  return quantiles_of<Axis...>(x, q, 1, {method, true}, {"nanquantile", "x", where});
}

/// The quantile of q per cent of the elements that are not NaN; as nanquantile() of q / 100.
export template <int... Axis, class O, Probability Q>
  requires QuantileOperand<O, Axis...>
auto nanpercentile(const O& x, Q q, QuantileMethod method = QuantileMethod::linear,
                   std::source_location where = std::source_location::current()) {
  const rows::Argument argument{"nanpercentile", "x", where};
  return quantile_of<Axis...>(x, checked_probability(static_cast<double>(q), 100, argument), {method, true}, argument);
}
export template <int... Axis, class O, Probabilities Q>
  requires QuantileOperand<O, Axis...>
auto nanpercentile(const O& x, const Q& q, QuantileMethod method = QuantileMethod::linear,
                   std::source_location where = std::source_location::current()) {
  return quantiles_of<Axis...>(x, q, 100, {method, true}, {"nanpercentile", "x", where});
}

}  // namespace tessera
