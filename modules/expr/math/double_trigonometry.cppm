module;
#include <math.h>

#include <cstdint>
export module tessera.expr:double_trigonometry;
import :vector_bits;
import :range_guard;

// Sine, cosine and tangent of doubles. Arguments within range are reduced by multiples of pi or pi / 2 in three parts; larger ones are
// for the C library.
namespace tessera::math {

/// The largest magnitude that is reduced here: the first two products with n must be exact, the first by fused multiplication if there
/// is any.
template <bool fused>
inline constexpr double angle_range = fused ? 0x1p+25 : 0x1p+20;

/// pi in three parts.
template <bool fused>
inline constexpr double pi_in_doubles[] = {0x1.921fb544p+1, 0x1.0b4611a6p-33, 0x1.3198a2e037073p-68};
template <>
inline constexpr double pi_in_doubles<true>[] = {0x1.921fb54442d18p+1, 0x1.1a62634p-53, -0x1.d747f23e32ed7p-82};

/// An angle r + rest.
struct DoubleAngle {
  double r;
  double rest;
};

/// x - n * unit * pi, for unit 1 or 1/2; rest is below half a unit in the last place of r.
template <bool fused>
[[gnu::always_inline]] inline DoubleAngle angle_without(double x, double n, double unit) {
  constexpr auto& pi = pi_in_doubles<fused>;
  const double first = x - n * (unit * pi[0]);
  const double second = n * (unit * pi[1]);
  const double difference = first - second;
  const double low = ((first - difference) - second) - n * (unit * pi[2]);
  const double r = difference + low;
  return {r, (difference - r) + low};
}

/// As vector_trigonometry's; fit error 6.5e-18. `rest` counts for (1 - 0.405 r^2) of itself, about cos(r).
[[gnu::always_inline]] inline double sine_near_zero(double r, double rest) {
  const double z = r * r;
  const double cube = r * z;
  const double w = z * z;
  const double a = -0x1.5555555555554p-5 + z * 0x1.11111111110c8p-7;
  const double b = -0x1.a01a01a014dffp-13 + z * 0x1.71de3a52a578cp-19;
  const double c = -0x1.ae6454d6f2eacp-26 + z * 0x1.6123cdb6fe0a8p-33;
  const double d = -0x1.ae43b55fa1ddbp-41 + z * 0x1.8838169d9a704p-49;
  const double series = a + w * (b + w * (c + w * d));
  return r + ((rest - 0.125 * cube) + cube * series);
}

/// sin(x - n pi) for x within range and the n nearest to x / pi, or that minus 1/2.
template <bool fused>
[[gnu::always_inline]] inline double sine_of_difference(double x, double n) {
  if constexpr (fused) {
    // One rounding, which is small where the sine is, and no rest but what pi lacks.
    const double r = (x - n * 0x1.921fb54442d18p+1) - n * 0x1.1a62633145c07p-53;
    return sine_near_zero(r, n * 0x1.f1976b7ed8fbcp-109);
  } else {
    const auto [r, rest] = angle_without<false>(x, n, 1.0);
    return sine_near_zero(r, rest * (1.0 - 0.405 * (r * r)));
  }
}

/// `value` with the sign changed where the lowest bit of `turns` is set.
[[gnu::always_inline]] inline double turned(double value, std::uint64_t turns) {
  return double_of(bits_of(value) ^ (turns << 63));
}

template <bool fused>
[[gnu::always_inline]] inline double sin_near(double x) {
  constexpr double over_pi = 0x1.45f306dc9c883p-2;
  const double shifted = magnitude_of(x) * over_pi + to_whole;
  const double value = sine_of_difference<fused>(magnitude_of(x), shifted - to_whole);
  return double_of(bits_of(turned(value, bits_of(shifted))) ^ (bits_of(x) & sign_bit));
}

/// As sin(x + pi / 2).
template <bool fused>
[[gnu::always_inline]] inline double cos_near(double x) {
  constexpr double over_pi = 0x1.45f306dc9c883p-2;
  const double shifted = (magnitude_of(x) * over_pi + 0.5) + to_whole;
  const double value = sine_of_difference<fused>(magnitude_of(x), (shifted - to_whole) - 0.5);
  return turned(value, bits_of(shifted));
}

/// By a series on [-pi/4, pi/4], of relative error 1.3e-17; -1 over it in every other quadrant.
template <bool fused>
[[gnu::always_inline]] inline double tan_near(double x) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  const double shifted = magnitude_of(x) * two_over_pi + to_whole;
  const auto [r, rest] = angle_without<fused>(magnitude_of(x), shifted - to_whole, 0.5);
  const double z = r * r;
  const double w = z * z;
  const double v = w * w;
  const double a = 0x1.55555555554f1p-2 + z * 0x1.11111111183c1p-3;
  const double b = 0x1.ba1ba1b4610b0p-5 + z * 0x1.664f49aa4de47p-6;
  const double c = 0x1.226e1226b94f0p-7 + z * 0x1.d6d93ae499b87p-9;
  const double d = 0x1.7d5b067366828p-10 + z * 0x1.37fd595b9a867p-11;
  const double e = 0x1.d24fe830c35f6p-13 + z * 0x1.1e6c7c7422b18p-13;
  const double f = -0x1.bbee18305b390p-16 + z * 0x1.777aa46ab24aep-14;
  const double g = -0x1.78c44456db1dep-15 + z * 0x1.5e2e216d45486p-16;
  const double series = (a + w * b) + v * ((c + w * d) + v * ((e + w * f) + v * g));
  const double value = r + ((rest + rest * z) + (r * z) * series);
  const double tangent = (bits_of(shifted) & 1) != 0 ? -1.0 / value : value;
  return double_of(bits_of(tangent) ^ (bits_of(x) & sign_bit));
}

/// sin(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline double sin(double x, FastRange<fused>& guard) {
  guard.beyond |= !(magnitude_of(x) <= angle_range<fused>);
  return sin_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline double sin(double x, FullRange<fused>) {
  return magnitude_of(x) <= angle_range<fused> ? sin_near<fused>(x) : ::sin(x);
}
[[gnu::always_inline]] inline double sin(double x) { return math::sin(x, FullRange<false>{}); }

/// cos(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline double cos(double x, FastRange<fused>& guard) {
  guard.beyond |= !(magnitude_of(x) <= angle_range<fused>);
  return cos_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline double cos(double x, FullRange<fused>) {
  return magnitude_of(x) <= angle_range<fused> ? cos_near<fused>(x) : ::cos(x);
}
[[gnu::always_inline]] inline double cos(double x) { return math::cos(x, FullRange<false>{}); }

/// tan(x), x in radians; at most 2 ULP.
template <bool fused>
[[gnu::always_inline]] inline double tan(double x, FastRange<fused>& guard) {
  guard.beyond |= !(magnitude_of(x) <= angle_range<fused>);
  return tan_near<fused>(x);
}
template <bool fused>
[[gnu::always_inline]] inline double tan(double x, FullRange<fused>) {
  return magnitude_of(x) <= angle_range<fused> ? tan_near<fused>(x) : ::tan(x);
}
[[gnu::always_inline]] inline double tan(double x) { return math::tan(x, FullRange<false>{}); }

}  // namespace tessera::math
