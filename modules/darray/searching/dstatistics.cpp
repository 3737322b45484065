module;
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Quantiles, compiled for each element type on rows of the highest rank; all else is made of the expressions that there are.
namespace tessera::dynamic {

namespace {

const char* name_of(Quantile which) {
  switch (which) {
    case Quantile::quantile: return "quantile";
    case Quantile::percentile: return "percentile";
    case Quantile::nanquantile: return "nanquantile";
    case Quantile::nanpercentile: return "nanpercentile";
    case Quantile::median: return "median";
    case Quantile::nanmedian: break;
  }
  return "nanmedian";
}

template <class A>
DArray quantiles_of(Quantile which, const A& rows, const Array<double, 1>& q, QuantileMethod method) {
  switch (which) {
    case Quantile::percentile: return tessera::percentile<-1>(rows, q, method);
    case Quantile::nanpercentile: return tessera::nanpercentile<-1>(rows, q, method);
    case Quantile::nanquantile:
    case Quantile::nanmedian: return tessera::nanquantile<-1>(rows, q, method);
    case Quantile::quantile:
    case Quantile::median: break;
  }
  return tessera::quantile<-1>(rows, q, method);
}

/// Elements that have averages: integers and bool as double.
DArray averaged(const DArray& x) {
  const bool is_inexact = kind(x.dtype()) == Kind::floating || kind(x.dtype()) == Kind::complex;
  return is_inexact ? x : x.cast(DType::float64);
}

DExpression mean_of_numbers(const DArray& x, const ReducedAxes& axes) {
  const DExpression sum = reduce(Reduce::sum, where(isnan(x), 0.0, x), {axes});
  const DExpression count = reduce(Reduce::sum, DExpression(x == x), {axes});
  return sum / cast(count, x.dtype());
}

/// Of elements of 32 bits or more.
DExpression variance_of_numbers(const DArray& x, const ReducedAxes& axes, double correction) {
  ReducedAxes kept = axes;
  kept.keeps = true;
  const DArray mean = mean_of_numbers(x, kept);
  const DArray distance = where(isnan(x), 0.0, x - mean);
  const DArray freedom = cast(reduce(Reduce::sum, DExpression(x == x), {axes}), x.dtype()) - correction;
  return where(freedom > 0.0, reduce(Reduce::sum, DExpression(distance * distance), {axes}) / freedom,
               std::numeric_limits<double>::quiet_NaN());
}

/// The extreme elements, NaN being `infinity`, and `nothing` where all are NaN.
DExpression extreme_of_numbers(Reduce reduction, const DArray& x, const ReducedAxes& axes, double infinity) {
  const DExpression found = reduce(reduction, where(isnan(x), infinity, x), {axes});
  const DExpression is_nothing = reduce(Reduce::all, DExpression(isnan(x)), {axes});
  if (reduction == Reduce::argmin || reduction == Reduce::argmax) return where(is_nothing, -1, found);
  return where(is_nothing, std::numeric_limits<double>::quiet_NaN(), found);
}

void require_matrix(const DArray& x, const char* operation) {
  if (x.rank() == 2) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "the array has the shape " + to_string(x.shape()),
                                     .advice = "each row of a matrix is a variable"}));
}

}  // namespace

DArray quantiles(Quantile which, const DArray& x, const DArray& q, std::optional<int> axis, QuantileMethod method) {
  const char* const operation = name_of(which);
  require_vector(q, operation, "q");
  if (kind(q.dtype()) == Kind::complex) throw_dtype(operation, q.dtype(), "probabilities that are real numbers");
  const Array<double, 1> probabilities = vector_of<double>(q);
  if (!axis) {
    return with_ordered(operation, x.dtype(),
                        [&]<class T>() { return quantiles_of(which, vector_of<T>(x), probabilities, method); });
  }
  const int at = storage::checked_axis(*axis, x.rank(), operation);
  const DArray rows = with_axis_last(x, at, operation);
  std::vector<std::ptrdiff_t> extents{probabilities.size()};
  for (int other = 0; other < x.rank(); ++other) {
    if (other != at) extents.push_back(x.shape()[other]);
  }
  return with_ordered(operation, x.dtype(), [&]<class T>() {
    return quantiles_of(which, rows_of<T>(rows), probabilities, method).reshape(DDim(extents));
  });
}

