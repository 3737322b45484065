module;
#include <cstddef>
export module tessera.expr:statistics;
import tessera.standard;
import tessera.core;
import tessera.array;
import :plan;
import :normalising;
import :node;
import :map;
import :operators;
import :operand_concepts;
import :functions;
import :select;
import :arithmetic;
import :reduction;
import :normalise;

// Averages, variances, norms and normalisations. Each reads its operand once.
namespace tessera {

/// An operand that has a mean of its own type.
export template <class O>
concept AveragedOperand =
    Operand<O> && (Floating<value_of<O>> || Complex<value_of<O>> ||
                   unsatisfied<"the function takes floating or complex elements: write cast<float>(...)">);

/// The operand with elements that have a mean: integers and bool as double.
template <Operand O>
auto as_averaged(O&& x) {
  if constexpr (Floating<value_of<O>> || Complex<value_of<O>>) {
    return as_node(std::forward<O>(x));
  } else {
    return cast<double>(std::forward<O>(x));
  }
}

/// Mean along the named axes, or of all elements; of integers and bool it is double. Throws ShapeError over an empty axis.
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto mean(O&& x) {
  return make_reduction<ReduceOp::mean, false, Axis...>(as_averaged(std::forward<O>(x)));
}
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto mean(O&& x, KeepDims) {
  return make_reduction<ReduceOp::mean, true, Axis...>(as_averaged(std::forward<O>(x)));
}

/// Mean of the elements converted to T, of that type.
export template <int... Axis, Operand O, Inexact T, class... Keep>
  requires ReducibleAxes<O, Axis...> && (sizeof...(Keep) == 0 || (std::same_as<Keep, KeepDims> && ...))
auto mean(O&& x, AccumulatorType<T>, Keep... keep) {
  return mean<Axis...>(cast<T>(std::forward<O>(x)), keep...);
}

/// What is taken from the count in the denominator of a variance: 0 for that of a population, 1 for an unbiased estimate.
export struct Correction {
  double value = 0;
};
/// The Correction of a variance: var(x, correction(1)).
export constexpr Correction correction(double value) { return {value}; }

/// A variance or its root. That of complex numbers is the sum of their parts': |z - mean|^2 is the sum of both squares.
template <ReduceOp Op, bool Keep, int... Axis, Operand O>
auto make_variance(O&& x, Correction correction) {
  if constexpr (Complex<value_of<O>>) {
    const auto both = make_reduction<ReduceOp::variance, Keep, Axis...>(real(x), correction.value) +
                      make_reduction<ReduceOp::variance, Keep, Axis...>(imag(x), correction.value);
    if constexpr (Op == ReduceOp::deviation) {
      return sqrt(both);
    } else {
      return both;
    }
  } else {
    return make_reduction<Op, Keep, Axis...>(as_averaged(std::forward<O>(x)), correction.value);
  }
}

/// Variance along the named axes, or of all elements: the sum of squared distances from the mean, divided by their count less
/// the correction (infinite or NaN where nothing is left). One pass, of complex elements two; of integers and bool it is double. Throws
/// ShapeError over an empty axis.
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto var(O&& x, Correction correction = {}) {
  return make_variance<ReduceOp::variance, false, Axis...>(std::forward<O>(x), correction);
}
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto var(O&& x, KeepDims, Correction correction = {}) {
  return make_variance<ReduceOp::variance, true, Axis...>(std::forward<O>(x), correction);
}

/// Standard deviation: the square root of var. (`std` would hide a namespace.)
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto stddev(O&& x, Correction correction = {}) {
  return make_variance<ReduceOp::deviation, false, Axis...>(std::forward<O>(x), correction);
}
export template <int... Axis, Operand O>
  requires ReducibleAxes<O, Axis...>
auto stddev(O&& x, KeepDims, Correction correction = {}) {
  return make_variance<ReduceOp::deviation, true, Axis...>(std::forward<O>(x), correction);
}

/// log(sum(e^x)) along the named axes, or of all elements, without overflow, in one pass. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto logsumexp(O&& x) {
  return make_reduction<ReduceOp::log_sum_exp, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto logsumexp(O&& x, KeepDims) {
  return make_reduction<ReduceOp::log_sum_exp, true, Axis...>(std::forward<O>(x));
}

/// Euclidean norm along the named axes, or of all elements; 0 over nothing. Squares of float are summed in double and those of
/// double are scaled, so that nothing between overflows or vanishes.
export template <int... Axis, AveragedOperand O>
  requires ReducibleAxes<O, Axis...>
auto norm(O&& x) {
  return make_reduction<ReduceOp::norm, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, AveragedOperand O>
  requires ReducibleAxes<O, Axis...>
auto norm(O&& x, KeepDims) {
  return make_reduction<ReduceOp::norm, true, Axis...>(std::forward<O>(x));
}

/// An exponent of a vector norm.
export enum class NormOrder { one, two, infinity, minus_infinity, zero };

/// Vector norms other than the Euclidean one along the named axes, or of all elements: sum of magnitudes, largest or smallest
/// magnitude, number of elements that are not 0; of complex elements in the type of their parts. The extremes throw ShapeError over an
/// empty axis.
export template <NormOrder Order, int... Axis, AveragedOperand O, class... Keep>
  requires ReducibleAxes<O, Axis...> && (sizeof...(Keep) == 0 || (std::same_as<Keep, KeepDims> && ...))
auto norm(O&& x, Keep... keep) {
  if constexpr (Order == NormOrder::one) return sum<Axis...>(abs(std::forward<O>(x)), keep...);
  if constexpr (Order == NormOrder::two) return norm<Axis...>(std::forward<O>(x), keep...);
  if constexpr (Order == NormOrder::infinity) return max<Axis...>(abs(std::forward<O>(x)), keep...);
  if constexpr (Order == NormOrder::minus_infinity) return min<Axis...>(abs(std::forward<O>(x)), keep...);
  if constexpr (Order == NormOrder::zero) {
    return sum<Axis...>(cast<part_t<value_of<O>>>(as_bool(std::forward<O>(x))), keep...);
  }
}

/// The norm of exponent p: (sum |x|^p)^(1/p), and its limits: for infinity and minus infinity the largest and the smallest magnitude, which
/// throw ShapeError over an empty axis; for 0 the number of elements that are not 0.
export template <int... Axis, AveragedOperand O, class... Keep>
  requires ReducibleAxes<O, Axis...> && (sizeof...(Keep) == 0 || (std::same_as<Keep, KeepDims> && ...))
auto norm(O&& x, double p, Keep... keep) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if constexpr (Complex<value_of<O>>) {
    return norm<Axis...>(abs(std::forward<O>(x)), p, keep...);
  } else if constexpr (sizeof(value_of<O>) == 2) {  // exponents would be rounded to 16 bits
    return evaluate(cast<value_of<O>>(norm<Axis...>(cast<float>(std::forward<O>(x)), p, keep...)));
  } else {
    if (p == infinity) return evaluate(norm<NormOrder::infinity, Axis...>(x, keep...));
    if (p == -infinity) return evaluate(norm<NormOrder::minus_infinity, Axis...>(x, keep...));
    if (p == 0) return evaluate(norm<NormOrder::zero, Axis...>(x, keep...));
    return evaluate(pow(sum<Axis...>(pow(abs(std::forward<O>(x)), p), keep...), 1 / p));
  }
}

/// e^x / sum(e^x) along the named axes, or of all elements, without overflow. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto softmax(O&& x) {
  return make_normalisation<plan::NormaliseOp::softmax, Axis...>(std::forward<O>(x), "softmax", 0);
}

