module;
#include <cstdint>
export module tessera.expr:double_exponential;
import :vector_bits;

// The exponential function of doubles and those made of it, as vector_exponential.cppm does for floats; polynomials reach further.
namespace tessera::math {

inline constexpr double log2_e_double = 0x1.71547652b82fep+0;
inline constexpr double ln2_upper = 0x1.62e42fefa3000p-1;  // 12 trailing zeros: n * ln2_upper is exact for |n| < 4096
inline constexpr double ln2_lower = 0x1.3de6af278ece6p-42;

/// x = n ln 2 + r + rest with |r| <= ln 2 / 2; the low bits of `shifted` are n + bias. Unused parts cost nothing.
struct DoubleExponent {
  double r;
  double rest;
  double n;
  std::uint64_t shifted;
};

template <int bias>
[[gnu::always_inline]] inline DoubleExponent reduce_exponent(double x) {
  constexpr double to_biased = to_whole + bias;
  const double shifted = x * log2_e_double + to_biased;
  const double n = shifted - to_biased;
  const double above = x - n * ln2_upper;
  const double r = above - n * ln2_lower;
  return {r, (above - r) - n * ln2_lower, n, bits_of(shifted)};
}

/// (e^r - 1) / r for |r| <= ln 2 / 2, for results to which 1 is added; fit error 5.0e-18 of e^r.
[[gnu::always_inline]] inline double exponential_slope(double r) {
  const double z = r * r;
  const double w = z * z;
  const double a = 0x1p+0 + r * 0x1.000000000000fp-1;
  const double b = 0x1.5555555555587p-3 + r * 0x1.555555554ed33p-5;
  const double c = 0x1.1111111100190p-7 + r * 0x1.6c16c189828aap-10;
  const double d = 0x1.a01a021281e3bp-13 + r * 0x1.a0198cef935e3p-16;
  const double e = 0x1.71dd03f677249p-19 + r * 0x1.28b8771c7f666p-22;
  return (a + z * b) + w * ((c + z * d) + w * (e + z * 0x1.b0fa1f30f1b26p-26));
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2; fit error 4.0e-19 of e^r - 1.
[[gnu::always_inline]] inline double exponential_tail(double r, double z) {
  const double w = z * z;
  const double a = 0x1p-1 + r * 0x1.5555555555559p-3;
  const double b = 0x1.5555555555558p-5 + r * 0x1.111111110f714p-7;
  const double c = 0x1.6c16c16c17099p-10 + r * 0x1.a01a01af9b425p-13;
  const double d = 0x1.a01a019b37b39p-16 + r * 0x1.71ddf932d1606p-19;
  const double e = 0x1.27e4ff8623236p-22 + r * 0x1.af5d1e8c30278p-26;
  return (a + z * b) + w * ((c + z * d) + w * (e + z * 0x1.1f2eb1424f97ap-29));
}

/// 2^n (1 + base * slope) where the low bits of `shifted` are n + 2046: in two factors, because 2^n may be subnormal or above the
/// largest double.
[[gnu::always_inline]] inline double scaled_power(std::uint64_t shifted, double base, double slope) {
  const std::uint64_t half = shifted >> 1;
  const double first = double_of(half << 52);
  return (first + (first * base) * slope) * double_of((shifted - half) << 52);
}

/// e^x; at most 1.5 ULP.
[[gnu::always_inline]] inline double exp(double x) {
  const double low = x < -746.0 ? -746.0 : x;
  const auto [r, rest, n, shifted] = reduce_exponent<2046>(low > 710.0 ? 710.0 : low);
  return scaled_power(shifted, r, exponential_slope(r));
}

/// (2^r - 1) / r for |r| <= 1/2; fit error 6.8e-18 of 2^r.
[[gnu::always_inline]] inline double exp2_slope(double r) {
  const double z = r * r;
  const double w = z * z;
  const double a = 0x1.62e42fefa39efp-1 + r * 0x1.ebfbdff82c5b3p-3;
  const double b = 0x1.c6b08d704a26fp-5 + r * 0x1.3b2ab6fb9da9ep-7;
  const double c = 0x1.5d87fe78458dap-10 + r * 0x1.4309131683c25p-13;
  const double d = 0x1.ffcbfe65fa470p-17 + r * 0x1.62bfb4926b5d2p-20;
  const double e = 0x1.b520841653741p-24 + r * 0x1.e63ba3f36898cp-28;
  return (a + z * b) + w * ((c + z * d) + w * (e + z * 0x1.f0e550c5bdf02p-32));
}

/// 2^x; at most 1.5 ULP.
[[gnu::always_inline]] inline double exp2(double x) {
  constexpr double to_biased = to_whole + 2046;
  const double low = x < -1080.0 ? -1080.0 : x;
  const double y = low > 1025.0 ? 1025.0 : low;
  const double shifted = y + to_biased;
  const double r = y - (shifted - to_biased);
  return scaled_power(bits_of(shifted), r, exp2_slope(r));
}

/// e^x - 1; at most 2 ULP.
[[gnu::always_inline]] inline double expm1(double x) {
  const double low = x < -38.0 ? -38.0 : x;
  const auto [r, rest, n, shifted] = reduce_exponent<1022>(low > 710.0 ? 710.0 : low);
  const double z = r * r;
  const double p = r + (z * exponential_tail(r, z) + rest);
  const double half = double_of(shifted << 52);  // 2^(n - 1)
  const double far = 2.0 * (p * half + (half - 0.5));
  return n == 0 ? (x == 0 ? x : p) : far;
}

/// 1 / (1 + e^-x), as c / (c + c e^-x) with c = 2^-100, so that e^-x does not overflow before the result is 0; at most 2 ULP. The
/// rounding of the denominator is taken back from the quotient.
[[gnu::always_inline]] inline double sigmoid(double x) {
  constexpr double c = 0x1p-100;
  const double low = -x < -38.0 ? -38.0 : -x;
  const auto [r, rest, n, shifted] = reduce_exponent<1023 - 100>(low > 746.0 ? 746.0 : low);
  const double scale = double_of(shifted << 52);  // c * 2^n
  const double sum = c + scale;
  const double part = (scale * r) * exponential_slope(r) + ((scale - sum) + c);
  const double below = sum + part;
  const double quotient = c / below;
  return quotient - quotient * ((quotient * ((sum - below) + part)) * (1 / c));
}

/// Hyperbolic tangent, as (1 - d) / (1 + d) where d = e^-2|x| = 2^n (1 + change); at most 2 ULP. The roundings of numerator and
/// denominator are taken back from the quotient, by a rough 1 / (1 + d).
[[gnu::always_inline]] inline double tanh(double x) {
  const double magnitude = magnitude_of(x);
  const double y = magnitude > 22.0 ? 22.0 : magnitude;
  constexpr double to_biased = to_whole + 1023;
  const double shifted = y * (-2 * log2_e_double) + to_biased;
  const double n = shifted - to_biased;
  const double above = -y - n * (0.5 * ln2_upper);
  const double h = above - n * (0.5 * ln2_lower);
  const double rest = (above - h) - n * (0.5 * ln2_lower);
  const double scale = double_of(bits_of(shifted) << 52);
  // e^2h - 1; fit error 1.8e-18 of the result
  const double z = h * h;
  const double w = z * z;
  const double a = 0x1p+1 + h * 0x1.5555555555559p+0;
  const double b = 0x1.555555555555cp-1 + h * 0x1.111111110f3d0p-2;
  const double c = 0x1.6c16c16c11876p-4 + h * 0x1.a01a01b129662p-6;
  const double d = 0x1.a01a01c723cffp-8 + h * 0x1.71ddf4dc79274p-10;
  const double e = (0x1.27e484319b2bfp-12 + h * 0x1.af6531a4a811bp-15) + z * 0x1.20138aa9de45ap-17;
  const double change = (h + h) + (z * ((a + z * b) + w * ((c + z * d) + w * e)) + 2.0 * rest);
  const double less = 1.0 - scale;
  const double more = 1.0 + scale;
  const double numerator = less - scale * change;
  const double denominator = more + scale * change;
  const double quotient = numerator / denominator;
  const double lost = ((less - numerator) - scale * change) - quotient * ((more - denominator) + scale * change);
  return with_sign(quotient + lost * (1.457 - 0.5 * denominator), x);
}

}  // namespace tessera::math
