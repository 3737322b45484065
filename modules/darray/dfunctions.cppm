export module tessera.darray:dfunctions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :nodes;

// The operators and elementwise functions on dynamic operands, which may meet static arrays and scalars. Each is the function of its
// name for arrays: it takes the same types, gives the same and computes the same bits; what is a compile error there is a DTypeError
// here.
namespace tessera {

/// What may stand beside a dynamic operand: another one, a static array, view or expression, or a scalar.
export template <class X>
concept DynamicSource = DynamicOperand<X> || DScalar<std::remove_cvref_t<X>> || Elements<X> || ExpressionNode<X>;

/// Operands of which one is dynamic.
export template <class... X>
concept DynamicOperands = (DynamicSource<X> && ...) && (DynamicOperand<X> || ...);

// What an operand is in a tree.
inline DLeaf node_of(const DArray& array) { return {array}; }
inline DLeaf node_of(DArray&& array) { return {std::move(array)}; }
DLeaf node_of(const DPicked& picked);
inline DUnknown node_of(const DExpression& expression) { return {expression}; }
inline DUnknown node_of(DExpression&& expression) { return {std::move(expression)}; }
template <DynamicTree Tree>
std::remove_cvref_t<Tree> node_of(Tree&& tree) {
  return std::forward<Tree>(tree);
}
template <DScalar S>
DScalarLeaf node_of(const S& scalar) {
  return {scalar_operand(scalar)};
}
template <class O>
  requires Elements<O> || ExpressionNode<O>
auto node_of(const O& operand) {
  using T = value_of<O>;
  if constexpr (ExpressionNode<O> && !std::same_as<compute_t<T>, T>) {
    Array<compute_t<T>, rank_of<O>> values;  // not rounded to 16 bits inside a larger expression
    values = operand;
    return DUnknown{DExpression(DArray(values).leaf(), dtype_of<T>)};
  } else {
    return DLeaf{DArray(operand)};
  }
}

/// The tree of F over operands.
template <class F, class... X>
auto tree_of(X&&... operands) {
  return DMap<F, decltype(node_of(std::forward<X>(operands)))...>(
      F(), [&] { return node_of(std::forward<X>(operands)); }...);
}

// Operators and functions have one comment each, at the static ones.
#define TESSERA_CALLED_OPERATOR(sign, named)                                                  \
  struct D_##named {                                                                          \
    static constexpr dynamic::Name name = dynamic::Name::named;                               \
    static auto call(const auto& a, const auto& b) -> decltype(a sign b) { return a sign b; } \
  };
TESSERA_CALLED_OPERATOR(+, add)
TESSERA_CALLED_OPERATOR(-, subtract)
TESSERA_CALLED_OPERATOR(*, multiply)
TESSERA_CALLED_OPERATOR(/, divide)
TESSERA_CALLED_OPERATOR(%, modulo)
TESSERA_CALLED_OPERATOR(==, equal)
TESSERA_CALLED_OPERATOR(!=, not_equal)
TESSERA_CALLED_OPERATOR(<, less)
TESSERA_CALLED_OPERATOR(<=, less_equal)
TESSERA_CALLED_OPERATOR(>, greater)
TESSERA_CALLED_OPERATOR(>=, greater_equal)
TESSERA_CALLED_OPERATOR(&, bitwise_and)
TESSERA_CALLED_OPERATOR(|, bitwise_or)
TESSERA_CALLED_OPERATOR(^, bitwise_xor)
TESSERA_CALLED_OPERATOR(<<, bitwise_left_shift)
TESSERA_CALLED_OPERATOR(>>, bitwise_right_shift)
#undef TESSERA_CALLED_OPERATOR

#define TESSERA_OPERATOR(sign, named)                                  \
  export template <class L, class R>                                   \
    requires DynamicOperands<L, R>                                     \
  auto operator sign(L&& a, R&& b) {                                   \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b)); \
  }
