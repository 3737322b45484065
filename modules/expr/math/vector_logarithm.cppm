module;
#include <cstdint>
export module tessera.expr:vector_logarithm;
import :vector_bits;
import :vector_exponential;
import :range_guard;

// Logarithms.
namespace tessera::math {

/// x = 2^n (1 + f) with f in [-1/3, 1/3] or [sqrt(1/2) - 1, sqrt(2) - 1]; x is positive and normal.
struct ReducedLogarithm {
  float f;
  float n;
  std::uint32_t exponent;  // n in the bits of a float's exponent
};

/// The least 1 + f, in the bits of a float. From 2/3 the series of log is shortest; from sqrt(1/2) n + log2(1 + f) cancels least.
inline constexpr std::uint32_t two_thirds = 0x3f2aaaab;
inline constexpr std::uint32_t root_half = 0x3f3504f3;

template <std::uint32_t least = two_thirds>
[[gnu::always_inline]] inline ReducedLogarithm reduce_logarithm(float x) {
  const std::uint32_t bits = bits_of(x) - least;
  return {float_of((bits & 0x007fffffu) + least) - 1.0f, static_cast<float>(static_cast<std::int32_t>(bits) >> 23),
          bits & 0xff800000u};
}

/// log(1 + f) for f in [-1/3, 1/3]; fit error 2.8e-8.
[[gnu::always_inline]] inline float logarithm_near_one(float f) {
  const float square = f * f;
  const float low = (-0x1.ffffd8p-2f + f * 0x1.5554bep-2f) + square * (-0x1.0013e4p-2f + f * 0x1.99ed6ap-3f);
  const float high = (-0x1.504586p-3f + f * 0x1.1d1f52p-3f) + square * (-0x1.3ad1b6p-3f + f * 0x1.264892p-3f);
  return f + square * (low + square * square * high);
}

/// As reduce_logarithm for any x: n is -inf for 0, NaN below, infinity and NaN for those.
template <std::uint32_t least = two_thirds>
[[gnu::always_inline]] inline ReducedLogarithm reduce_any_logarithm(float x) {
  const bool subnormal = x < 0x1p-126f;
  const auto [f, n, exponent] = reduce_logarithm<least>(subnormal ? x * 0x1p+23f : x);
  const float edge = x > 0 ? -23.0f : (x == 0 ? -infinity : not_a_number);
  const float offset = subnormal ? edge : (x < infinity ? 0.0f : x);
  return {f, n + offset, exponent};
}

/// Notes whether a logarithm of x needs reduce_any_logarithm.
template <bool fused>
[[gnu::always_inline]] inline void note_logarithm(float x, FastRange<fused>& guard) {
  constexpr std::uint32_t smallest = 0x00800000, infinite = 0x7f800000;
  guard.beyond |= static_cast<std::int32_t>(bits_of(x) - smallest + 0x80000000u) >=
                  static_cast<std::int32_t>(infinite - smallest + 0x80000000u);
}

/// Natural logarithm; at most 1.5 ULP. Negative arguments give NaN, 0 gives -inf.
[[gnu::always_inline]] inline float log(float x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return n * ln2 + logarithm_near_one(f);
}

/// Within range: positive and normal.
template <bool fused>
[[gnu::always_inline]] inline float log(float x, FastRange<fused>& guard) {
  note_logarithm(x, guard);
  const auto [f, n, exponent] = reduce_logarithm(x);
  return n * ln2 + logarithm_near_one(f);
}
template <bool fused>
[[gnu::always_inline]] inline float log(float x, FullRange<fused>) {
  return math::log(x);
}

/// log(1 + x); at most 2 ULP. Arguments below -1 give NaN, -1 gives -inf.
[[gnu::always_inline]] inline float log1p(float x) {
  const float u = 1.0f + x;
  const auto [f, n, exponent] = reduce_logarithm(u);
  const float scale = float_of(0x3f800000u - exponent);  // 2^-n, not positive where it is too small to matter
  const float rest = (x - (u - 1.0f)) * (scale > 0 ? scale : 0.0f);
  const float value = n * ln2 + logarithm_near_one(f + rest);
  const float edge = u == 0 ? -infinity : not_a_number;
  const float inside = u > 0 ? value : edge;
  return x < infinity ? (x == 0 ? x : inside) : x;
}

/// log2(1 + f) - f, for f in [sqrt(1/2) - 1, sqrt(2) - 1]; fit error 1.4e-8 of log2.
[[gnu::always_inline]] inline float log2_tail(float f) {
  const float z = f * f;
  const float w = z * z;
  const float a = 0x1.c551dap-2f + f * -0x1.71546cp-1f;
  const float b = 0x1.ec6f94p-2f + f * -0x1.715d26p-2f;
  const float c = 0x1.27b81p-2f + f * -0x1.ea9b4ap-3f;
  const float d = 0x1.9ab29ap-3f + f * -0x1.800b36p-3f;
  const float e = 0x1.ad8b24p-3f + f * -0x1.2cc6fcp-3f;
  return f * ((a + z * b) + w * ((c + z * d) + w * e));
}

/// Logarithm to base 2; at most 2 ULP.
[[gnu::always_inline]] inline float log2(float x) {
  const auto [f, n, exponent] = reduce_any_logarithm<root_half>(x);
  return n + (f + log2_tail(f));
}
template <bool fused>
[[gnu::always_inline]] inline float log2(float x, FastRange<fused>& guard) {
  note_logarithm(x, guard);
  const auto [f, n, exponent] = reduce_logarithm<root_half>(x);
  return n + (f + log2_tail(f));
}
template <bool fused>
[[gnu::always_inline]] inline float log2(float x, FullRange<fused>) {
  return math::log2(x);
}

/// n log10(2) + log10(1 + f), of which f / 2 stays whole; fit error 6.7e-9 of the logarithm.
[[gnu::always_inline]] inline float log10_of(float f, float n) {
  const float z = f * f;
  const float w = z * z;
  const float a = -0x1.0d213ap-4f + f * -0x1.bcb7b4p-3f;
  const float b = 0x1.2879e6p-3f + f * -0x1.bcb44ep-4f;
  const float c = 0x1.640e5ep-4f + f * -0x1.290f6ep-4f;
  const float d = 0x1.ef889ep-5f + f * -0x1.a8d4acp-5f;
  const float e = 0x1.fdf674p-5f + f * -0x1.ef63ep-5f;
  const float tail = f * ((a + z * b) + w * ((c + z * d) + w * e));
  return n * 0x1.344p-2f + (0.5f * f + (n * 0x1.3509f8p-18f + tail));
}

/// Logarithm to base 10; at most 2 ULP.
[[gnu::always_inline]] inline float log10(float x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return log10_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline float log10(float x, FastRange<fused>& guard) {
  note_logarithm(x, guard);
  const auto [f, n, exponent] = reduce_logarithm(x);
  return log10_of(f, n);
}
template <bool fused>
[[gnu::always_inline]] inline float log10(float x, FullRange<fused>) {
  return math::log10(x);
}

}  // namespace tessera::math
