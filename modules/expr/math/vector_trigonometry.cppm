module;
#include <math.h>

#include <cstdint>
export module tessera.expr:vector_trigonometry;
import :vector_bits;
import :range_guard;

// Sine, cosine and tangent. Arguments within range are reduced by multiples of pi in float; larger ones by the bits of 1 / pi that
// matter for their exponent (Payne and Hanek's method), and for the tangent in the C library.
namespace tessera::math {

/// pi in three parts. Without fused multiplication the products of the first two with n must be exact, which holds for
/// parts of 17 bits and |n| < 64; with it, for parts of 24 bits and any n for which the third product is small.
template <bool fused>
inline constexpr float pi_parts[] = {0x1.922p+1f, -0x1.2aefp-17f, 0x1.68c234p-38f};
template <>
inline constexpr float pi_parts<true>[] = {0x1.921fb6p+1f, -0x1.777a5cp-24f, -0x1.ee59dap-49f};

/// The largest magnitude that is reduced in float.
template <bool fused>
inline constexpr float trigonometry_range = fused ? 50000.0f : 198.0f;

inline constexpr float one_over_pi = 0x1.45f306p-2f;

/// sin(r + rest) for |r| <= pi / 2 where |rest| is at most a few units in the last place of pi / 2; fit error 6.4e-9. The
/// cubic term's coefficient is taken apart, -1/8 - 1/24: the first part is exact, which halves the error near pi / 2.
[[gnu::always_inline]] inline float sine_near_zero(float r, float rest) {
  const float z = r * r;
  const float cube = r * z;
  const float middle = 0x1.110ed8p-7f + z * -0x1.9f705cp-13f;
  const float series = -0x1.55553p-5f + z * (middle + z * z * 0x1.5dbed8p-19f);
  return r + ((rest - 0.125f * cube) + cube * series);
}

/// sin(x - n pi) for x within range and the n nearest to x / pi, or that minus 1/2.
template <bool fused>
[[gnu::always_inline]] inline float sine_of_difference(float x, float n) {
  constexpr auto& pi = pi_parts<fused>;
  const float r = (x - n * pi[0]) - n * pi[1];
  return sine_near_zero(r, -(n * pi[2]));
}

/// `value` with the sign changed where the lowest bit of `turns` is set.
[[gnu::always_inline]] inline float turned(float value, std::uint32_t turns) {
  return float_of(bits_of(value) ^ (turns << 31));
}

template <bool fused>
[[gnu::always_inline]] inline float sin_near(float x) {
  const float shifted = magnitude_of(x) * one_over_pi + to_integer;
  const float value = sine_of_difference<fused>(magnitude_of(x), shifted - to_integer);
  return float_of(bits_of(turned(value, bits_of(shifted))) ^ (bits_of(x) & 0x80000000u));
}

/// As sin(x + pi / 2).
template <bool fused>
[[gnu::always_inline]] inline float cos_near(float x) {
  const float shifted = (magnitude_of(x) * one_over_pi + 0.5f) + to_integer;
  const float value = sine_of_difference<fused>(magnitude_of(x), (shifted - to_integer) - 0.5f);
  return turned(value, bits_of(shifted));
}

/// The binary digits of 1 / pi after 32 zeros.
inline constexpr std::uint32_t one_over_pi_digits[] = {0,          0x517cc1b7, 0x27220a94, 0xfe13abe8,
                                                       0xfa9a6ee0, 0x6db14acc, 0x9e21c820, 0xff28b1d5};

/// |x| / pi modulo 2, in units of 2^-63, for |x| >= 2^7. The value for infinity and NaN is arbitrary.
[[gnu::always_inline]] inline std::uint64_t half_turns(float x) {
  const std::uint32_t bits = bits_of(magnitude_of(x));
  const std::uint32_t position = (bits >> 23) - 150 + 31;  // of the digit that is worth 1 after multiplying
  const std::uint32_t word = position >> 5;
  const std::uint32_t shift = position & 31;
  const std::uint64_t digits[] = {one_over_pi_digits[word & 7], one_over_pi_digits[(word + 1) & 7],
                                  one_over_pi_digits[(word + 2) & 7], one_over_pi_digits[(word + 3) & 7]};
  const std::uint64_t high = ((digits[0] << 32 | digits[1]) << shift) >> 32;
  const std::uint64_t middle = ((digits[1] << 32 | digits[2]) << shift) >> 32;
  const std::uint64_t low = ((digits[2] << 32 | digits[3]) << shift) >> 32;
  const std::uint64_t mantissa = (bits & 0x007fffffu) | 0x00800000u;
  return ((high * mantissa) << 32) + middle * mantissa + ((low * mantissa) >> 32);
}

/// sin(turns * pi) for turns in units of 2^-63.
[[gnu::always_inline]] inline float sine_of_half_turns(std::uint64_t turns) {
  constexpr double pi_by_units = 0x1.921fb54442d18p-63;
  const double r = static_cast<double>(static_cast<std::int64_t>(turns << 1)) * pi_by_units;
  const auto rounded = static_cast<float>(r);
  const float rest =
      static_cast<float>(r - static_cast<double>(rounded)) * (1.0f - 0.405f * rounded * rounded);  // * cos(r)
  const float value = sine_near_zero(rounded, rest);
  return turned(value, static_cast<std::uint32_t>((turns + (std::uint64_t{1} << 62)) >> 63));
}

[[gnu::always_inline]] inline float sin_far(float x) {
  const float value = sine_of_half_turns(half_turns(x));
  return float_of(bits_of(value) ^ (bits_of(x) & 0x80000000u));
}

[[gnu::always_inline]] inline float cos_far(float x) {
  return sine_of_half_turns(half_turns(x) + (std::uint64_t{1} << 62));
}

/// sin(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline float sin(float x, FastRange<fused>& guard) {
  guard.beyond |= magnitude_of(x) > trigonometry_range<fused>;
  return sin_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline float sin(float x, FullRange<fused>) {
  if (magnitude_of(x) <= trigonometry_range<fused>) return sin_near<fused>(x);
  return x - x == 0 ? sin_far(x) : x - x;
}
[[gnu::always_inline]] inline float sin(float x) { return math::sin(x, FullRange<false>{}); }

/// cos(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline float cos(float x, FastRange<fused>& guard) {
  guard.beyond |= magnitude_of(x) > trigonometry_range<fused>;
  return cos_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline float cos(float x, FullRange<fused>) {
  if (magnitude_of(x) <= trigonometry_range<fused>) return cos_near<fused>(x);
  return x - x == 0 ? cos_far(x) : x - x;
}
[[gnu::always_inline]] inline float cos(float x) { return math::cos(x, FullRange<false>{}); }

/// pi / 2 in three parts, of which the first product with n < 2^13 must be exact (by fused multiplication, if there is any) and the
/// second, too.
template <bool fused>
inline constexpr float half_pi_parts[] = {0x1.922p+0f, -0x1.2aefp-18f, 0x1.68c234p-39f};
template <>
inline constexpr float half_pi_parts<true>[] = {0x1.921fb6p+0f, -0x1.778p-25f, 0x1.68c234p-39f};

template <bool fused>
inline constexpr float tangent_range = fused ? 12000.0f : 198.0f;

/// By a series on [-pi/4, pi/4], of relative error 1.4e-9; -1 over it in every other quadrant.
template <bool fused>
[[gnu::always_inline]] inline float tan_near(float x) {
  constexpr auto& half_pi = half_pi_parts<fused>;
  const float shifted = magnitude_of(x) * (2.0f * one_over_pi) + to_integer;
  const float n = shifted - to_integer;
  const float first = magnitude_of(x) - n * half_pi[0];
  const float second = n * half_pi[1];
  const float difference = first - second;
  const float low = ((first - difference) - second) - n * half_pi[2];
  const float r = difference + low;
  const float rest = (difference - r) + low;
  const float z = r * r;
  const float w = z * z;
  const float a = 0x1.55556p-2f + z * 0x1.110d9ep-3f;
  const float b = 0x1.bad9d6p-5f + z * 0x1.5cbf2cp-6f;
  const float c = (0x1.62d7cp-7f + z * 0x1.91e396p-14f) + w * 0x1.1ea9a4p-8f;
  const float value = r + ((rest + rest * z) + (r * z) * ((a + w * b) + (w * w) * c));
  const float tangent = (bits_of(shifted) & 1) != 0 ? -1.0f / value : value;
  return float_of(bits_of(tangent) ^ (bits_of(x) & 0x80000000u));
}

/// tan(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline float tan(float x, FastRange<fused>& guard) {
  guard.beyond |= !(magnitude_of(x) <= tangent_range<fused>);
  return tan_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline float tan(float x, FullRange<fused>) {
  if (magnitude_of(x) <= tangent_range<fused>) return tan_near<fused>(x);
  return static_cast<float>(::tan(static_cast<double>(x)));
}
[[gnu::always_inline]] inline float tan(float x) { return math::tan(x, FullRange<false>{}); }

}  // namespace tessera::math