/// Sum; integers wrap.
TESSERA_OPERATOR(+, add)
/// Difference; integers wrap.
TESSERA_OPERATOR(-, subtract)
/// Product of elements; integers wrap. dot() and matmul() are those of matrices.
TESSERA_OPERATOR(*, multiply)
/// Quotient; for integers truncated as in C++, x / 0 is 0 and the lowest value divided by -1 wraps to itself.
TESSERA_OPERATOR(/, divide)
/// Remainder of the truncated quotient, with the sign of a, as in C++; x % 0 is 0. remainder(a, b) has the sign of b.
TESSERA_OPERATOR(%, modulo)
/// True where a == b; NaN equals nothing.
TESSERA_OPERATOR(==, equal)
/// True where a != b; NaN differs from everything.
TESSERA_OPERATOR(!=, not_equal)
/// True where a < b; NaN has no order.
TESSERA_OPERATOR(<, less)
/// True where a <= b; NaN has no order.
TESSERA_OPERATOR(<=, less_equal)
/// True where a > b; NaN has no order.
TESSERA_OPERATOR(>, greater)
/// True where a >= b; NaN has no order.
TESSERA_OPERATOR(>=, greater_equal)
/// The bits that both have; of bool, and.
TESSERA_OPERATOR(&, bitwise_and)
/// The bits that one of them has or both; of bool, or.
TESSERA_OPERATOR(|, bitwise_or)
/// The bits that one of them has and the other has not; of bool, either or.
TESSERA_OPERATOR(^, bitwise_xor)
/// Shift; by the width of the type or more, or by a negative number, everything is shifted out (>> leaves the sign).
TESSERA_OPERATOR(<<, bitwise_left_shift)
/// Shift to lower bits, of signed integers with copies of the sign; by the width of the type or more, or by a negative number, only the
/// sign is left.
TESSERA_OPERATOR(>>, bitwise_right_shift)
#undef TESSERA_OPERATOR

/// Text, and any other pointer: an array of rank 0 converts to its value, and a value and a pointer would add.
template <class X>
concept AddressBesideOperand = std::convertible_to<X, const volatile void*>;

// clang-format off
/// Not for dynamic operands.
export template <class L, class R>
  requires (DynamicOperand<L> && (DynamicSource<R> || std::convertible_to<R, bool>)) || (DynamicOperand<R> && (DynamicSource<L> || std::convertible_to<L, bool>))
void operator&&(L&&, R&&) = delete;  // && asks for one truth value: write a & b for elements, or all_of(a) & all_of(b)
/// Not for dynamic operands.
export template <class L, class R>
  requires (DynamicOperand<L> && (DynamicSource<R> || std::convertible_to<R, bool>)) || (DynamicOperand<R> && (DynamicSource<L> || std::convertible_to<L, bool>))
void operator||(L&&, R&&) = delete;  // || asks for one truth value: write a | b for elements, or any(a) | any(b)
/// Not for pointers.
export template <class L, class R>
  requires (DynamicOperand<L> && AddressBesideOperand<R>) || (DynamicOperand<R> && AddressBesideOperand<L>)
void operator+(L&&, R&&) = delete;  // text and pointers are no operands of arrays: to_string(x) + "text"
/// Not for pointers.
export template <class L, class R>
  requires (DynamicOperand<L> && AddressBesideOperand<R>) || (DynamicOperand<R> && AddressBesideOperand<L>)
void operator-(L&&, R&&) = delete;  // text and pointers are no operands of arrays
// clang-format on

// The names of operators.
#define TESSERA_ALIAS(named)                                           \
  export template <class L, class R>                                   \
    requires DynamicOperands<L, R>                                     \
  auto named(L&& a, R&& b) {                                           \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b)); \
  }
/// a + b.
TESSERA_ALIAS(add)
/// a - b.
TESSERA_ALIAS(subtract)
/// a * b.
TESSERA_ALIAS(multiply)
/// a / b, truncated for integers.
TESSERA_ALIAS(divide)
/// True where a equals b; NaN equals nothing.
TESSERA_ALIAS(equal)
/// True where a differs from b; NaN differs from everything.
TESSERA_ALIAS(not_equal)
/// True where a is below b.
TESSERA_ALIAS(less)
/// True where a is not above b.
TESSERA_ALIAS(less_equal)
/// True where a is above b.
TESSERA_ALIAS(greater)
/// True where a is not below b.
TESSERA_ALIAS(greater_equal)
/// a & b.
TESSERA_ALIAS(bitwise_and)
/// a | b.
TESSERA_ALIAS(bitwise_or)
/// a ^ b.
TESSERA_ALIAS(bitwise_xor)
/// a << b.
TESSERA_ALIAS(bitwise_left_shift)
/// a >> b.
TESSERA_ALIAS(bitwise_right_shift)
#undef TESSERA_ALIAS

#define TESSERA_CALLED_TWO(named)                                                                                     \
  struct D_##named {                                                                                                  \
    static constexpr dynamic::Name name = dynamic::Name::named;                                                       \
    static auto call(const auto& a, const auto& b) -> decltype(tessera::named(a, b)) { return tessera::named(a, b); } \
  };