/// x - log(sum(e^x)) along the named axes, or of all elements, without overflow. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto log_softmax(O&& x) {
  return make_normalisation<plan::NormaliseOp::log_softmax, Axis...>(std::forward<O>(x), "log_softmax", 0);
}

/// (x - mean) / sqrt(var + epsilon) along the named axes, or of all elements. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto standardise(O&& x, double epsilon = 0) {
  return make_normalisation<plan::NormaliseOp::standardise, Axis...>(std::forward<O>(x), "standardise", epsilon);
}

/// Layer normalisation (J. Ba, J. Kiros, G. Hinton, 2016) along the named axes, or the last one: standardised, with epsilon in the
/// variance. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...> && (rank_of<O> > 0)
auto layernorm(O&& x, double epsilon = 1e-5) {
  if constexpr (sizeof...(Axis) == 0) {
    return make_normalisation<plan::NormaliseOp::standardise, -1>(std::forward<O>(x), "layernorm", epsilon);
  } else {
    return make_normalisation<plan::NormaliseOp::standardise, Axis...>(std::forward<O>(x), "layernorm", epsilon);
  }
}

/// The same, then multiplied by `scale` and moved by `bias`, which broadcast against x.
export template <int... Axis, FloatingOperand O, Operand Scale, Operand Bias>
  requires ReducibleAxes<O, Axis...> && (rank_of<O> > 0) && FloatingOperands<O, Scale> && FloatingOperands<O, Bias>
auto layernorm(O&& x, Scale&& scale, Bias&& bias, double epsilon = 1e-5) {
  return layernorm<Axis...>(std::forward<O>(x), epsilon) * std::forward<Scale>(scale) + std::forward<Bias>(bias);
}

}  // namespace tessera
