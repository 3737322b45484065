module;
#include <cstddef>
export module tessera.algorithm:averages;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;

// Weighted averages, ranges, moments, covariances and correlations. All are made of expressions and products: they run on every place.
namespace tessera::rows {

/// Throws std::invalid_argument for a negative order of a moment.
export void require_order(int order, const std::source_location& where);

}  // namespace tessera::rows
namespace tessera {

/// An operand with real elements.
template <class O>
concept RealElements = rows::KnownOperand<O> && OrderedOperand<O>;

/// The largest element less the smallest along the named axes, or of all: NaN if one is NaN, and integers wrap. Throws ShapeError over an empty
/// axis.
export template <int... Axis, RealOperand O>
  requires ReducibleAxes<O, Axis...>
auto ptp(const O& x) {
  return max<Axis...>(x) - min<Axis...>(x);
}
export template <int... Axis, RealOperand O>
  requires ReducibleAxes<O, Axis...>
auto ptp(const O& x, std::remove_cvref_t<decltype(keepdims)>) {
  return max<Axis...>(x, keepdims) - min<Axis...>(x, keepdims);
}

/// The operand with elements that have averages: integers and bool as double.
template <class O>
auto averaged(const O& x) {
  if constexpr (Floating<value_of<O>> || Complex<value_of<O>>) {
    return x;
  } else {
    return cast<double>(x);
  }
}

/// Weights in the operand's shape. A vector of them belongs to the one axis that is named.
template <int... Axis, class W, int Rank>
auto spread_weights(const W& weights, const Dim<Rank>& shape) {
  if constexpr (sizeof...(Axis) == 1 && rank_of<W> == 1 && Rank > 1) {
    constexpr int axis = (rows::axis_of<Rank, Axis> + ...);
    Dim<Rank> moved;
    for (int from = 0, to = 0; from < Rank; ++from) {
      if (from != axis) moved = moved.with(to++, shape[from]);
    }
    return moveaxis(broadcast_to(weights, moved.with(Rank - 1, shape[axis])), Rank - 1, axis);
  } else {
    return broadcast_to(weights, shape);
  }
}

/// Weights that broadcast to the shape of what they belong to.
template <class O, class W>
concept AveragedOperands =
    rows::KnownOperand<O> && rows::KnownOperand<W> && (Real<value_of<W>> || unsatisfied<"weights are real numbers">) &&
    (rank_of<W> <= rank_of<O> || unsatisfied<"weights have no more axes than the elements">);

/// The average along the named axes, or of all elements, by weights that broadcast to x's shape: the sum of x * weights over the sum of the
/// weights. A vector of weights belongs to the axis, if one is named. Integers are averaged in double. NaN or infinite where the weights' sum is
/// 0. Throws ShapeError for weights that do not broadcast.
export template <int... Axis, class O, class W>
  requires AveragedOperands<O, W> && ReducibleAxes<O, Axis...>
auto average(const O& x, const W& weights) {
  const auto values = averaged(x);
  using T = value_of<decltype(values)>;
  const auto spread = spread_weights<Axis...>(weights, Dim<rank_of<O>>(x.shape()));
  if constexpr (Floating<value_of<W>>) {
    return sum<Axis...>(values * spread) / sum<Axis...>(spread);
  } else {
    using Weight = std::conditional_t<Complex<T>, double, T>;
    return sum<Axis...>(values * cast<Weight>(spread)) / sum<Axis...>(cast<Weight>(spread));
  }
}
/// Without weights: the mean.
export template <int... Axis, class O>
  requires rows::KnownOperand<O> && ReducibleAxes<O, Axis...>
auto average(const O& x) {
  return mean<Axis...>(x);
}

/// The central moment of an order along the named axes, or of all elements: the mean of what elements are beside their mean, to that power; in
/// double for integers and bool. An expression. Throws std::invalid_argument for a negative order, ShapeError over nothing.
export template <int... Axis, RealElements O>
  requires ReducibleAxes<O, Axis...>
auto moment(const O& x, int order, std::source_location where = std::source_location::current()) {
  rows::require_order(order, where);
  const auto values = averaged(x);
  return mean<Axis...>(pow(values - mean<Axis...>(values, keepdims), order));
}

/// The first two moments.
export template <class A>
struct Moments {
  A mean;
  A variance;
};

/// The mean and the variance along the named axes, or of all elements, less a correction; in double for integers and bool, in new arrays. Throws
/// ShapeError as var().
export template <int... Axis, RealElements O>
  requires ReducibleAxes<O, Axis...>
auto moments(const O& x, Correction correction = {}) {
  const auto values = averaged(x);
  auto means = evaluate(mean<Axis...>(values));
  return Moments<decltype(means)>{std::move(means), evaluate(var<Axis...>(values, correction))};
}

/// The type in which elements of type T vary together.
template <class T>
using covariance_t = std::conditional_t<!Floating<T>, double, std::conditional_t<sizeof(T) == 2, float, T>>;

/// What each row is beside its mean.
template <class O>
auto centred(const O& x) {
  using T = covariance_t<value_of<O>>;
  const Array<T, 2, rows::result_place<O>> values = cast<T>(x);
  return Array<T, 2, rows::result_place<O>>(values - mean<1>(values, keepdims));
}

template <class O>
concept VariablesOperand = RealElements<O> && (rank_of<O> == 2 || unsatisfied<"each row of a matrix is a variable">);

/// The covariances of variables, which are the rows of a matrix, and of which each column is an observation: a matrix that has in row i and
/// column j the mean of the products of their distances from their means, the sum being divided by the number of observations less the
/// correction, 1 as in NumPy. In double for integers and bool, in float for 16 bits. Throws ShapeError without observations, OutOfMemory.
export template <VariablesOperand O>
auto cov(const O& x, Correction correction = {1}) {
  const auto distances = centred(x);
  using T = value_of<decltype(distances)>;
  const auto freedom = static_cast<double>(distances.shape()[1]) - correction.value;
  return Array<T, 2, rows::result_place<O>>(dot(distances, distances.T()) / static_cast<T>(freedom));
}

/// The correlation coefficients of variables, which are the rows of a matrix: their covariances over the product of their standard deviations,
/// between -1 and 1; NaN with a variable that does not vary. Throws as cov().
export template <VariablesOperand O>
auto corrcoef(const O& x) {
  const auto together = cov(x, Correction{0});
  using T = value_of<decltype(together)>;
  const std::ptrdiff_t count = together.shape()[0];
  const Array<T, 1, rows::result_place<O>> deviations = sqrt(flatten(together)(range(none, none, count + 1)));
  return Array<T, 2, rows::result_place<O>>(
      clip(together / deviations / expand_dims<1>(deviations), static_cast<T>(-1), static_cast<T>(1)));
}

/// Two vectors of as many observations.
template <class A, class B>
concept PairedOperands = RealElements<A> && RealElements<B> &&
                         ((rank_of<A> == 1 && rank_of<B> == 1) || unsatisfied<"two variables are two vectors">) &&
                         (Promotable<value_of<A>, value_of<B>> ||
                          unsatisfied<"the element types have no common one: cast<T>(...) one of them">);

/// The covariances of two variables, each a vector: a matrix of two rows. Throws ShapeError also for vectors of two lengths.
export template <class A, class B>
  requires PairedOperands<A, B>
auto cov(const A& a, const B& b, Correction correction = {1}) {
  return cov(stack<0>(a, b), correction);
}
/// The correlation coefficients of two variables, each a vector: a matrix of two rows. Throws as cov().
export template <class A, class B>
  requires PairedOperands<A, B>
auto corrcoef(const A& a, const B& b) {
  return corrcoef(stack<0>(a, b));
}

}  // namespace tessera
