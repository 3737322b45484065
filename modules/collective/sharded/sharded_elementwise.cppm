export module tessera.collective:sharded_elementwise;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :layout;
import :sharded;
import :shard_map;
import :sharded_operators;

// The elementwise functions on sharded arrays, by the names that they have for arrays: each rank computes its part alone. They take the same types and give the same
// bits.
namespace tessera {

// The names of operators.
#define TESSERA_ALIAS(named)                                                                              \
  export template <class A, class B>                                                                      \
    requires collective::ShardedOperands<A, B> && collective::TakesParts<collective::named##_parts, A, B> \
  auto named(const A& a, const B& b) {                                                                    \
    return shard_map(collective::named##_parts(), a, b);                                                  \
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

namespace collective {

#define TESSERA_OF_PARTS(named)                                                                                \
  struct named##_parts {                                                                                       \
    auto operator()(const auto&... x) const -> decltype(tessera::named(x...)) { return tessera::named(x...); } \
  };
TESSERA_OF_PARTS(floor_divide)
TESSERA_OF_PARTS(remainder)
TESSERA_OF_PARTS(maximum)
TESSERA_OF_PARTS(minimum)
TESSERA_OF_PARTS(copysign)
TESSERA_OF_PARTS(nextafter)
TESSERA_OF_PARTS(logical_and)
TESSERA_OF_PARTS(logical_or)
TESSERA_OF_PARTS(logical_xor)
TESSERA_OF_PARTS(logaddexp)
TESSERA_OF_PARTS(pow)
TESSERA_OF_PARTS(hypot)
TESSERA_OF_PARTS(atan2)
TESSERA_OF_PARTS(leaky_relu)
TESSERA_OF_PARTS(abs)
TESSERA_OF_PARTS(sign)
TESSERA_OF_PARTS(square)
TESSERA_OF_PARTS(reciprocal)
TESSERA_OF_PARTS(floor)
TESSERA_OF_PARTS(ceil)
TESSERA_OF_PARTS(trunc)
TESSERA_OF_PARTS(round)
TESSERA_OF_PARTS(isnan)
TESSERA_OF_PARTS(isinf)
TESSERA_OF_PARTS(isfinite)
TESSERA_OF_PARTS(signbit)
TESSERA_OF_PARTS(exp)
TESSERA_OF_PARTS(exp2)
TESSERA_OF_PARTS(expm1)
TESSERA_OF_PARTS(log)
TESSERA_OF_PARTS(log2)
TESSERA_OF_PARTS(log10)
TESSERA_OF_PARTS(log1p)
TESSERA_OF_PARTS(sqrt)
TESSERA_OF_PARTS(rsqrt)
TESSERA_OF_PARTS(cbrt)
TESSERA_OF_PARTS(sin)
TESSERA_OF_PARTS(cos)
TESSERA_OF_PARTS(tan)
TESSERA_OF_PARTS(asin)
TESSERA_OF_PARTS(acos)
TESSERA_OF_PARTS(atan)
TESSERA_OF_PARTS(sinh)
TESSERA_OF_PARTS(cosh)
TESSERA_OF_PARTS(tanh)
TESSERA_OF_PARTS(asinh)
TESSERA_OF_PARTS(acosh)
TESSERA_OF_PARTS(atanh)
TESSERA_OF_PARTS(degrees)
TESSERA_OF_PARTS(radians)
TESSERA_OF_PARTS(sigmoid)
TESSERA_OF_PARTS(relu)
TESSERA_OF_PARTS(silu)
TESSERA_OF_PARTS(softplus)
TESSERA_OF_PARTS(gelu)
TESSERA_OF_PARTS(erf)
TESSERA_OF_PARTS(erfc)
TESSERA_OF_PARTS(lgamma)
TESSERA_OF_PARTS(real)
TESSERA_OF_PARTS(imag)
TESSERA_OF_PARTS(conj)
TESSERA_OF_PARTS(angle)
TESSERA_OF_PARTS(where)
TESSERA_OF_PARTS(clip)
TESSERA_OF_PARTS(isclose)
#undef TESSERA_OF_PARTS

template <class T>
struct cast_parts {
  auto operator()(const auto& x) const -> decltype(tessera::cast<T>(x)) { return tessera::cast<T>(x); }
};

}  // namespace collective

#define TESSERA_TWO(named)                                                                                \
  export template <class A, class B>                                                                      \
    requires collective::ShardedOperands<A, B> && collective::TakesParts<collective::named##_parts, A, B> \
  auto named(const A& a, const B& b) {                                                                    \
    return shard_map(collective::named##_parts(), a, b);                                                  \
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

#define TESSERA_ONE(named)                                        \
  export template <ShardedOperand A>                              \
    requires collective::TakesParts<collective::named##_parts, A> \
  auto named(const A& x) {                                        \
    return shard_map(collective::named##_parts(), x);             \
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
#undef TESSERA_ONE

#define TESSERA_THREE(named)                                                                                    \
  export template <class A, class B, class C>                                                                   \
    requires collective::ShardedOperands<A, B, C> && collective::TakesParts<collective::named##_parts, A, B, C> \
  auto named(const A& a, const B& b, const C& c) {                                                              \
    return shard_map(collective::named##_parts(), a, b, c);                                                     \
  }
/// b where a is true, c elsewhere.
TESSERA_THREE(where)
/// a, but at least b and at most c; a bound may be `none`.
TESSERA_THREE(clip)
#undef TESSERA_THREE

/// Whether elements differ by at most absolute + relative * abs(b); NaN is close to NaN if `equal_nan`.
export template <class A, class B>
  requires collective::ShardedOperands<A, B> && collective::TakesParts<collective::isclose_parts, A, B>
auto isclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8, bool equal_nan = false) {
  return shard_map([=](const auto& x, const auto& y) { return tessera::isclose(x, y, relative, absolute, equal_nan); },
                   a, b);
}

/// The elements as another type, as cast<T> of arrays.
export template <class T, ShardedOperand A>
  requires collective::TakesParts<collective::cast_parts<T>, A>
auto cast(const A& x) {
  return shard_map(collective::cast_parts<T>(), x);
}

}  // namespace tessera
