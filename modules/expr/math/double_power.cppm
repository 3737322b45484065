module;
#include <math.h>

#include <cstdint>
export module tessera.expr:double_power;
import :vector_bits;
import :double_exponential;
import :double_logarithm;
import :range_guard;

// Powers of doubles: x^y = 2^(y log2 x), where the logarithm is the sum of two doubles, because its error is multiplied by up to 1024.
namespace tessera::math {

/// A number of more digits than a double has: high + low, where low is small beside high.
struct DoubleSum {
  double high;
  double low;
};

/// a * b without rounding, by fused multiplication.
[[gnu::always_inline]] inline DoubleSum exact_product(double a, double b) {
  const double high = a * b;
  return {high, __builtin_elementwise_fma(a, b, -high)};
}

/// n + log2(1 + f) = n + s (2 / ln 2) (1 + t) where s = f / (2 + f), t = s^2 / 3 + s^4 Q(s^2); error about 2^-63 of it.
[[gnu::always_inline]] inline DoubleSum log2_sum(double f, double n) {
  const double sum = 2.0 + f;
  const double inverse = 1.0 / sum;
  const double s = f * inverse;
  const auto [whole, below] = exact_product(s, sum);
  const double s_low = inverse * (((f - whole) - below) - s * (f - (sum - 2.0)));
  const auto [z, z_rounded] = exact_product(s, s);
  const double z_low = z_rounded + (s + s) * s_low;
  const double w = z * z;
  const double a = 0x1.999999999999ap-3 + z * 0x1.2492492492363p-3;
  const double b = 0x1.c71c71c747e9fp-4 + z * 0x1.745d172bc8e80p-4;
  const double c = 0x1.3b13ba5a7772ap-4 + z * 0x1.110f1c3cf0d6dp-4;
  const double d = (0x1.e2657dceb5495p-5 + z * 0x1.a508e60c60ce1p-5) + w * 0x1.eca2c68f1c920p-5;
  const double tail = z * (a + w * (b + w * (c + w * d)));
  constexpr double third = 0x1.5555555555555p-2, third_low = 0x1.5555555555555p-56;
  const double factor = third + tail;
  const double factor_low = ((third - factor) + tail) + third_low;
  const auto [t, t_rounded] = exact_product(z, factor);
  const double t_low = t_rounded + (z * factor_low + z_low * factor);
  constexpr double unit = 0x1.71547652b82fep+1, unit_low = 0x1.777d0ffda0d24p-55;
  const auto [p, p_rounded] = exact_product(s, unit);
  const double p_low = p_rounded + (s * unit_low + s_low * unit);
  const auto [q, q_rounded] = exact_product(p, t);
  const double q_low = q_rounded + (p * t_low + p_low * t);
  const double first = n + p;
  const double high = first + q;
  return {high, (((n - first) + p) + ((first - high) + q)) + (q_low + p_low)};
}

/// y (n + log2(1 + f)).
[[gnu::always_inline]] inline DoubleSum scaled_log2(double f, double n, double y) {
  const auto [high, low] = log2_sum(f, n);
  const auto [product, rounded] = exact_product(y, high);
  return {product, rounded + y * low};
}

/// 0 where y is an even integer, 1 where it is odd; otherwise something else.
[[gnu::always_inline]] inline double parity(double y) {
  const double magnitude = magnitude_of(y);
  const double bounded = magnitude > 0x1p+53 ? 0x1p+53 : magnitude;
  return magnitude_of(bounded - 2.0 * ((0.5 * bounded + 0x1p+52) - 0x1p+52));
}

/// `power` with the sign that a negative x gives it, NaN if it has no real power.
[[gnu::always_inline]] inline double signed_power(double power, double x, double parity_of_y) {
  const bool odd = parity_of_y == 1.0;
  const double positive = x < 0 && x > -endless && !odd && parity_of_y != 0 ? undefined : power;
  return double_of(bits_of(positive) | (odd ? bits_of(x) & sign_bit : 0u));
}

/// x^y as C's pow defines it for all special values; at most 2 ULP.
[[gnu::always_inline]] inline double pow(double x, double y, FullRange<true>) {
  constexpr double beyond = 0x1p+70;  // of every finite result; infinity times log2 1 would be NaN
  const double least = y < -beyond ? -beyond : y;
  const double exponent = least > beyond ? beyond : least;
  const double magnitude = magnitude_of(x);
  const bool subnormal = magnitude < smallest_normal;
  const auto [f, n, bits] = reduce_logarithm(subnormal ? magnitude * 0x1p+54 : magnitude);
  const auto [high, low] = scaled_log2(f, subnormal ? n - 54.0 : n, exponent);
  const double above = high < -1080.0 ? -1080.0 : high;
  const double bounded = above > 1025.0 ? 1025.0 : above;
  constexpr double to_biased = to_whole + 2046;
  const double shifted = bounded + to_biased;
  const double r = high == bounded ? (high - (shifted - to_biased)) + low : 0.0;
  const double value = scaled_power(bits_of(shifted), r, exp2_slope(r));
  const double extreme = (magnitude == 0) == (y < 0) ? endless : 0.0;
  const double power = magnitude == 0 || magnitude == endless ? extreme : value;
  const double known = x != x || y != y ? undefined : signed_power(power, x, parity(y));
  return y == 0 || x == 1 ? 1.0 : known;
}

/// Within range: x finite, normal, and positive unless y is an integer; the result far from subnormal and infinite.
[[gnu::always_inline]] inline double pow(double x, double y, FastRange<true>& guard) {
  const double magnitude = magnitude_of(x);
  const auto [f, n, bits] = reduce_logarithm(magnitude);
  const auto [high, low] = scaled_log2(f, n, y);
  constexpr double to_biased =
      to_whole + 1024;  // even as in the careful form, or halves would be rounded to another side
  const double shifted = high + to_biased;
  const double r = (high - (shifted - to_biased)) + low;
  const double scale = double_of((bits_of(shifted) - 1) << 52);
  const double power = scale + (scale * r) * exp2_slope(r);
  const double parity_of_y = parity(y);
  const bool odd = parity_of_y == 1.0;
  note_exponent(n, guard);
  guard.beyond |= !(magnitude_of(high) <= 960.0) || (x < 0 && parity_of_y != 0 && !odd);
  return double_of(bits_of(power) | (odd ? bits_of(x) & sign_bit : 0u));
}

// Without fused multiplication exact products take so many steps that the C library is faster.
[[gnu::always_inline]] inline double pow(double x, double y) { return ::pow(x, y); }
template <template <bool> class Range>
[[gnu::always_inline]] inline double pow(double x, double y, const Range<false>&) {
  return ::pow(x, y);
}

}  // namespace tessera::math
