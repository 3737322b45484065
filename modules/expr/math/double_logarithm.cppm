module;
#include <cstdint>
export module tessera.expr:double_logarithm;
import :vector_bits;
import :double_exponential;
import :range_guard;

// Logarithms of doubles. With s = f / (2 + f), log(1 + f) = 2 s + s^3 R(s^2) converges twice as fast as a series in f; how the terms are
// put together so that f itself is not rounded is that of FreeBSD's msun (Sun Microsystems, 1993).
namespace tessera::math {

/// x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)]; x is positive and normal.
struct DoubleLogarithm {
  double f;
  double n;
  std::uint64_t exponent;  // n in the bits of a double's exponent
};

[[gnu::always_inline]] inline DoubleLogarithm reduce_logarithm(double x) {
  constexpr std::uint64_t least = 0x3fe6a09e00000000, bias = std::uint64_t{1024} << 52;
  constexpr std::uint64_t fraction = 0x000fffffffffffff;
  const std::uint64_t bits = bits_of(x) - least;
  const double f = double_of((bits & fraction) + least) - 1.0;
  const double n = double_of((bits + bias) >> 52 | bits_of(0x1p+52)) - (0x1p+52 + 1024);
  return {f, n, bits & ~fraction};
}

/// As reduce_logarithm for any x: n is -inf for 0, NaN below, infinity and NaN for those.
[[gnu::always_inline]] inline DoubleLogarithm reduce_any_logarithm(double x) {
  const bool subnormal = x < smallest_normal;
  const auto [f, n, exponent] = reduce_logarithm(subnormal ? x * 0x1p+54 : x);
  const double edge = x > 0 ? -54.0 : (x == 0 ? -endless : undefined);
  const double offset = subnormal ? edge : (x < endless ? 0.0 : x);
  return {f, n + offset, exponent};
}

/// Notes whether a logarithm needs reduce_any_logarithm. n, which takes the sign for a part of the exponent, is far from 0 for
/// zeros, subnormal, negative and infinite numbers and NaN, and for the last two normal powers of 2.
template <bool fused>
[[gnu::always_inline]] inline void note_exponent(double n, FastRange<fused>& guard) {
  guard.beyond |= magnitude_of(n) > 1021.0;
}

/// log(1 + f) - f = s (f^2 / 2 + s^2 R) - f^2 / 2, whose last part is `square`; fit error 1.3e-18 of the logarithm.
[[gnu::always_inline]] inline double logarithm_tail(double f, double square) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double a = 0x1.5555555555593p-1 + z * 0x1.999999997f9f8p-2;
  const double b = 0x1.249249422a302p-2 + z * 0x1.c71c51d81cc56p-3;
  const double c = 0x1.74664985b35b7p-3 + z * 0x1.39a09df19f4efp-3;
  return s * (square + z * (a + w * (b + w * (c + w * 0x1.2f10f2ad9ab42p-3))));
}

/// n ln 2 + log(1 + f) + rest.
[[gnu::always_inline]] inline double logarithm_of(double f, double n, double rest) {
  const double square = 0.5 * f * f;
  const double low = logarithm_tail(f, square) + (n * ln2_lower + rest);
  return ((low - square) + f) + n * ln2_upper;
}

/// Natural logarithm; at most 1.5 ULP. Negative arguments give NaN, 0 gives -inf.
[[gnu::always_inline]] inline double log(double x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return logarithm_of(f, n, 0.0);
}

/// Within range: positive, normal and finite.
template <bool fused>
[[gnu::always_inline]] inline double log(double x, FastRange<fused>& guard) {
  const auto [f, n, exponent] = reduce_logarithm(x);
  note_exponent(n, guard);
  return logarithm_of(f, n, 0.0);
}
template <bool fused>
[[gnu::always_inline]] inline double log(double x, FullRange<fused>) {
  return math::log(x);
}

/// log(1 + x + rest) for x > -1, where rest is less than a unit in the last place of 1 + x.
[[gnu::always_inline]] inline double log1p_of(double x, double rest) {
  const double u = 1.0 + x;
  const auto [g, n, exponent] = reduce_logarithm(u);
  const double scale = double_of(bits_of(1.0) - exponent);  // 2^-n, not positive where it is too small to matter
  const bool near = exponent == 0;
  const double f = near ? x : g;
  const double lost = near ? rest : ((x - (u - 1.0)) + rest) * (scale > 0 ? scale : 0.0);
  return logarithm_of(f, n, lost * (1.0 - f * (1.0 - f)));  // lost / (1 + f)
}

/// log(1 + x); at most 1.5 ULP. Arguments below -1 give NaN, -1 gives -inf.
[[gnu::always_inline]] inline double log1p(double x) {
  const double value = log1p_of(x, 0.0);
  const double inside = x > -1 ? value : (x == -1 ? -endless : undefined);
  return x < endless ? (x == 0 ? x : inside) : x;
}

/// Within range: above -1 and less than 2^1021.
template <bool fused>
[[gnu::always_inline]] inline double log1p(double x, FastRange<fused>& guard) {
  const double u = 1.0 + x;
  const auto [g, n, exponent] = reduce_logarithm(u);
  note_exponent(n, guard);
  const bool near = exponent == 0;
  const double f = near ? x : g;
  const double lost = near ? 0.0 : (x - (u - 1.0)) * double_of(bits_of(1.0) - exponent);
  const double value = logarithm_of(f, n, lost * (1.0 - f * (1.0 - f)));
  return double_of(bits_of(value) | (bits_of(x) & sign_bit));  // of -0
}
template <bool fused>
[[gnu::always_inline]] inline double log1p(double x, FullRange<fused>) {
  return math::log1p(x);
}

/// n + log2(1 + f), of which f stays whole.
[[gnu::always_inline]] inline double log2_of(double f, double n) {
  const double square = 0.5 * f * f;
  return n + (f + (f * (log2_e_double - 1.0) + (logarithm_tail(f, square) - square) * log2_e_double));
}

/// Logarithm to base 2; at most 1.5 ULP.
[[gnu::always_inline]] inline double log2(double x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return log2_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline double log2(double x, FastRange<fused>& guard) {
  const auto [f, n, exponent] = reduce_logarithm(x);
  note_exponent(n, guard);
  return log2_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline double log2(double x, FullRange<fused>) {
  return math::log2(x);
}

/// n log10(2) + log10(1 + f), of which f / 2 stays whole.
[[gnu::always_inline]] inline double log10_of(double f, double n) {
  constexpr double log10_e = 0x1.bcb7b1526e50ep-2;
  constexpr double log10_2_upper = 0x1.34413509f7000p-2, log10_2_lower = 0x1.3fde623e2566bp-43;
  const double square = 0.5 * f * f;
  const double rest = f * (log10_e - 0.5) + (logarithm_tail(f, square) - square) * log10_e;
  return n * log10_2_upper + (0.5 * f + (rest + n * log10_2_lower));
}

/// Logarithm to base 10; at most 1.5 ULP.
[[gnu::always_inline]] inline double log10(double x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return log10_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline double log10(double x, FastRange<fused>& guard) {
  const auto [f, n, exponent] = reduce_logarithm(x);
  note_exponent(n, guard);
  return log10_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline double log10(double x, FullRange<fused>) {
  return math::log10(x);
}

}  // namespace tessera::math