TESSERA_CALLED_TWO(floor_divide)
TESSERA_CALLED_TWO(remainder)
TESSERA_CALLED_TWO(maximum)
TESSERA_CALLED_TWO(minimum)
TESSERA_CALLED_TWO(copysign)
TESSERA_CALLED_TWO(nextafter)
TESSERA_CALLED_TWO(logical_and)
TESSERA_CALLED_TWO(logical_or)
TESSERA_CALLED_TWO(logical_xor)
TESSERA_CALLED_TWO(logaddexp)
TESSERA_CALLED_TWO(pow)
TESSERA_CALLED_TWO(hypot)
TESSERA_CALLED_TWO(atan2)
TESSERA_CALLED_TWO(leaky_relu)
#undef TESSERA_CALLED_TWO

#define TESSERA_TWO(named)                                             \
  export template <class L, class R>                                   \
    requires DynamicOperands<L, R>                                     \
  auto named(L&& a, R&& b) {                                           \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b)); \
  }
/// The quotient rounded down.
TESSERA_TWO(floor_divide)
/// a - b * floor_divide(a, b), with the sign of b, as Python's %.
TESSERA_TWO(remainder)
/// The larger of two elements; NaN if one of them is.
TESSERA_TWO(maximum)
/// The smaller of two elements; NaN if one of them is.
TESSERA_TWO(minimum)
/// a with the sign of b.
TESSERA_TWO(copysign)
/// The number next to a in its type, towards b; b where they are equal.
TESSERA_TWO(nextafter)
/// True where both are.
TESSERA_TWO(logical_and)
/// True where one of them or both are.
TESSERA_TWO(logical_or)
/// True where one of them is, but not both.
TESSERA_TWO(logical_xor)
/// log(e^a + e^b) without overflow between.
TESSERA_TWO(logaddexp)
/// a to the power b; x^0 is 1.
TESSERA_TWO(pow)
/// sqrt(a^2 + b^2) without overflow between.
TESSERA_TWO(hypot)
/// Angle of the point (b, a), in [-pi, pi].
TESSERA_TWO(atan2)
/// x where it is above 0, slope * x elsewhere.
TESSERA_TWO(leaky_relu)
#undef TESSERA_TWO

#define TESSERA_CALLED_ONE(named)                                                                \
  struct D_##named {                                                                             \
    static constexpr dynamic::Name name = dynamic::Name::named;                                  \
    static auto call(const auto& x) -> decltype(tessera::named(x)) { return tessera::named(x); } \
  };
TESSERA_CALLED_ONE(negative)
TESSERA_CALLED_ONE(abs)
TESSERA_CALLED_ONE(sign)
TESSERA_CALLED_ONE(square)
TESSERA_CALLED_ONE(reciprocal)
TESSERA_CALLED_ONE(floor)
TESSERA_CALLED_ONE(ceil)
TESSERA_CALLED_ONE(trunc)
TESSERA_CALLED_ONE(round)
TESSERA_CALLED_ONE(bitwise_invert)
TESSERA_CALLED_ONE(logical_not)
TESSERA_CALLED_ONE(isnan)
TESSERA_CALLED_ONE(isinf)
TESSERA_CALLED_ONE(isfinite)
TESSERA_CALLED_ONE(signbit)
TESSERA_CALLED_ONE(exp)
TESSERA_CALLED_ONE(exp2)
TESSERA_CALLED_ONE(expm1)
TESSERA_CALLED_ONE(log)
TESSERA_CALLED_ONE(log2)
TESSERA_CALLED_ONE(log10)
TESSERA_CALLED_ONE(log1p)
TESSERA_CALLED_ONE(sqrt)
TESSERA_CALLED_ONE(rsqrt)
TESSERA_CALLED_ONE(cbrt)
TESSERA_CALLED_ONE(sin)
TESSERA_CALLED_ONE(cos)
TESSERA_CALLED_ONE(tan)
TESSERA_CALLED_ONE(asin)
TESSERA_CALLED_ONE(acos)
TESSERA_CALLED_ONE(atan)
TESSERA_CALLED_ONE(sinh)
TESSERA_CALLED_ONE(cosh)
TESSERA_CALLED_ONE(tanh)
TESSERA_CALLED_ONE(asinh)
TESSERA_CALLED_ONE(acosh)
TESSERA_CALLED_ONE(atanh)
TESSERA_CALLED_ONE(degrees)
TESSERA_CALLED_ONE(radians)
TESSERA_CALLED_ONE(sigmoid)
TESSERA_CALLED_ONE(relu)
TESSERA_CALLED_ONE(silu)
TESSERA_CALLED_ONE(softplus)
TESSERA_CALLED_ONE(gelu)
TESSERA_CALLED_ONE(erf)
TESSERA_CALLED_ONE(erfc)
TESSERA_CALLED_ONE(lgamma)
TESSERA_CALLED_ONE(real)
TESSERA_CALLED_ONE(imag)
TESSERA_CALLED_ONE(conj)
TESSERA_CALLED_ONE(angle)
#undef TESSERA_CALLED_ONE

