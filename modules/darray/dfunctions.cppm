export module tessera.darray:dfunctions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :nodes;

// The operators and elementwise functions on dynamic operands, which may meet static arrays and scalars. Each is the function of its name for
// arrays: it takes the same types, gives the same and computes the same bits; what is a compile error there is a DTypeError here.
namespace tessera {

/// A dynamic array, or an expression of such.
export template <class X>
concept DynamicOperand = std::same_as<std::remove_cvref_t<X>, DArray> || std::same_as<std::remove_cvref_t<X>, DExpression> || DynamicTree<X>;

/// What may stand beside a dynamic operand: another one, a static array, view or expression, or a scalar.
export template <class X>
concept DynamicSource = DynamicOperand<X> || DScalar<std::remove_cvref_t<X>> || Elements<X> || ExpressionNode<X>;

/// Operands of which one is dynamic.
export template <class... X>
concept DynamicOperands = (DynamicSource<X> && ...) && (DynamicOperand<X> || ...);

// What an operand is in a tree.
inline DLeaf node_of(const DArray& array) { return {array}; }
inline DLeaf node_of(DArray&& array) { return {std::move(array)}; }
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
  return DMap<F, decltype(node_of(std::forward<X>(operands)))...>(F(), [&] { return node_of(std::forward<X>(operands)); }...);
}

// Operators and functions have one comment each, at the static ones.
#define TESSERA_OPERATOR(sign, named)                                     \
  struct D_##named {                                                      \
    static constexpr program::Name name = program::Name::named;           \
    static auto call(const auto& a, const auto& b) -> decltype(a sign b) { \
      return a sign b;                                                    \
    }                                                                     \
  };                                                                      \
  export template <class L, class R>                                      \
    requires DynamicOperands<L, R>                                        \
  auto operator sign(L&& a, R&& b) {                                      \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b));    \
  }
TESSERA_OPERATOR(+, add)
TESSERA_OPERATOR(-, subtract)
TESSERA_OPERATOR(*, multiply)
TESSERA_OPERATOR(/, divide)
TESSERA_OPERATOR(%, modulo)
TESSERA_OPERATOR(==, equal)
TESSERA_OPERATOR(!=, not_equal)
TESSERA_OPERATOR(<, less)
TESSERA_OPERATOR(<=, less_equal)
TESSERA_OPERATOR(>, greater)
TESSERA_OPERATOR(>=, greater_equal)
TESSERA_OPERATOR(&, bitwise_and)
TESSERA_OPERATOR(|, bitwise_or)
TESSERA_OPERATOR(^, bitwise_xor)
TESSERA_OPERATOR(<<, bitwise_left_shift)
TESSERA_OPERATOR(>>, bitwise_right_shift)
#undef TESSERA_OPERATOR

// The names of operators.
#define TESSERA_ALIAS(named)                                           \
  export template <class L, class R>                                   \
    requires DynamicOperands<L, R>                                     \
  auto named(L&& a, R&& b) {                                           \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b)); \
  }
TESSERA_ALIAS(add)
TESSERA_ALIAS(subtract)
TESSERA_ALIAS(multiply)
TESSERA_ALIAS(divide)
TESSERA_ALIAS(equal)
TESSERA_ALIAS(not_equal)
TESSERA_ALIAS(less)
TESSERA_ALIAS(less_equal)
TESSERA_ALIAS(greater)
TESSERA_ALIAS(greater_equal)
TESSERA_ALIAS(bitwise_and)
TESSERA_ALIAS(bitwise_or)
TESSERA_ALIAS(bitwise_xor)
TESSERA_ALIAS(bitwise_left_shift)
TESSERA_ALIAS(bitwise_right_shift)
#undef TESSERA_ALIAS

#define TESSERA_TWO(named)                                                           \
  struct D_##named {                                                                 \
    static constexpr program::Name name = program::Name::named;                      \
    static auto call(const auto& a, const auto& b) -> decltype(tessera::named(a, b)) { \
      return tessera::named(a, b);                                                   \
    }                                                                                \
  };                                                                                 \
  export template <class L, class R>                                                 \
    requires DynamicOperands<L, R>                                                   \
  auto named(L&& a, R&& b) {                                                         \
    return tree_of<D_##named>(std::forward<L>(a), std::forward<R>(b));               \
  }
TESSERA_TWO(floor_divide)
TESSERA_TWO(remainder)
TESSERA_TWO(maximum)
TESSERA_TWO(minimum)
TESSERA_TWO(copysign)
TESSERA_TWO(nextafter)
TESSERA_TWO(logical_and)
TESSERA_TWO(logical_or)
TESSERA_TWO(logical_xor)
TESSERA_TWO(logaddexp)
TESSERA_TWO(pow)
TESSERA_TWO(hypot)
TESSERA_TWO(atan2)
TESSERA_TWO(leaky_relu)
#undef TESSERA_TWO

#define TESSERA_ONE(named)                                             \
  struct D_##named {                                                   \
    static constexpr program::Name name = program::Name::named;        \
    static auto call(const auto& x) -> decltype(tessera::named(x)) {   \
      return tessera::named(x);                                        \
    }                                                                  \
  };                                                                   \
  export template <DynamicOperand X>                                   \
  auto named(X&& x) {                                                  \
    return tree_of<D_##named>(std::forward<X>(x));                     \
  }
