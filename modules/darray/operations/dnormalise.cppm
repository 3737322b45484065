export module tessera.darray:dnormalise;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :dfunctions;
import :daxes;
import :dselect;

// Rows of dynamic operands changed by their own statistics: each is the function of its name for arrays, along axes that are known at run
// time.
namespace tessera {

namespace dynamic {

export DArray softmax(const DArray& x, const std::optional<DAxes>& axes);
export DArray log_softmax(const DArray& x, const std::optional<DAxes>& axes);
export DArray standardise(const DArray& x, const std::optional<DAxes>& axes, double epsilon, const char* operation);
/// Not rounded to 16 bits.
export DExpression standardised_operand(const DArray& x, const DAxes& axes, double epsilon);

}  // namespace dynamic

/// e^x / sum(e^x) along the named axes, or of all elements, without overflow. Throws DTypeError for elements that are not floating,
/// ShapeError over an empty axis, IndexError.
export template <DynamicOperand X>
DArray softmax(const X& x) {
  return dynamic::softmax(x, {});
}
export template <DynamicOperand X>
DArray softmax(const X& x, const DAxes& axes) {
  return dynamic::softmax(x, axes);
}

/// x - log(sum(e^x)) along the named axes, or of all elements; as softmax().
export template <DynamicOperand X>
DArray log_softmax(const X& x) {
  return dynamic::log_softmax(x, {});
}
export template <DynamicOperand X>
DArray log_softmax(const X& x, const DAxes& axes) {
  return dynamic::log_softmax(x, axes);
}

/// (x - mean) / sqrt(var + epsilon) along the named axes, or of all elements; as softmax().
export template <DynamicOperand X>
DArray standardise(const X& x) {
  return dynamic::standardise(x, {}, 0, "standardise");
}
export template <DynamicOperand X>
DArray standardise(const X& x, const DAxes& axes, double epsilon = 0) {
  return dynamic::standardise(x, axes, epsilon, "standardise");
}

/// Layer normalisation along the named axes, the last by default: standardised, with epsilon in the variance. Throws as softmax().
export template <DynamicOperand X>
DArray layernorm(const X& x, const DAxes& axes = -1, double epsilon = 1e-5) {
  return dynamic::standardise(x, axes, epsilon, "layernorm");
}

/// The same, then multiplied by `scale` and moved by `bias`, which broadcast against x.
export template <DynamicElements X, DynamicElements Scale, DynamicElements Bias>
  requires(DynamicOperand<X> || DynamicOperand<Scale> || DynamicOperand<Bias>)
DExpression layernorm(const X& x, const Scale& scale, const Bias& bias, const DAxes& axes = -1, double epsilon = 1e-5) {
  return dynamic::standardised_operand(x, axes, epsilon) * DArray(scale) + DArray(bias);
}

}  // namespace tessera