#define TESSERA_ONE(named)                         \
  export template <DynamicOperand X>               \
  auto named(X&& x) {                              \
    return tree_of<D_##named>(std::forward<X>(x)); \
  }
/// -x.
TESSERA_ONE(negative)
/// Magnitude, of complex elements in the type of their parts; the lowest integer of a signed type stays itself.
TESSERA_ONE(abs)
/// -1, 0 or 1; -0 gives 0, NaN stays NaN.
TESSERA_ONE(sign)
/// x * x.
TESSERA_ONE(square)
/// 1 / x.
TESSERA_ONE(reciprocal)
/// Largest integer not above x.
TESSERA_ONE(floor)
/// Smallest integer not below x.
TESSERA_ONE(ceil)
/// x without its fraction.
TESSERA_ONE(trunc)
/// Nearest integer, ties to even.
TESSERA_ONE(round)
/// ~a; of bool it is !a.
TESSERA_ONE(bitwise_invert)
/// True where x is not.
TESSERA_ONE(logical_not)
/// True where x is NaN.
TESSERA_ONE(isnan)
/// True where x is infinite.
TESSERA_ONE(isinf)
/// True where x is neither infinite nor NaN.
TESSERA_ONE(isfinite)
/// True where the sign of x is negative: below 0, and for -0 and NaN with that sign.
TESSERA_ONE(signbit)
/// e^x.
TESSERA_ONE(exp)
/// 2^x.
TESSERA_ONE(exp2)
/// e^x - 1, accurate near 0.
TESSERA_ONE(expm1)
/// Natural logarithm; -inf at 0, NaN below.
TESSERA_ONE(log)
/// Logarithm to base 2.
TESSERA_ONE(log2)
/// Logarithm to base 10.
TESSERA_ONE(log10)
/// log(1 + x), accurate near 0.
TESSERA_ONE(log1p)
/// Square root; NaN below 0.
TESSERA_ONE(sqrt)
/// 1 / sqrt(x), rounded twice; inf at 0, NaN below.
TESSERA_ONE(rsqrt)
/// Cube root.
TESSERA_ONE(cbrt)
/// Sine.
TESSERA_ONE(sin)
/// Cosine.
TESSERA_ONE(cos)
/// Tangent.
TESSERA_ONE(tan)
/// Inverse sine, in [-pi/2, pi/2]; NaN outside of [-1, 1].
TESSERA_ONE(asin)
/// Inverse cosine, in [0, pi]; NaN outside of [-1, 1].
TESSERA_ONE(acos)
/// Inverse tangent, in [-pi/2, pi/2].
TESSERA_ONE(atan)
/// Hyperbolic sine.
TESSERA_ONE(sinh)
/// Hyperbolic cosine.
TESSERA_ONE(cosh)
/// Hyperbolic tangent.
TESSERA_ONE(tanh)
/// Inverse hyperbolic sine.
TESSERA_ONE(asinh)
/// Inverse hyperbolic cosine; NaN below 1.
TESSERA_ONE(acosh)
/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.
TESSERA_ONE(atanh)
/// x radians in degrees.
TESSERA_ONE(degrees)
/// x degrees in radians.
TESSERA_ONE(radians)
/// 1 / (1 + e^-x), the logistic function.
TESSERA_ONE(sigmoid)
/// x where it is above 0, 0 elsewhere; NaN stays NaN.
TESSERA_ONE(relu)
/// x * sigmoid(x), also called swish; 0 at -inf.
TESSERA_ONE(silu)
/// log(1 + e^x), without overflow.
TESSERA_ONE(softplus)
/// x * (1 + erf(x / sqrt(2))) / 2, the exact Gaussian error linear unit; 0 at -inf.
TESSERA_ONE(gelu)
/// Error function.
TESSERA_ONE(erf)
/// 1 - erf(x), accurate where that is small.
TESSERA_ONE(erfc)
/// Logarithm of the magnitude of the gamma function; infinite at 0 and the negative integers.
TESSERA_ONE(lgamma)
/// Real part, of the type of the parts; x itself for real elements.
TESSERA_ONE(real)
/// Imaginary part, of the type of the parts; 0 for real elements.
TESSERA_ONE(imag)
/// x with the sign of the imaginary part changed; x itself for real elements.
TESSERA_ONE(conj)
/// Angle of x in the complex plane, in [-pi, pi] radians; 0 or pi for real elements.
TESSERA_ONE(angle)
/// -x.
export template <DynamicOperand X>
auto operator-(X&& x) {
  return negative(std::forward<X>(x));
}
/// Each bit inverted.
export template <DynamicOperand X>
auto operator~(X&& x) {
  return bitwise_invert(std::forward<X>(x));
}
/// True where x is false.
export template <DynamicOperand X>
auto operator!(X&& x) {
  return logical_not(std::forward<X>(x));
}
#undef TESSERA_ONE

