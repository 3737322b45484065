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

// Reductions of dynamic operands along axes that are lists at run time. Each is the function of its name for arrays, with the same types and bits. It is computed at once,
// or by an op of the thread's Async scope.
namespace tessera {

/// The axes of a reduction: sum(x, 1), sum(x, {0, -1}). Negative ones count from the end.
export class DAxes {
 public:
  DAxes(int axis) : axes_{axis} {}
  DAxes(std::initializer_list<int> axes) : axes_(axes) {}
  explicit DAxes(std::span<const int> axes) : axes_(axes.begin(), axes.end()) {}

  inline std::span<const int> axes() const { return axes_; }

 private:
  std::vector<int> axes_;
};

using KeepAxes = std::remove_cvref_t<decltype(keepdims)>;

// Which axes are reduced: those of a list, or all.
inline program::ReducedAxes reduced(const DAxes& axes, bool keeps) { return {axes.axes(), false, keeps}; }
inline program::ReducedAxes reduced_all(bool keeps) { return {{}, true, keeps}; }

#define TESSERA_REDUCE(function, op)                                                     \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x) {                                                     \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced_all(false)});   \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, KeepAxes) {                                           \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced_all(true)});    \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, const DAxes& axes) {                                  \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced(axes, false)}); \
  }                                                                                      \
  export template <DynamicOperand X>                                                     \
  DExpression function(const X& x, const DAxes& axes, KeepAxes) {                        \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced(axes, true)});  \
  }
TESSERA_REDUCE(sum, sum)
TESSERA_REDUCE(prod, product)
TESSERA_REDUCE(min, minimum)
TESSERA_REDUCE(max, maximum)
TESSERA_REDUCE(argmin, argmin)
TESSERA_REDUCE(argmax, argmax)
TESSERA_REDUCE(any, any)
TESSERA_REDUCE(any_of, any)
TESSERA_REDUCE(all_of, all)
TESSERA_REDUCE(logsumexp, log_sum_exp)
TESSERA_REDUCE(norm, norm)
#undef TESSERA_REDUCE

/// The operand as it has a mean: integers and bool as float64.
DExpression as_averaged(DExpression x);

#define TESSERA_CONVERTED(function, op, convert)                                                  \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x) {                                                              \
    return program::reduce(program::Reduce::op, convert(DExpression(x)), {reduced_all(false)});   \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, KeepAxes) {                                                    \
    return program::reduce(program::Reduce::op, convert(DExpression(x)), {reduced_all(true)});    \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, const DAxes& axes) {                                           \
    return program::reduce(program::Reduce::op, convert(DExpression(x)), {reduced(axes, false)}); \
  }                                                                                               \
  export template <DynamicOperand X>                                                              \
  DExpression function(const X& x, const DAxes& axes, KeepAxes) {                                 \
    return program::reduce(program::Reduce::op, convert(DExpression(x)), {reduced(axes, true)});  \
  }
inline DExpression as_bool(DExpression x) { return program::cast(std::move(x), DType::boolean); }
TESSERA_CONVERTED(mean, mean, as_averaged)
TESSERA_CONVERTED(count_nonzero, sum, as_bool)
#undef TESSERA_CONVERTED

#define TESSERA_VARIANCE(function, op)                                                                                 \
  export template <DynamicOperand X>                                                                                   \
  DExpression function(const X& x, Correction correction = {}) {                                                       \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced_all(false), correction.value});               \
  }                                                                                                                    \
  export template <DynamicOperand X>                                                                                   \
  DExpression function(const X& x, KeepAxes, Correction correction = {}) {                                             \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced_all(true), correction.value});                \
  }                                                                                                                    \
  export template <DynamicOperand X>                                                                                   \
  DExpression function(const X& x, const DAxes& axes, Correction correction = {}) {                                    \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced(axes, false), correction.value});             \
  }                                                                                                                    \
  export template <DynamicOperand X>                                                                                   \
  DExpression function(const X& x, const DAxes& axes, KeepAxes, Correction correction = {}) {                          \
    return program::reduce(program::Reduce::op, DExpression(x), {reduced(axes, true), correction.value});              \
  }
TESSERA_VARIANCE(var, variance)
TESSERA_VARIANCE(stddev, deviation)
#undef TESSERA_VARIANCE

}  // namespace tessera
