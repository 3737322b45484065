module;
#include <cstdint>
export module tessera.expr:vector_logarithm;
import :vector_bits;
import :vector_exponential;
import :range_guard;

// Logarithms.
namespace tessera::math {

/// x = 2^n (1 + f) with f in [-1/3, 1/3]; x is positive and normal.
struct ReducedLogarithm {
  float f;
  float n;
  std::uint32_t exponent;  // n in the bits of a float's exponent
};

[[gnu::always_inline]] inline ReducedLogarithm reduce_logarithm(float x) {
  constexpr std::uint32_t two_thirds = 0x3f2aaaab;
  const std::uint32_t bits = bits_of(x) - two_thirds;
  return {float_of((bits & 0x007fffffu) + two_thirds) - 1.0f, static_cast<float>(static_cast<std::int32_t>(bits) >> 23),
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
[[gnu::always_inline]] inline ReducedLogarithm reduce_any_logarithm(float x) {
  const bool subnormal = x < 0x1p-126f;
  const auto [f, n, exponent] = reduce_logarithm(subnormal ? x * 0x1p+23f : x);
  const float edge = x > 0 ? -23.0f : (x == 0 ? -infinity : not_a_number);
  const float offset = subnormal ? edge : (x < infinity ? 0.0f : x);
  return {f, n + offset, exponent};
}

/// Natural logarithm; at most 1.5 ULP. Negative arguments give NaN, 0 gives -inf.
[[gnu::always_inline]] inline float log(float x) {
  const auto [f, n, exponent] = reduce_any_logarithm(x);
  return n * ln2 + logarithm_near_one(f);
}

/// Within range: positive and normal.
template <bool fused>
[[gnu::always_inline]] inline float log(float x, FastRange<fused>& guard) {
  constexpr std::uint32_t smallest = 0x00800000, infinite = 0x7f800000;
  guard.beyond |= static_cast<std::int32_t>(bits_of(x) - smallest + 0x80000000u) >=
                  static_cast<std::int32_t>(infinite - smallest + 0x80000000u);
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

}  // namespace tessera::math
