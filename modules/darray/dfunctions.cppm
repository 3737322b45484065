export module tessera.darray:dfunctions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;

// The operators and elementwise functions on dynamic operands, which may meet static arrays and scalars. Each is the function of its name for
// arrays: it takes the same types, gives the same and computes the same bits; what is a compile error there is a DTypeError here.
namespace tessera {

/// A dynamic array, or an expression of such.
export template <class X>
concept DynamicOperand = std::same_as<std::remove_cvref_t<X>, DArray> || std::same_as<std::remove_cvref_t<X>, DExpression>;

/// What may stand beside a dynamic operand: another one, a static array, view or expression, or a scalar.
export template <class X>
concept DynamicSource = DynamicOperand<X> || DScalar<std::remove_cvref_t<X>> || Elements<X> || ExpressionNode<X>;

/// Operands of which one is dynamic.
export template <class... X>
concept DynamicOperands = (DynamicSource<X> && ...) && (DynamicOperand<X> || ...);

// What an operand is for a function.
inline program::OperandOf operand_of(const DArray& array) { return DExpression(array.leaf()); }
inline program::OperandOf operand_of(const DExpression& expression) { return expression; }
inline program::OperandOf operand_of(DExpression&& expression) { return std::move(expression); }
template <DScalar S>
program::OperandOf operand_of(const S& scalar) {
  return scalar_operand(scalar);
}
template <class O>
  requires Elements<O> || ExpressionNode<O>
program::OperandOf operand_of(const O& operand) {
  return operand_of(DArray(operand));
}

/// The function applied.
DExpression applied(program::Name name, program::OperandOf a);
DExpression applied(program::Name name, program::OperandOf a, program::OperandOf b);
DExpression applied(program::Name name, program::OperandOf a, program::OperandOf b, program::OperandOf c);

// Operators and functions have one comment each, at the static ones.
#define TESSERA_TWO(function, name)                                                                                \
  export template <class L, class R>                                                                               \
    requires DynamicOperands<L, R>                                                                                 \
  DExpression function(L&& a, R&& b) {                                                                             \
    return applied(program::Name::name, operand_of(std::forward<L>(a)), operand_of(std::forward<R>(b))); \
  }
TESSERA_TWO(operator+, add)
TESSERA_TWO(operator-, subtract)
TESSERA_TWO(operator*, multiply)
TESSERA_TWO(operator/, divide)
TESSERA_TWO(operator%, modulo)
TESSERA_TWO(operator==, equal)
TESSERA_TWO(operator!=, not_equal)
TESSERA_TWO(operator<, less)
TESSERA_TWO(operator<=, less_equal)
TESSERA_TWO(operator>, greater)
TESSERA_TWO(operator>=, greater_equal)
TESSERA_TWO(operator&, bitwise_and)
TESSERA_TWO(operator|, bitwise_or)
TESSERA_TWO(operator^, bitwise_xor)
TESSERA_TWO(operator<<, bitwise_left_shift)
TESSERA_TWO(operator>>, bitwise_right_shift)
TESSERA_TWO(add, add)
TESSERA_TWO(subtract, subtract)
TESSERA_TWO(multiply, multiply)
TESSERA_TWO(divide, divide)
TESSERA_TWO(floor_divide, floor_divide)
TESSERA_TWO(remainder, remainder)
TESSERA_TWO(maximum, maximum)
TESSERA_TWO(minimum, minimum)
TESSERA_TWO(copysign, copysign)
TESSERA_TWO(nextafter, nextafter)
TESSERA_TWO(equal, equal)
TESSERA_TWO(not_equal, not_equal)
TESSERA_TWO(less, less)
TESSERA_TWO(less_equal, less_equal)
TESSERA_TWO(greater, greater)
TESSERA_TWO(greater_equal, greater_equal)
TESSERA_TWO(bitwise_and, bitwise_and)
TESSERA_TWO(bitwise_or, bitwise_or)
TESSERA_TWO(bitwise_xor, bitwise_xor)
TESSERA_TWO(bitwise_left_shift, bitwise_left_shift)
TESSERA_TWO(bitwise_right_shift, bitwise_right_shift)
TESSERA_TWO(logical_and, logical_and)
TESSERA_TWO(logical_or, logical_or)
TESSERA_TWO(logical_xor, logical_xor)
TESSERA_TWO(logaddexp, logaddexp)
TESSERA_TWO(pow, pow)
TESSERA_TWO(hypot, hypot)
TESSERA_TWO(atan2, atan2)
TESSERA_TWO(leaky_relu, leaky_relu)
#undef TESSERA_TWO

#define TESSERA_ONE(function, name)                                           \
  export template <DynamicOperand X>                                          \
  DExpression function(X&& x) {                                               \
    return applied(program::Name::name, operand_of(std::forward<X>(x))); \
  }
TESSERA_ONE(operator-, negative)
TESSERA_ONE(operator~, bitwise_invert)
TESSERA_ONE(operator!, logical_not)
TESSERA_ONE(negative, negative)
TESSERA_ONE(abs, abs)
TESSERA_ONE(sign, sign)
TESSERA_ONE(square, square)
TESSERA_ONE(reciprocal, reciprocal)
TESSERA_ONE(floor, floor)
TESSERA_ONE(ceil, ceil)
TESSERA_ONE(trunc, trunc)
TESSERA_ONE(round, round)
TESSERA_ONE(bitwise_invert, bitwise_invert)
TESSERA_ONE(logical_not, logical_not)
TESSERA_ONE(isnan, isnan)
TESSERA_ONE(isinf, isinf)
TESSERA_ONE(isfinite, isfinite)
TESSERA_ONE(signbit, signbit)
TESSERA_ONE(exp, exp)
TESSERA_ONE(exp2, exp2)
TESSERA_ONE(expm1, expm1)
TESSERA_ONE(log, log)
TESSERA_ONE(log2, log2)
TESSERA_ONE(log10, log10)
TESSERA_ONE(log1p, log1p)
TESSERA_ONE(sqrt, sqrt)
TESSERA_ONE(rsqrt, rsqrt)
TESSERA_ONE(cbrt, cbrt)
TESSERA_ONE(sin, sin)
TESSERA_ONE(cos, cos)
TESSERA_ONE(tan, tan)
TESSERA_ONE(asin, asin)
TESSERA_ONE(acos, acos)
TESSERA_ONE(atan, atan)
TESSERA_ONE(sinh, sinh)
TESSERA_ONE(cosh, cosh)
TESSERA_ONE(tanh, tanh)
TESSERA_ONE(asinh, asinh)
TESSERA_ONE(acosh, acosh)
TESSERA_ONE(atanh, atanh)
TESSERA_ONE(degrees, degrees)
TESSERA_ONE(radians, radians)
TESSERA_ONE(sigmoid, sigmoid)
TESSERA_ONE(relu, relu)
TESSERA_ONE(silu, silu)
TESSERA_ONE(softplus, softplus)
TESSERA_ONE(gelu, gelu)
TESSERA_ONE(erf, erf)
TESSERA_ONE(erfc, erfc)
TESSERA_ONE(lgamma, lgamma)
TESSERA_ONE(real, real)
TESSERA_ONE(imag, imag)
TESSERA_ONE(conj, conj)
TESSERA_ONE(angle, angle)
#undef TESSERA_ONE

/// x itself.
export template <DynamicOperand X>
DExpression operator+(X&& x) {
  return DExpression(std::forward<X>(x));
}
export template <DynamicOperand X>
DExpression positive(X&& x) {
  return DExpression(std::forward<X>(x));
}

/// x where it is above 0, 0.01 * x elsewhere.
export template <DynamicOperand X>
DExpression leaky_relu(X&& x) {
  return leaky_relu(std::forward<X>(x), 0.01);
}

/// a where the condition is true, b elsewhere; all three broadcast. Throws DTypeError if the condition is not of bool, or the branches have no common type.
export template <class C, class A, class B>
  requires DynamicOperands<C, A, B> && (!DScalar<std::remove_cvref_t<C>>)
DExpression where(C&& condition, A&& a, B&& b) {
  return applied(program::Name::where, operand_of(std::forward<C>(condition)), operand_of(std::forward<A>(a)), operand_of(std::forward<B>(b)));
}

/// x cut to [low, high], which are scalars, operands that broadcast, or `none` for no bound.
export template <DynamicOperand X, class Low, class High>
DExpression clip(X&& x, Low&& low, High&& high) {
  DExpression result(std::forward<X>(x));
  if constexpr (!std::same_as<std::remove_cvref_t<Low>, std::remove_cvref_t<decltype(none)>>) result = maximum(std::move(result), std::forward<Low>(low));
  if constexpr (!std::same_as<std::remove_cvref_t<High>, std::remove_cvref_t<decltype(none)>>) result = minimum(std::move(result), std::forward<High>(high));
  return result;
}

/// The elements converted. Every conversion is defined, as for arrays.
export template <DynamicOperand X>
DExpression cast(X&& x, DType to) {
  return program::cast(DExpression(std::forward<X>(x)), to);
}
export template <Element T, DynamicOperand X>
DExpression cast(X&& x) {
  return program::cast(DExpression(std::forward<X>(x)), dtype_of<T>);
}

// Compound operators write the elements, as everybody who shares them sees.
#define TESSERA_COMPOUND(sign)                                   \
  export template <class R>                                      \
    requires DynamicSource<R>                                    \
  DArray& operator sign##=(DArray& a, R&& b) {                   \
    a.write(a sign std::forward<R>(b));                          \
    return a;                                                    \
  }                                                              \
  export template <class R>                                      \
    requires DynamicSource<R>                                    \
  void operator sign##=(DArray&& a, R&& b) {                     \
    a.write(a sign std::forward<R>(b));                          \
  }
TESSERA_COMPOUND(+)
TESSERA_COMPOUND(-)
TESSERA_COMPOUND(*)
TESSERA_COMPOUND(/)
#undef TESSERA_COMPOUND

/// The values in new storage.
export DArray evaluate(const DExpression& expression);

}  // namespace tessera