/// x itself, which is not bool.
inline DExpression numbers_of(DExpression x) {
  if (x.dtype() != DType::boolean) return x;
  throw DTypeError(to_string(Failure{
      .operation = "positive", .problem = "it takes numbers, not bool", .advice = "convert them: cast(x, dtype)"}));
}
/// x itself. Throws DTypeError for bool.
export template <DynamicOperand X>
DExpression operator+(X&& x) {
  return numbers_of(DExpression(x));
}
/// x itself. Throws DTypeError for bool.
export template <DynamicOperand X>
DExpression positive(X&& x) {
  return numbers_of(DExpression(x));
}

/// x where it is above 0, 0.01 * x elsewhere.
export template <DynamicOperand X>
auto leaky_relu(X&& x) {
  return leaky_relu(std::forward<X>(x), 0.01);
}

struct D_where {
  static constexpr dynamic::Name name = dynamic::Name::where;
  static auto call(const auto& mask, const auto& a, const auto& b) -> decltype(tessera::where(mask, a, b)) {
    return tessera::where(mask, a, b);
  }
};
/// a where the condition is true, b elsewhere; all three broadcast. The condition is of bool, or one `bool` for all elements, and the branches have a
/// common type.
export template <class C, class A, class B>
  requires DynamicOperands<C, A, B> && (!DScalar<std::remove_cvref_t<C>> || std::same_as<std::remove_cvref_t<C>, bool>)
auto where(C&& condition, A&& a, B&& b) {
  return tree_of<D_where>(std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
}

template <class X>
concept DynamicBound = DynamicSource<X> || std::same_as<std::remove_cvref_t<X>, std::remove_cvref_t<decltype(none)>>;

/// x cut to [low, high], which are scalars, operands that broadcast, or `none` for no bound.
export template <DynamicOperand X, DynamicBound Low, DynamicBound High>
DExpression clip(X&& x, Low&& low, High&& high) {
  DExpression result(x);
  if constexpr (!std::same_as<std::remove_cvref_t<Low>, std::remove_cvref_t<decltype(none)>>)
    result = DExpression(maximum(std::move(result), std::forward<Low>(low)));
  if constexpr (!std::same_as<std::remove_cvref_t<High>, std::remove_cvref_t<decltype(none)>>)
    result = DExpression(minimum(std::move(result), std::forward<High>(high)));
  return result;
}

/// The elements converted. Every conversion is defined, as for arrays.
export template <DynamicOperand X>
DExpression cast(X&& x, DType to) {
  return dynamic::cast(DExpression(x), to);
}
export template <Element T, DynamicOperand X>
DExpression cast(X&& x) {
  return dynamic::cast(DExpression(x), dtype_of<T>);
}

// Compound operators write the elements, as everybody who shares them sees.
#define TESSERA_COMPOUND(sign)                                                    \
  export template <class A, class R>                                              \
    requires std::same_as<std::remove_reference_t<A>, DArray> && DynamicSource<R> \
  A&& operator sign## = (A && a, R && b) {                                        \
    a.write(a sign std::forward<R>(b));                                           \
    return std::forward<A>(a);                                                    \
  }
/// a = a + b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(+)
/// a = a - b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(-)
/// a = a * b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(*)
/// a = a / b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(/)
/// a = a % b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(%)
/// a = a & b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(&)
/// a = a | b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(|)
/// a = a ^ b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(^)
/// a = a << b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(<<)
/// a = a >> b for the elements, as everybody who shares them sees.
TESSERA_COMPOUND(>>)
#undef TESSERA_COMPOUND

/// The values in new storage.
export DArray evaluate(const DExpression& expression);

}  // namespace tessera