DArray quantile(Quantile which, const DArray& x, double q, std::optional<int> axis, QuantileMethod method) {
  return squeeze(quantiles(which, x, Array<double, 1>{q}, axis, method), 0);
}

DExpression of_numbers(OfNumbers operation, const DArray& x, const std::optional<DAxes>& axes, bool keeps,
                       double correction) {
  if (kind(x.dtype()) != Kind::floating) throw_dtype("a reduction without NaN", x.dtype(), "floating elements");
  ReducedAxes reduced{};
  reduced.keeps = keeps;
  reduced.is_all = !axes;
  if (axes) reduced.named = axes->axes();
  const double infinity = std::numeric_limits<double>::infinity();
  const DArray wide = item_size(x.dtype()) == 2 ? x.cast(DType::float32) : x;
  switch (operation) {
    case OfNumbers::sum: return reduce(Reduce::sum, where(isnan(x), 0.0, x), {reduced});
    case OfNumbers::mean: return cast(mean_of_numbers(wide, reduced), x.dtype());
    case OfNumbers::var: return cast(variance_of_numbers(wide, reduced, correction), x.dtype());
    case OfNumbers::stddev: return cast(sqrt(variance_of_numbers(wide, reduced, correction)), x.dtype());
    case OfNumbers::min: return extreme_of_numbers(Reduce::minimum, x, reduced, infinity);
    case OfNumbers::max: return extreme_of_numbers(Reduce::maximum, x, reduced, -infinity);
    case OfNumbers::argmin: return extreme_of_numbers(Reduce::argmin, x, reduced, infinity);
    case OfNumbers::argmax: break;
  }
  return extreme_of_numbers(Reduce::argmax, x, reduced, -infinity);
}

DExpression moment(const DArray& x, int order, const std::optional<DAxes>& axes) {
  if (kind(x.dtype()) == Kind::complex) throw_dtype("moment", x.dtype(), "elements that have an order");
  rows::require_order(order, {});
  const DArray values = averaged(x);
  const DExpression distances = values - (axes ? mean(values, *axes, keepdims) : mean(values, keepdims));
  return axes ? mean(pow(distances, order), *axes) : mean(pow(distances, order));
}

DMoments moments(const DArray& x, const std::optional<DAxes>& axes, Correction correction) {
  if (kind(x.dtype()) == Kind::complex) throw_dtype("moments", x.dtype(), "elements that have an order");
  const DArray values = averaged(x);
  if (axes) return {mean(values, *axes), var(values, *axes, correction)};
  return {mean(values), var(values, correction)};
}

DExpression average(const DArray& x, const DArray& weights, const std::optional<DAxes>& axes) {
  const DArray values = averaged(x);
  const DArray numbers = kind(weights.dtype()) == Kind::floating ? weights : weights.cast(DType::float64);
  ReducedAxes reduced{};
  reduced.is_all = !axes;
  if (axes) reduced.named = axes->axes();
  DArray spread;
  if (axes && axes->axes().size() == 1 && numbers.rank() == 1 && x.rank() > 1) {
    const int at = storage::checked_axis(axes->axes()[0], x.rank(), "average"), last = -1;
    const DArray moved_x = moveaxis(values, at, last);
    spread = moveaxis(numbers.broadcast_to(moved_x.shape()), last, at);
  } else {
    spread = numbers.broadcast_to(x.shape());
  }
  return reduce(Reduce::sum, DExpression(values * spread), {reduced}) /
         reduce(Reduce::sum, DExpression(spread), {reduced});
}

DArray covariances(const DArray& x, double correction) {
  require_matrix(x, "cov");
  return with_ordered("cov", x.dtype(),
                      [&]<class T>() { return DArray(tessera::cov(elements_of<T, 2>(x), Correction{correction})); });
}

DArray correlations(const DArray& x) {
  require_matrix(x, "corrcoef");
  return with_ordered("corrcoef", x.dtype(),
                      [&]<class T>() { return DArray(tessera::corrcoef(elements_of<T, 2>(x))); });
}

}  // namespace tessera::dynamic
