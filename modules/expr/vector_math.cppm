module;
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
export module tessera.expr:vector_math;
import tessera.core;

// Elementary functions as branch-free scalar code that the compiler vectorises; float first, other types through the
// C library. Polynomials are minimax fits of the remainder stated at each of them, in the relative error of the result.
// The largest error over all floats stands at each function; tests/expr/vector_math_test.cpp proves it.
namespace tessera::math {

inline constexpr float log2_e = 0x1.715476p+0f;
inline constexpr float ln2_high = 0x1.62e400p-1f;  // 10 trailing zeros: n * ln2_high is exact for |n| < 1024
inline constexpr float ln2_low = 0x1.7f7d1cp-20f;
inline constexpr float to_integer = 0x1.8p+23f;  // adding it rounds to an integer, which is then in the low bits

// Integer steps wrap (unsigned): NaN and values outside a function's domain pass through them before they are replaced.

/// 2^n for n in [-126, 127].
[[gnu::always_inline]] inline float power_of_two(std::int32_t n) {
  return std::bit_cast<float>((static_cast<std::uint32_t>(n) + 127u) << 23);
}

/// a - b, wrapped.
[[gnu::always_inline]] inline std::int32_t wrapped_difference(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b);
}

/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct ReducedExponent {
  float r;
  std::int32_t n;
};

[[gnu::always_inline]] inline ReducedExponent reduce_exponent(float x) {
  const float shifted = x * log2_e + to_integer;
  const float n = shifted - to_integer;
  const float r = (x - n * ln2_high) - n * ln2_low;
  return {r, wrapped_difference(std::bit_cast<std::uint32_t>(shifted), std::bit_cast<std::uint32_t>(to_integer))};
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2; fit error 6e-11.
[[gnu::always_inline]] inline float exponential_tail(float r) {
  return 0x1.0p-1f + r * (0x1.555554p-3f +
                          r * (0x1.55547ep-5f + r * (0x1.11128ep-7f + r * (0x1.6d9bd6p-10f + r * 0x1.9efcdcp-13f))));
}

/// e^x; at most 1.1 ULP, subnormal results included.
[[gnu::always_inline]] inline float exp(float x) {
  const float low = x < -104.0f ? -104.0f : x;
  const auto [r, n] = reduce_exponent(low > 89.0f ? 89.0f : low);
  const float p = 1.0f + (r + r * r * exponential_tail(r));
  const std::int32_t half = n >> 1;  // in two steps, because 2^n may be subnormal or above the largest float
  return p * power_of_two(half) *
         power_of_two(wrapped_difference(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(half)));
}

/// e^x - 1; at most 2 ULP.
[[gnu::always_inline]] inline float expm1(float x) {
  const float low = x < -18.0f ? -18.0f : x;
  const auto [r, n] = reduce_exponent(low > 89.0f ? 89.0f : low);
  const float p = r + r * r * exponential_tail(r);
  const float scale = power_of_two(wrapped_difference(static_cast<std::uint32_t>(n), 1u));
  const float far = 2.0f * (p * scale + (scale - 0.5f));
  return n == 0 ? (x == 0 ? x : p) : far;
}

/// Natural logarithm of x > 0 as exponent and mantissa part; x must be normal.
[[gnu::always_inline]] inline float log_of_normal(float x, float exponent_offset) {
  constexpr std::uint32_t sqrt_half = 0x3f3504f3;
  const std::int32_t bits = wrapped_difference(std::bit_cast<std::uint32_t>(x), sqrt_half);
  const float e = static_cast<float>(bits >> 23) + exponent_offset;
  const float f = std::bit_cast<float>((static_cast<std::uint32_t>(bits) & 0x007fffffu) + sqrt_half) - 1.0f;
  // log(1 + f) = f - f^2 / 2 + f^3 q(f) for f in [sqrt(1/2) - 1, sqrt(2) - 1]; fit error 8e-10.
  const float q =
      0x1.555546p-2f +
      f * (-0x1.000006p-2f +
           f * (0x1.99a4f6p-3f +
                f * (-0x1.555cccp-3f +
                     f * (0x1.23322cp-3f +
                          f * (-0x1.fc07c2p-4f + f * (0x1.e72886p-4f + f * (-0x1.defffcp-4f + f * 0x1.14ca3cp-4f)))))));
  const float square = f * f;
  const float tail = e * ln2_low + (f * square * q - 0.5f * square);
  return e * ln2_high + (f + tail);
}

/// Natural logarithm; at most 1.5 ULP. Negative arguments give NaN, 0 gives -inf.
[[gnu::always_inline]] inline float log(float x) {
  const bool subnormal = x < 0x1p-126f;
  const float normal = log_of_normal(subnormal ? x * 0x1p+23f : x, subnormal ? -23.0f : 0.0f);
  const float infinity = std::bit_cast<float>(0x7f800000);
  const float finite = x == infinity ? infinity : normal;
  const float edge = x == 0 ? -infinity : std::bit_cast<float>(0x7fc00000);
  return x > 0 ? finite : (x != x ? x : edge);
}

/// log(1 + x); at most 2.5 ULP.
[[gnu::always_inline]] inline float log1p(float x) {
  const float u = 1.0f + x;
  const float corrected = math::log(u) + (x - (u - 1.0f)) / u;
  const bool inside = u > 0 && u < std::bit_cast<float>(0x7f800000);
  return inside ? (x == 0 ? x : corrected) : math::log(u);
}

/// Hyperbolic tangent; at most 2 ULP.
[[gnu::always_inline]] inline float tanh(float x) {
  const float magnitude = __builtin_elementwise_abs(x);
  const float z = x * x;
  // tanh(x) = x + x^3 q(x^2) for |x| <= 0.625; fit error 4e-9.
  const float q =
      -0x1.555534p-2f + z * (0x1.110768p-3f + z * (-0x1.b84448p-5f + z * (0x1.5256d6p-6f - z * 0x1.76ac18p-8f)));
  const float near = magnitude + magnitude * z * q;
  const float far = 1.0f - 2.0f / (math::exp(2.0f * magnitude) + 1.0f);
  return __builtin_elementwise_copysign(magnitude < 0.625f ? near : far, x);
}

/// 1 / (1 + e^-x); at most 2.5 ULP.
[[gnu::always_inline]] inline float sigmoid(float x) {
  const float decay = math::exp(-__builtin_elementwise_abs(x));
  return (x < 0 ? decay : 1.0f) / (1.0f + decay);
}

// The same functions in double, through the C library.
[[gnu::always_inline]] inline double exp(double x) { return std::exp(x); }
[[gnu::always_inline]] inline double expm1(double x) { return std::expm1(x); }
[[gnu::always_inline]] inline double log(double x) { return std::log(x); }
[[gnu::always_inline]] inline double log1p(double x) { return std::log1p(x); }
[[gnu::always_inline]] inline double tanh(double x) { return std::tanh(x); }
[[gnu::always_inline]] inline double sigmoid(double x) {
  const double decay = std::exp(-std::abs(x));
  return (x < 0 ? decay : 1.0) / (1.0 + decay);
}

}  // namespace tessera::math
