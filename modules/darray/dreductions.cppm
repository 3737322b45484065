module;
#include <cstddef>
export module tessera.darray:dreductions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :nodes;
import :dfunctions;
import :daxes;

// Reductions of dynamic operands along axes that are lists at run time. Each is the function of its name for arrays, with the same
// types and bits. It is computed at once, or by an op of the thread's Async scope.
namespace tessera {

using KeepAxes = std::remove_cvref_t<decltype(keepdims)>;

// Which axes are reduced: those of a list, or all.
inline dynamic::ReducedAxes reduced(const DAxes& axes, bool keeps) { return {axes.axes(), false, keeps}; }
inline dynamic::ReducedAxes reduced_all(bool keeps) { return {{}, true, keeps}; }

#define TESSERA_REDUCE(function, op)                                                     \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x) {                                                     \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced_all(false)});   \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, KeepAxes) {                                           \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced_all(true)});    \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, const DAxes& axes) {                                  \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced(axes, false)}); \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, const DAxes& axes, KeepAxes) {                        \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced(axes, true)});  \
  }
/// Sum along the named axes, or of all elements; integers and bool are summed in 64 bits. float16, bfloat16 and float are accumulated
/// in float with the error of pairwise summation.
TESSERA_REDUCE(sum, sum)
/// Product along the named axes, or of all elements; of integers in 64 bits.
TESSERA_REDUCE(prod, product)
/// Smallest element along the named axes, or of all; NaN if one is NaN.
TESSERA_REDUCE(min, minimum)
/// Largest element along the named axes, or of all; NaN if one is NaN.
TESSERA_REDUCE(max, maximum)
/// Position (int64) of the smallest element along one axis, or in row-major order of all elements; the first of equals, and the first
/// NaN if there is one.
TESSERA_REDUCE(argmin, argmin)
/// Position (int64) of the largest element; as argmin.
TESSERA_REDUCE(argmax, argmax)
/// Whether any element along the named axes, or of all, is true or not 0; false over nothing.
TESSERA_REDUCE(any, any)
/// As any; the counterpart of all_of.
TESSERA_REDUCE(any_of, any)
/// Whether all elements along the named axes, or of all, are true or not 0; true over nothing.
TESSERA_REDUCE(all_of, all)
/// log(sum(e^x)) along the named axes, or of all elements, without overflow, in one pass.
TESSERA_REDUCE(logsumexp, log_sum_exp)
/// Euclidean norm along the named axes, or of all elements; 0 over nothing.
TESSERA_REDUCE(norm, norm)
#undef TESSERA_REDUCE

/// The operand as it has a mean: integers and bool as float64.
DExpression as_averaged(DExpression x);

#define TESSERA_CONVERTED(function, op, convert)                                                  \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x) {                                                              \
    return dynamic::reduce(dynamic::Reduce::op, convert(DExpression(x)), {reduced_all(false)});   \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, KeepAxes) {                                                    \
    return dynamic::reduce(dynamic::Reduce::op, convert(DExpression(x)), {reduced_all(true)});    \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, const DAxes& axes) {                                           \
    return dynamic::reduce(dynamic::Reduce::op, convert(DExpression(x)), {reduced(axes, false)}); \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, const DAxes& axes, KeepAxes) {                                 \
    return dynamic::reduce(dynamic::Reduce::op, convert(DExpression(x)), {reduced(axes, true)});  \
  }
inline DExpression as_bool(DExpression x) { return dynamic::cast(std::move(x), DType::boolean); }
/// Mean along the named axes, or of all elements; of integers and bool it is double.
TESSERA_CONVERTED(mean, mean, as_averaged)
/// Number (int64) of elements along the named axes, or of all, that are true or not 0.
TESSERA_CONVERTED(count_nonzero, sum, as_bool)
#undef TESSERA_CONVERTED

// A correction is never written in braces, which are axes.
#define TESSERA_VARIANCE(function, op)                                                                     \
  export template <DynamicOperand X>                                                                       \
  DExpression function(const X& x) {                                                                       \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced_all(false), 0});                  \
  }                                                                                                        \
  export template <DynamicOperand X, std::same_as<Correction> C>                                           \
  DExpression function(const X& x, const C& correction) {                                                  \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced_all(false), correction.value});   \
  }                                                                                                        \
  export template <DynamicOperand X>                                                                       \
  DExpression function(const X& x, KeepAxes, Correction correction = {}) {                                 \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced_all(true), correction.value});    \
  }                                                                                                        \
  export template <DynamicOperand X>                                                                       \
  DExpression function(const X& x, const DAxes& axes, Correction correction = {}) {                        \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced(axes, false), correction.value}); \
  }                                                                                                        \
  export template <DynamicOperand X>                                                                       \
  DExpression function(const X& x, const DAxes& axes, KeepAxes, Correction correction = {}) {              \
    return dynamic::reduce(dynamic::Reduce::op, DExpression(x), {reduced(axes, true), correction.value});  \
  }
/// Variance along the named axes, or of all elements: the sum of squared distances from the mean, divided by their count less the
/// correction (infinite or NaN where nothing is left).
TESSERA_VARIANCE(var, variance)
/// Standard deviation: the square root of var.
TESSERA_VARIANCE(stddev, deviation)
#undef TESSERA_VARIANCE

namespace dynamic {

export DExpression norm(const DExpression& x, NormOrder order, const ReducedAxes& axes);
export DExpression norm(const DExpression& x, double p, const ReducedAxes& axes);

}  // namespace dynamic

/// Vector norms other than the Euclidean one along the named axes, or of all elements: sum of magnitudes, largest or smallest magnitude,
/// number of elements that are not 0. The extremes throw ShapeError over an empty axis.
export template <DynamicOperand X>
DExpression norm(const X& x, NormOrder order) {
  return dynamic::norm(DExpression(x), order, reduced_all(false));
}
export template <DynamicOperand X>
DExpression norm(const X& x, NormOrder order, const DAxes& axes) {
  return dynamic::norm(DExpression(x), order, reduced(axes, false));
}

/// The norm of exponent p, (sum |x|^p)^(1/p), and its limits, as of arrays: a number behind the operand is the exponent, axes are in
/// braces.
export template <DynamicOperand X, class P>
  requires std::is_arithmetic_v<P>
DExpression norm(const X& x, P p) {
  return dynamic::norm(DExpression(x), static_cast<double>(p), reduced_all(false));
}
export template <DynamicOperand X, class P>
  requires std::is_arithmetic_v<P>
DExpression norm(const X& x, P p, const DAxes& axes) {
  return dynamic::norm(DExpression(x), static_cast<double>(p), reduced(axes, false));
}

}  // namespace tessera
