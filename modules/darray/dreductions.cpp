module;
#include <limits>
#include <string>
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

namespace {

void require_floating(const DExpression& x) {
  if (kind(x.dtype()) == Kind::floating) return;
  throw DTypeError(to_string(Failure{
      .operation = "norm",
      .problem = "the elements are " + std::string(name(x.dtype())) + ", norms of other orders take floating ones",
      .advice = "convert them: cast(x, dtype); of complex ones, norm(abs(x), p)"}));
}

}  // namespace

DExpression norm(const DExpression& x, NormOrder order, const ReducedAxes& axes) {
  require_floating(x);
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
  require_floating(x);
  if (p == std::numeric_limits<double>::infinity()) return norm(x, NormOrder::infinity, axes);
  if (p == -std::numeric_limits<double>::infinity()) return norm(x, NormOrder::minus_infinity, axes);
  if (p == 0) return norm(x, NormOrder::zero, axes);
  const bool is_narrow = item_size(x.dtype()) == 2;  // its exponents would be rounded to 16 bits
  if (is_narrow) return cast(norm(cast(x, DType::float32), p, axes), x.dtype());
  return pow(reduce(Reduce::sum, DExpression(pow(abs(x), p)), {axes}), 1 / p);
}

}  // namespace dynamic

}  // namespace tessera
