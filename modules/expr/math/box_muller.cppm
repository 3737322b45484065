module;
#include <cstdint>
export module tessera.expr:box_muller;
import :vector_bits;
import :vector_exponential;
import :vector_logarithm;
import :double_exponential;
import :double_logarithm;

// Pairs of normal numbers: G. Box and M. Muller, "A note on the generation of random normal deviates" (1958). The angle comes in half turns,
// which are reduced without an error. Nothing is fused here, so that the same key gives the same numbers on every processor: the polynomials are
// those of the logarithm and the sine once more.
#pragma clang fp contract(off)

namespace tessera::math {

/// log(x) for positive, normal x; within 2 ULP.
[[gnu::always_inline]] inline float log_of_normal(float x) {
  const auto [f, n, exponent] = reduce_logarithm(x);
  const float square = f * f;
  const float low = (-0x1.ffffd8p-2f + f * 0x1.5554bep-2f) + square * (-0x1.0013e4p-2f + f * 0x1.99ed6ap-3f);
  const float high = (-0x1.504586p-3f + f * 0x1.1d1f52p-3f) + square * (-0x1.3ad1b6p-3f + f * 0x1.264892p-3f);
  return n * ln2 + (f + square * (low + square * square * high));
}
[[gnu::always_inline]] inline double log_of_normal(double x) {
  const auto [f, n, exponent] = reduce_logarithm(x);
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double a = 0x1.5555555555593p-1 + z * 0x1.999999997f9f8p-2;
  const double b = 0x1.249249422a302p-2 + z * 0x1.c71c51d81cc56p-3;
  const double c = 0x1.74664985b35b7p-3 + z * 0x1.39a09df19f4efp-3;
  const double square = 0.5 * f * f;
  const double low = s * (square + z * (a + w * (b + w * (c + w * 0x1.2f10f2ad9ab42p-3)))) + n * ln2_lower;
  return ((low - square) + f) + n * ln2_upper;
}

/// sin(pi x) for |x| <= 1/2.
[[gnu::always_inline]] inline float sine_of_half_turn(float x) {
  const float r = x * 0x1.921fb6p+1f;
  const float z = r * r;
  const float middle = 0x1.110ed8p-7f + z * -0x1.9f705cp-13f;
  const float series = -0x1.55554cp-3f + z * (middle + z * z * 0x1.5dbed8p-19f);
  return r + r * z * series;
}
[[gnu::always_inline]] inline double sine_of_half_turn(double x) {
  const double r = x * 0x1.921fb54442d18p+1;
  const double z = r * r;
  const double w = z * z;
  const double a = -0x1.5555555555555p-3 + z * 0x1.11111111110c8p-7;
  const double b = -0x1.a01a01a014dffp-13 + z * 0x1.71de3a52a578cp-19;
  const double c = -0x1.ae6454d6f2eacp-26 + z * 0x1.6123cdb6fe0a8p-33;
  const double d = -0x1.ae43b55fa1ddbp-41 + z * 0x1.8838169d9a704p-49;
  return r + r * z * (a + w * (b + w * (c + w * d)));
}

[[gnu::always_inline]] inline float rounding_constant(float) { return to_integer; }
[[gnu::always_inline]] inline double rounding_constant(double) { return to_whole; }

/// `value` with the sign changed where the integer in the low bits of `shifted` is odd.
[[gnu::always_inline]] inline float signed_by(float value, float shifted) {
  return float_of(bits_of(value) ^ (bits_of(shifted) << 31));
}
[[gnu::always_inline]] inline double signed_by(double value, double shifted) {
  return double_of(bits_of(value) ^ (bits_of(shifted) << 63));
}

export template <class T>
struct NormalPair {
  T first, second;
};

/// Two independent normal numbers from a uniform one in (0, 1], which is not subnormal, and one in [0, 2).
export template <class T>
[[gnu::always_inline]] inline NormalPair<T> box_muller(T positive, T half_turns) {
  const T constant = rounding_constant(half_turns);
  const T radius = __builtin_elementwise_sqrt(T(-2) * log_of_normal(positive));
  const T sine_turn = half_turns + constant;
  const T cosine_turn = (half_turns + T(0.5)) + constant;
  const T sine = sine_of_half_turn(half_turns - (sine_turn - constant));
  const T cosine = sine_of_half_turn(half_turns - ((cosine_turn - constant) - T(0.5)));
  return {radius * signed_by(cosine, cosine_turn), radius * signed_by(sine, sine_turn)};
}

}  // namespace tessera::math