TESSERA_ONE(negative)
TESSERA_ONE(abs)
TESSERA_ONE(sign)
TESSERA_ONE(square)
TESSERA_ONE(reciprocal)
TESSERA_ONE(floor)
TESSERA_ONE(ceil)
TESSERA_ONE(trunc)
TESSERA_ONE(round)
TESSERA_ONE(bitwise_invert)
TESSERA_ONE(logical_not)
TESSERA_ONE(isnan)
TESSERA_ONE(isinf)
TESSERA_ONE(isfinite)
TESSERA_ONE(signbit)
TESSERA_ONE(exp)
TESSERA_ONE(exp2)
TESSERA_ONE(expm1)
TESSERA_ONE(log)
TESSERA_ONE(log2)
TESSERA_ONE(log10)
TESSERA_ONE(log1p)
TESSERA_ONE(sqrt)
TESSERA_ONE(rsqrt)
TESSERA_ONE(cbrt)
TESSERA_ONE(sin)
TESSERA_ONE(cos)
TESSERA_ONE(tan)
TESSERA_ONE(asin)
TESSERA_ONE(acos)
TESSERA_ONE(atan)
TESSERA_ONE(sinh)
TESSERA_ONE(cosh)
TESSERA_ONE(tanh)
TESSERA_ONE(asinh)
TESSERA_ONE(acosh)
TESSERA_ONE(atanh)
TESSERA_ONE(degrees)
TESSERA_ONE(radians)
TESSERA_ONE(sigmoid)
TESSERA_ONE(relu)
TESSERA_ONE(silu)
TESSERA_ONE(softplus)
TESSERA_ONE(gelu)
TESSERA_ONE(erf)
TESSERA_ONE(erfc)
TESSERA_ONE(lgamma)
TESSERA_ONE(real)
TESSERA_ONE(imag)
TESSERA_ONE(conj)
TESSERA_ONE(angle)
export template <DynamicOperand X>
auto operator-(X&& x) {
  return negative(std::forward<X>(x));
}
export template <DynamicOperand X>
auto operator~(X&& x) {
  return bitwise_invert(std::forward<X>(x));
}
export template <DynamicOperand X>
auto operator!(X&& x) {
  return logical_not(std::forward<X>(x));
}
#undef TESSERA_ONE

/// x itself.
export template <DynamicOperand X>
DExpression operator+(X&& x) {
  return DExpression(x);
}
export template <DynamicOperand X>
DExpression positive(X&& x) {
  return DExpression(x);
}

/// x where it is above 0, 0.01 * x elsewhere.
export template <DynamicOperand X>
auto leaky_relu(X&& x) {
  return leaky_relu(std::forward<X>(x), 0.01);
}

struct D_where {
  static constexpr program::Name name = program::Name::where;
  static auto call(const auto& mask, const auto& a, const auto& b) -> decltype(tessera::where(mask, a, b)) { return tessera::where(mask, a, b); }
};
/// a where the condition is true, b elsewhere; all three broadcast. The condition is of bool, and the branches have a common type.
export template <class C, class A, class B>
  requires DynamicOperands<C, A, B> && (!DScalar<std::remove_cvref_t<C>>)
auto where(C&& condition, A&& a, B&& b) {
  return tree_of<D_where>(std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
}

/// x cut to [low, high], which are scalars, operands that broadcast, or `none` for no bound.
export template <DynamicOperand X, class Low, class High>
DExpression clip(X&& x, Low&& low, High&& high) {
  DExpression result(x);
  if constexpr (!std::same_as<std::remove_cvref_t<Low>, std::remove_cvref_t<decltype(none)>>) result = DExpression(maximum(std::move(result), std::forward<Low>(low)));
  if constexpr (!std::same_as<std::remove_cvref_t<High>, std::remove_cvref_t<decltype(none)>>) result = DExpression(minimum(std::move(result), std::forward<High>(high)));
  return result;
}

/// The elements converted. Every conversion is defined, as for arrays.
export template <DynamicOperand X>
DExpression cast(X&& x, DType to) {
  return program::cast(DExpression(x), to);
}
export template <Element T, DynamicOperand X>
DExpression cast(X&& x) {
  return program::cast(DExpression(x), dtype_of<T>);
}

// Compound operators write the elements, as everybody who shares them sees.
#define TESSERA_COMPOUND(sign)                                                                          \
  export template <class A, class R>                                                                    \
    requires std::same_as<std::remove_reference_t<A>, DArray> && DynamicSource<R>                       \
  A&& operator sign##=(A&& a, R&& b) {                                                                  \
    a.write(a sign std::forward<R>(b));                                                                 \
    return std::forward<A>(a);                                                                          \
  }
TESSERA_COMPOUND(+)
TESSERA_COMPOUND(-)
TESSERA_COMPOUND(*)
TESSERA_COMPOUND(/)
#undef TESSERA_COMPOUND

/// The values in new storage.
export DArray evaluate(const DExpression& expression);

}  // namespace tessera
