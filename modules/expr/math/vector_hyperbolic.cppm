module;
#include <cstdint>
export module tessera.expr:vector_hyperbolic;
import tessera.standard;
import :vector_bits;
import :vector_exponential;
import :double_exponential;
import :double_logarithm;
import :vector_power;

// Hyperbolic sine and cosine of floats and doubles, and their inverse functions.
namespace tessera::math {

/// |x| = n ln 2 + r, sinh r = r + odd, cosh r = 1 + even, and half of cosh(n ln 2) and sinh(n ln 2): together they give sinh x and
/// cosh x by the theorems of addition. Halves, because sinh is finite for a little longer than e^x.
template <class C>
struct Hyperbolic {
  C r;
  C odd;
  C even;
  C cosine;
  C sine;
};

[[gnu::always_inline]] inline Hyperbolic<float> reduce_hyperbolic(float x) {
  const float magnitude = magnitude_of(x);
  const auto [r, n, shifted] = reduce_exponent<127>(magnitude > 89.5f ? 89.5f : magnitude);
  const float z = r * r;
  const float odd = 0x1.555556p-3f + z * (0x1.110fbep-7f + z * 0x1.a2e2dap-13f);
  const float even = 0x1p-1f + z * (0x1.5554e6p-5f + z * 0x1.6d4f2ap-10f);
  const float up = float_of((shifted - 2) << 23);                                // 2^(n - 2)
  const float down = n > 30 ? 0.0f : float_of((252 - (shifted & 0x1ff)) << 23);  // 2^(-n - 2)
  return {r, (r * z) * odd, z * even, up + down, up - down};
}

[[gnu::always_inline]] inline Hyperbolic<double> reduce_hyperbolic(double x) {
  const double magnitude = magnitude_of(x);
  const auto [r, rest, n, shifted] = reduce_exponent<1023>(magnitude > 710.5 ? 710.5 : magnitude);
  const double z = r * r;
  const double w = z * z;
  const double odd_low = 0x1.5555555555559p-3 + z * 0x1.111111110f627p-7;
  const double odd = odd_low + w * ((0x1.a01a01b0227a3p-13 + z * 0x1.71ddf7a815092p-19) + w * 0x1.af60051f2c9b4p-26);
  const double even_low = 0x1.000000000000cp-1 + z * 0x1.555555554fd5fp-5;
  const double even = even_low + w * ((0x1.6c16c18640d4bp-10 + z * 0x1.a01994f68e0fap-16) + w * 0x1.28b1c7823eadep-22);
  const double up = double_of((shifted - 2) << 52);
  const double down = n > 60 ? 0.0 : double_of((2044 - (shifted & 0xfff)) << 52);
  return {r, (r * z) * odd, z * even, up + down, up - down};
}

/// Hyperbolic sine; at most 2 ULP.
template <std::floating_point C>
[[gnu::always_inline]] inline C sinh(C x) {
  const auto [r, odd, even, cosine, sine] = reduce_hyperbolic(x);
  return with_sign(C(2) * (sine + (cosine * r + (cosine * odd + sine * even))), x);
}

/// Hyperbolic cosine; at most 2 ULP.
template <std::floating_point C>
[[gnu::always_inline]] inline C cosh(C x) {
  const auto [r, odd, even, cosine, sine] = reduce_hyperbolic(x);
  return C(2) * (cosine + (sine * r + (sine * odd + cosine * even)));
}

/// log x for x >= 1 with an error of 1e-9, for results that are rounded to float.
[[gnu::always_inline]] inline double rough_logarithm(double x) {
  constexpr std::uint64_t two_thirds = 0x3fe5555500000000, bias = std::uint64_t{1024} << 52;
  constexpr std::uint64_t fraction = 0x000fffffffffffff;
  const std::uint64_t bits = bits_of(x) + (bias - two_thirds);
  const double f = double_of((bits & fraction) + two_thirds) - 1.0;
  const double n = double_of(bits >> 52 | bits_of(0x1p+52)) - (0x1p+52 + 1024);
  return 0x1.62e42fefa39efp-1 * (n + f * log2_slope(f));
}

/// Inverse hyperbolic sine, through double; at most 1 ULP.
[[gnu::always_inline]] inline float asinh(float x) {
  const float magnitude = magnitude_of(x);
  const auto wide = static_cast<double>(magnitude);
  const auto far = static_cast<float>(rough_logarithm(wide + __builtin_elementwise_sqrt(wide * wide + 1.0)));
  const float near = magnitude - (magnitude * magnitude) * (magnitude * 0x1.555556p-3f);
  return magnitude < infinity ? with_sign(magnitude < 0x1p-10f ? near : far, x) : x;
}

/// Inverse hyperbolic cosine, through double; at most 1 ULP.
[[gnu::always_inline]] inline float acosh(float x) {
  const auto wide = static_cast<double>(x);
  const auto value = static_cast<float>(rough_logarithm(wide + __builtin_elementwise_sqrt(wide * wide - 1.0)));
  const float edge = x < 1 ? not_a_number : x;
  return x >= 1 && x < infinity ? value : edge;
}

/// Inverse hyperbolic tangent, through double; at most 1 ULP.
[[gnu::always_inline]] inline float atanh(float x) {
  const float magnitude = magnitude_of(x);
  const auto wide = static_cast<double>(magnitude);
  const auto far = static_cast<float>(0.5 * rough_logarithm((1.0 + wide) / (1.0 - wide)));
  const float near = magnitude + (magnitude * magnitude) * (magnitude * 0x1.555556p-2f);
  const float edge = magnitude == 1 ? infinity : not_a_number;
  return with_sign(magnitude < 1 ? (magnitude < 0x1p-10f ? near : far) : edge, x);
}

/// (asinh y / y - 1) / z for z = y^2 <= 0.2823; fit error 2.7e-18 of asinh y.
[[gnu::always_inline]] inline double area_sine_series(double z) {
  const double w = z * z;
  const double v = w * w;
  const double a = -0x1.555555555550cp-3 + z * 0x1.333333332a692p-4;
  const double b = -0x1.6db6db67d4641p-5 + z * 0x1.f1c71a76f8ccbp-6;
  const double c = -0x1.6e8b70cce7237p-6 + z * 0x1.1c4b99bf7451cp-6;
  const double d = -0x1.c954b6257651ep-7 + z * 0x1.7882f2ed9471bp-7;
  const double e = -0x1.354fba23c1b02p-7 + z * 0x1.d8efcecf3a532p-8;
  const double f = -0x1.1e8250502d1a1p-8 + z * 0x1.81834dc36c166p-10;
  return (a + w * b) + v * ((c + w * d) + v * (e + w * f));
}

/// Inverse hyperbolic sine; at most 2 ULP. Large numbers are halved under the logarithm, where their square would overflow.
[[gnu::always_inline]] inline double asinh(double x) {
  const double y = magnitude_of(x);
  const double z = y * y;
  const double near = y + (y * z) * area_sine_series(z);
  const bool large = y > 0x1p+28;
  const double root = __builtin_elementwise_sqrt(z + 1.0);
  const double sum = y + root;
  const double rest = large ? 0.0 : (root - sum) + y;
  const auto [f, n, exponent] = reduce_logarithm(large ? y : sum);
  const double scale = double_of(bits_of(1.0) - exponent);
  const double far = logarithm_of(f, large ? n + 1.0 : n, (rest * (large ? 0.0 : scale)) * (1.0 - f * (1.0 - f)));
  return y < endless ? with_sign(y < 0.53125 ? near : far, x) : x;
}

/// Inverse hyperbolic cosine; at most 2 ULP.
[[gnu::always_inline]] inline double acosh(double x) {
  const double t = x - 1.0;
  const bool large = x > 0x1p+28;
  const double root = __builtin_elementwise_sqrt(t * t + (t + t));
  const double sum = t + root;
  const double rest = large ? 0.0 : (root - sum) + t;
  const double value = log1p_of(large ? t : sum, rest) + (large ? 0x1.62e42fefa39efp-1 : 0.0);
  const double edge = x < 1 ? undefined : x;
  return x >= 1 && x < endless ? value : edge;
}

/// Inverse hyperbolic tangent; at most 2 ULP.
[[gnu::always_inline]] inline double atanh(double x) {
  const double y = magnitude_of(x);
  const double twice = y + y;
  const double value =
      0.5 * log1p_of(twice + (twice * y) / (1.0 - y), 0.0);  // of 2 y / (1 - y), of which 2 y is not rounded
  const double edge = y == 1 ? endless : undefined;
  return y < 1 ? (y == 0 ? x : with_sign(value, x)) : with_sign(edge, x);
}

}  // namespace tessera::math
