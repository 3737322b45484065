module;
#include <cstddef>
export module tessera.darray:dstatistics;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :daxes;
import :dreductions;
import :dselect;
import :dviews;

// Medians, quantiles, reductions without NaN and covariances of dynamic arrays: each is the function of its name for arrays.
namespace tessera {

/// The first two moments of dynamic arrays.
export struct DMoments {
  DArray mean;
  DArray variance;
};

namespace dynamic {

export enum class Quantile { quantile, percentile, nanquantile, nanpercentile, median, nanmedian };
/// The quantiles along an axis, or of all elements, which are the first axis of the result.
export DArray quantiles(Quantile which, const DArray& x, const DArray& q, std::optional<int> axis,
                        QuantileMethod method);
/// One quantile, without an axis for it.
export DArray quantile(Quantile which, const DArray& x, double q, std::optional<int> axis, QuantileMethod method);

export enum class OfNumbers { sum, mean, min, max, var, stddev, argmin, argmax };
export DExpression of_numbers(OfNumbers operation, const DArray& x, const std::optional<DAxes>& axes, bool keeps,
                              double correction);
export DExpression average(const DArray& x, const DArray& weights, const std::optional<DAxes>& axes);
export DExpression moment(const DArray& x, int order, const std::optional<DAxes>& axes);
export DMoments moments(const DArray& x, const std::optional<DAxes>& axes, Correction correction);
export DArray covariances(const DArray& x, double correction);
export DArray correlations(const DArray& x);

}  // namespace dynamic

/// The median along an axis, or of all elements; NaN if an element is NaN. As the function for arrays, on the host only. Throws DTypeError for
/// complex elements, ShapeError over an empty axis, IndexError, PlaceError.
export template <DynamicOperand X>
DArray median(const X& x, std::optional<int> axis = {}) {
  return dynamic::quantile(dynamic::Quantile::median, x, 0.5, axis, QuantileMethod::linear);
}
/// The median of the elements that are not NaN; NaN where all are.
export template <DynamicOperand X>
DArray nanmedian(const X& x, std::optional<int> axis = {}) {
  return dynamic::quantile(dynamic::Quantile::nanmedian, x, 0.5, axis, QuantileMethod::linear);
}

#define TESSERA_QUANTILE(function)                                                                                 \
  export template <DynamicOperand X, WeakScalar Q>                                                                 \
    requires(!std::same_as<Q, bool>)                                                                               \
  DArray function(const X& x, Q q, std::optional<int> axis = {}, QuantileMethod method = QuantileMethod::linear) { \
    return dynamic::quantile(dynamic::Quantile::function, x, static_cast<double>(q), axis, method);                \
  }                                                                                                                \
  export template <DynamicElements X, DynamicElements Q>                                                           \
    requires DynamicOperands<X, Q>                                                                                 \
  DArray function(const X& x, const Q& q, std::optional<int> axis = {},                                            \
                  QuantileMethod method = QuantileMethod::linear) {                                                \
    return dynamic::quantiles(dynamic::Quantile::function, x, q, axis, method);                                    \
  }
/// The quantile of a probability in [0, 1] along an axis, or of all elements; those of a vector of probabilities are the first axis of the result.
/// Throws as median(), and std::invalid_argument for another q.
TESSERA_QUANTILE(quantile)
/// The quantile of q per cent; as quantile().
TESSERA_QUANTILE(percentile)
/// The quantile of the elements that are not NaN; as quantile().
TESSERA_QUANTILE(nanquantile)
/// The quantile of q per cent of the elements that are not NaN; as quantile().
TESSERA_QUANTILE(nanpercentile)
#undef TESSERA_QUANTILE

#define TESSERA_OF_NUMBERS(function, operation)                                                  \
  export template <DynamicOperand X>                                                             \
  DExpression function(const X& x) {                                                             \
    return dynamic::of_numbers(dynamic::OfNumbers::operation, x, {}, false, 0);                  \
  }                                                                                              \
  export template <DynamicOperand X>                                                             \
  DExpression function(const X& x, const DAxes& axes) {                                          \
    return dynamic::of_numbers(dynamic::OfNumbers::operation, x, axes, false, 0);                \
  }                                                                                              \
  export template <DynamicOperand X>                                                             \
  DExpression function(const X& x, const DAxes& axes, std::remove_cvref_t<decltype(keepdims)>) { \
    return dynamic::of_numbers(dynamic::OfNumbers::operation, x, axes, true, 0);                 \
  }
/// Sum of the elements that are not NaN along the named axes, or of all. Throws DTypeError for elements that are not floating.
TESSERA_OF_NUMBERS(nansum, sum)
/// Mean of the elements that are not NaN; NaN where all are.
TESSERA_OF_NUMBERS(nanmean, mean)
/// Smallest element that is not NaN; NaN where all are.
TESSERA_OF_NUMBERS(nanmin, min)
/// Largest element that is not NaN; NaN where all are.
TESSERA_OF_NUMBERS(nanmax, max)
/// Position (int64) of the smallest element that is not NaN along one axis, or of all; -1 where all are.
TESSERA_OF_NUMBERS(nanargmin, argmin)
/// Position (int64) of the largest element that is not NaN; as nanargmin().
TESSERA_OF_NUMBERS(nanargmax, argmax)
/// Variance of the elements that are not NaN; NaN where there are not more of them than the correction.
TESSERA_OF_NUMBERS(nanvar, var)
/// Standard deviation of the elements that are not NaN.
TESSERA_OF_NUMBERS(nanstddev, stddev)
#undef TESSERA_OF_NUMBERS

/// Less a correction.
export template <DynamicOperand X>
DExpression nanvar(const X& x, const DAxes& axes, Correction correction) {
  return dynamic::of_numbers(dynamic::OfNumbers::var, x, axes, false, correction.value);
}
export template <DynamicOperand X>
DExpression nanstddev(const X& x, const DAxes& axes, Correction correction) {
  return dynamic::of_numbers(dynamic::OfNumbers::stddev, x, axes, false, correction.value);
}

/// The largest element less the smallest along the named axes, or of all.
export template <DynamicOperand X>
DExpression ptp(const X& x) {
  return max(x) - min(x);
}
export template <DynamicOperand X>
DExpression ptp(const X& x, const DAxes& axes) {
  return max(x, axes) - min(x, axes);
}

/// The average along the named axes, or of all elements, by weights that broadcast to x's shape, or are a vector for the one axis that is named. Throws
/// DTypeError, ShapeError, IndexError.
export template <DynamicElements X, DynamicElements W>
  requires DynamicOperands<X, W>
DExpression average(const X& x, const W& weights) {
  return dynamic::average(x, weights, {});
}
export template <DynamicElements X, DynamicElements W>
  requires DynamicOperands<X, W>
DExpression average(const X& x, const W& weights, const DAxes& axes) {
  return dynamic::average(x, weights, axes);
}

/// The central moment of an order along the named axes, or of all elements; as the function for arrays. Throws DTypeError for complex elements,
/// std::invalid_argument for a negative order, IndexError.
export template <DynamicOperand X>
DExpression moment(const X& x, int order) {
  return dynamic::moment(x, order, {});
}
export template <DynamicOperand X>
DExpression moment(const X& x, int order, const DAxes& axes) {
  return dynamic::moment(x, order, axes);
}

/// The mean and the variance along the named axes, or of all elements, less a correction. Throws as moment(), ShapeError as var().
export template <DynamicOperand X>
DMoments moments(const X& x) {
  return dynamic::moments(x, {}, {});
}
export template <DynamicOperand X, std::same_as<Correction> C>
DMoments moments(const X& x, const C& correction) {
  return dynamic::moments(x, {}, correction);
}
export template <DynamicOperand X>
DMoments moments(const X& x, const DAxes& axes, Correction correction = {}) {
  return dynamic::moments(x, axes, correction);
}

/// The covariances of variables, which are the rows of a matrix; as the function for arrays. Throws DTypeError for complex elements, ShapeError for other
/// ranks or without observations.
export template <DynamicOperand X>
DArray cov(const X& x, Correction correction = {1}) {
  return dynamic::covariances(x, correction.value);
}
/// The correlation coefficients of variables, which are the rows of a matrix; as cov().
export template <DynamicOperand X>
DArray corrcoef(const X& x) {
  return dynamic::correlations(x);
}

}  // namespace tessera
