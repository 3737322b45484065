module;
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

}  // namespace tessera
