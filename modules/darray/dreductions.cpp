module;
#include <limits>
#include <utility>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// What reductions need of the types of their operands.
namespace tessera {

DExpression as_averaged(DExpression x) {
  const bool has_mean = kind(x.dtype()) == Kind::floating || kind(x.dtype()) == Kind::complex;
  return has_mean ? std::move(x) : dynamic::cast(std::move(x), DType::float64);
}

namespace dynamic {

DExpression norm(const DExpression& x, NormOrder order, const ReducedAxes& axes) {
  switch (order) {
    case NormOrder::one: return reduce(Reduce::sum, abs(x), {axes});
    case NormOrder::two: return reduce(Reduce::norm, x, {axes});
    case NormOrder::infinity: return reduce(Reduce::maximum, abs(x), {axes});
    case NormOrder::minus_infinity: return reduce(Reduce::minimum, abs(x), {axes});
    case NormOrder::zero: break;
  }
  return reduce(Reduce::sum, cast(as_bool(x), x.dtype()), {axes});
}

DExpression norm(const DExpression& x, double p, const ReducedAxes& axes) {
  if (p == std::numeric_limits<double>::infinity()) return norm(x, NormOrder::infinity, axes);
  if (p == -std::numeric_limits<double>::infinity()) return norm(x, NormOrder::minus_infinity, axes);
  if (p == 0) return norm(x, NormOrder::zero, axes);
  return pow(reduce(Reduce::sum, DExpression(pow(abs(x), p)), {axes}), 1 / p);
}

}  // namespace dynamic

}  // namespace tessera
