module;
#include <cstdint>
export module tessera.expr:vector_exponential;
import :vector_bits;

// The exponential function and those made of it: expm1, exp2, sigmoid, tanh, sinh, cosh.
namespace tessera::math {

inline constexpr float log2_e = 0x1.715476p+0f;
inline constexpr float ln2 = 0x1.62e430p-1f;       // off by 3e-9 of itself only
inline constexpr float ln2_high = 0x1.62e400p-1f;  // 10 trailing zeros: n * ln2_high is exact for |n| < 1024
inline constexpr float ln2_low = 0x1.7f7d1cp-20f;

/// x = n ln 2 + r with |r| <= ln 2 / 2; the low bits of `shifted` are n + bias, in 23 bits.
struct ReducedExponent {
  float r;
  float n;
  std::uint32_t shifted;
};

template <int bias>
[[gnu::always_inline]] inline ReducedExponent reduce_exponent(float x) {
  constexpr float to_biased = to_integer + static_cast<float>(bias);
  const float shifted = x * log2_e + to_biased;
  const float n = shifted - to_biased;
  return {(x - n * ln2_high) - n * ln2_low, n, bits_of(shifted)};
}

// Polynomials are evaluated in pairs of terms: a chain of dependent operations, not their number, is what takes the time.

/// (e^r - 1) / r for |r| <= ln 2 / 2, for results to which 1 is added; fit error 3.2e-9 of e^r.
[[gnu::always_inline]] inline float exponential_slope(float r) {
  const float square = r * r;
  const float low = 1.0f + r * 0x1.fffffcp-2f;
  const float middle = 0x1.555492p-3f + r * 0x1.5558aep-5f;
  const float high = 0x1.123982p-7f + r * 0x1.6a4f2ep-10f;
  return low + square * (middle + square * high);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2; fit error 1.4e-8 of e^r - 1.
[[gnu::always_inline]] inline float exponential_tail(float r, float square) {
  const float low = 0x1.0p-1f + r * 0x1.5554b2p-3f;
  const float high = 0x1.5554c8p-5f + r * 0x1.122672p-7f;
  return low + square * (high + square * 0x1.6d7232p-10f);
}

/// e^r - 1 for |r| <= ln 2 / 2.
[[gnu::always_inline]] inline float expm1_near_zero(float r) {
  const float square = r * r;
  return r + square * exponential_tail(r, square);
}

/// 2^n (1 + part) where the low bits of `shifted` are n + 254: in two factors, because 2^n may be subnormal or above the
/// largest float. The first meets part = base * slope.
[[gnu::always_inline]] inline float scaled_power(std::uint32_t shifted, float base, float slope) {
  const std::uint32_t half = shifted >> 1;
  const float first = float_of(half << 23);
  return (first + (first * base) * slope) * float_of((shifted - half) << 23);
}

/// e^x; at most 1.5 ULP.
[[gnu::always_inline]] inline float exp(float x) {
  const float low = x < -104.0f ? -104.0f : x;
  const auto [r, n, shifted] = reduce_exponent<254>(low > 89.0f ? 89.0f : low);
  return scaled_power(shifted, r, exponential_slope(r));
}

/// (2^r - 1) / r for |r| <= 1/2; fit error 3e-9 of 2^r.
[[gnu::always_inline]] inline float exp2_slope(float r) {
  const float square = r * r;
  const float low = 0x1.62e43p-1f + r * 0x1.ebfbdcp-3f;
  const float middle = 0x1.c6af7ap-5f + r * 0x1.3b2dd2p-7f;
  const float high = 0x1.5f0948p-10f + r * 0x1.417a7p-13f;
  return low + square * (middle + square * high);
}

/// 2^x; at most 1.5 ULP.
[[gnu::always_inline]] inline float exp2(float x) {
  constexpr float to_biased = to_integer + 254.0f;
  const float low = x < -152.0f ? -152.0f : x;
  const float y = low > 129.0f ? 129.0f : low;
  const float shifted = y + to_biased;
  const float r = y - (shifted - to_biased);
  return scaled_power(bits_of(shifted), r, exp2_slope(r));
}

/// e^x - 1; at most 2 ULP.
[[gnu::always_inline]] inline float expm1(float x) {
  const float low = x < -18.0f ? -18.0f : x;
  const auto [r, n, shifted] = reduce_exponent<126>(low > 89.0f ? 89.0f : low);
  const float p = expm1_near_zero(r);
  const float half = float_of(shifted << 23);  // 2^(n - 1)
  const float far = 2.0f * (p * half + (half - 0.5f));
  return n == 0 ? (x == 0 ? x : p) : far;
}

/// 1 / (1 + e^-x), as c / (c + c e^-x) with c = 2^-32, so that e^-x does not overflow before the result is 0; at most 2 ULP.
[[gnu::always_inline]] inline float sigmoid(float x) {
  constexpr float c = 0x1p-32f;
  const float low = -x < -18.0f ? -18.0f : -x;
  const auto [r, n, shifted] = reduce_exponent<127 - 32>(low > 104.0f ? 104.0f : low);
  const float scale = float_of(shifted << 23);  // c * 2^n
  const float sum = c + scale;
  const float lost = (scale - sum) + c;  // by rounding, where 2^n is large
  return c / (((scale * r) * exponential_slope(r) + lost) + sum);
}

/// Hyperbolic tangent, as (1 - d) / (1 + d) where d = e^-2|x| = 2^n (1 + change); at most 2 ULP.
[[gnu::always_inline]] inline float tanh(float x) {
  const float magnitude = magnitude_of(x);
  const float y = magnitude > 10.0f ? 10.0f : magnitude;
  constexpr float to_biased = to_integer + 127.0f;
  const float shifted = y * (-2 * log2_e) + to_biased;
  const float n = shifted - to_biased;
  const float half = -y - n * (0.5f * ln2);  // one part is enough: 2^n gets small where n makes the error large
  const float scale = float_of(bits_of(shifted) << 23);
  // e^(2 half) - 1; fit error 6.8e-9 of the result, weighted less where half > 0, because then n < 0
  const float square = half * half;
  const float low = 0x1.fffff4p+0f + half * 0x1.55548cp+0f;
  const float high = 0x1.555dc6p-1f + half * 0x1.123d1cp-2f;
  const float change = (half + half) + square * (low + square * (high + square * 0x1.672fd6p-4f));
  return with_sign(((1.0f - scale) - scale * change) / ((1.0f + scale) + scale * change), x);
}

}  // namespace tessera::math
