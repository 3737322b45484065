module;
#include <cstdint>
export module tessera.expr:vector_inverse_trigonometry;
import tessera.standard;
import :vector_bits;

// Inverse sine, cosine and tangent, of floats and doubles.
namespace tessera::math {

/// (asin s / s - 1) / z for z = s^2 <= 1/4; fit error 3.1e-10 of asin s.
[[gnu::always_inline]] inline float arcsine_series(float z) {
  const float w = z * z;
  const float a = 0x1.55554cp-3f + z * 0x1.3338aap-4f;
  const float b = 0x1.6ca7dcp-5f + z * 0x1.04cd18p-5f;
  return a + w * (b + w * (0x1.d588bcp-7f + z * 0x1.349efp-5f));
}
/// The same; fit error 1.0e-18.
[[gnu::always_inline]] inline double arcsine_series(double z) {
  const double w = z * z;
  const double v = w * w;
  const double a = 0x1.5555555555578p-3 + z * 0x1.333333332df1fp-4;
  const double b = 0x1.6db6db722abfbp-5 + z * 0x1.f1c71a8be831fp-6;
  const double c = 0x1.6e8bdfdd34298p-6 + z * 0x1.1c49deb8e6259p-6;
  const double d = 0x1.ca21320a61481p-7 + z * 0x1.7578299b25393p-7;
  const double e = 0x1.61872d030a367p-7 + z * 0x1.e19284e61684cp-9;
  const double f = (0x1.64f0ce250c305p-6 + z * -0x1.59ddb8ace68c0p-6) + w * 0x1.0bdc8917349ebp-5;
  return (a + w * b) + v * ((c + w * d) + v * (e + w * f));
}

/// pi / 2 and what is left of it when it is rounded.
template <class C>
inline constexpr C half_pi = 0x1.921fb54442d18p+0;
template <class C>
inline constexpr C half_pi_rest = 0x1.1a62633145c07p-54;
template <>
inline constexpr float half_pi<float> = 0x1.921fb6p+0f;
template <>
inline constexpr float half_pi_rest<float> = -0x1.777a5cp-25f;

/// asin s for s in [0, 1/2], or pi / 2 - 2 asin s for the s in the same range whose double angle is the complement.
template <std::floating_point C>
[[gnu::always_inline]] inline C asin(C x) {
  const C y = magnitude_of(x);
  const bool small = y < C(0.5);
  const C z = small ? y * y : C(0.5) - C(0.5) * y;
  const C s = small ? y : __builtin_elementwise_sqrt(z);
  const C p = (s * z) * arcsine_series(z);
  const C value = small ? s + p : half_pi<C> - C(2) * (s + (p - C(0.5) * half_pi_rest<C>));
  return with_sign(value, x);
}

/// Inverse cosine; at most 2 ULP.
template <std::floating_point C>
[[gnu::always_inline]] inline C acos(C x) {
  const C y = magnitude_of(x);
  const bool small = y < C(0.5);
  const C z = small ? y * y : C(0.5) - C(0.5) * y;
  const C s = small ? x : __builtin_elementwise_sqrt(z);
  const C p = (s * z) * arcsine_series(z);
  const C twice = C(2) * (s + p);
  const C far = x < 0 ? C(2) * half_pi<C> - (twice - C(2) * half_pi_rest<C>) : twice;
  return small ? half_pi<C> - (x + (p - half_pi_rest<C>)) : far;
}

/// atan t - t for |t| <= 1; fit error 3.5e-9 of atan t.
[[gnu::always_inline]] inline float arctangent_tail(float t) {
  const float z = t * t;
  const float w = z * z;
  const float a = -0x1.55553ep-2f + z * 0x1.9991e4p-3f;
  const float b = -0x1.242086p-3f + z * 0x1.c08c4ep-4f;
  const float c = -0x1.58092ap-4f + z * 0x1.da2aa2p-5f;
  const float d = (-0x1.fd8084p-6f + z * 0x1.64297p-7f) + w * -0x1.d36726p-10f;
  return (t * z) * ((a + w * b) + (w * w) * (c + w * d));
}
/// The same; fit error 1.3e-17.
[[gnu::always_inline]] inline double arctangent_tail(double t) {
  const double z = t * t;
  const double w = z * z;
  const double v = w * w;
  const double a = -0x1.5555555555525p-2 + z * 0x1.9999999995490p-3;
  const double b = -0x1.249249237b75ap-3 + z * 0x1.c71c717ef148ap-4;
  const double c = -0x1.745d119f48e4fp-4 + z * 0x1.3b1365e967378p-4;
  const double d = -0x1.110e4b7c00681p-4 + z * 0x1.e1bb6258f7242p-5;
  const double e = -0x1.ae5d3fc8c6b34p-5 + z * 0x1.82d6b57896874p-5;
  const double f = -0x1.5998fa8eed507p-5 + z * 0x1.2c1782dc07943p-5;
  const double g = -0x1.e9b03a7ef6f60p-6 + z * 0x1.67e051bbc021bp-6;
  const double h = -0x1.c6de25654e856p-7 + z * 0x1.d6b883e86b3d0p-8;
  const double i = -0x1.792c0ccac4ef5p-9 + z * 0x1.b2765ce9b160cp-11;
  const double j = -0x1.3ddf1058040ccp-13 + z * 0x1.b9bcdafec9b4bp-17;
  const double high = (e + w * f) + v * ((g + w * h) + v * (i + w * j));
  return (t * z) * ((a + w * b) + v * ((c + w * d) + v * high));
}

/// Inverse tangent; at most 2 ULP. Beyond 1 it is pi / 2 less that of 1 / x.
template <std::floating_point C>
[[gnu::always_inline]] inline C atan(C x) {
  const C y = magnitude_of(x);
  const bool far = y > 1;
  const C t = far ? C(-1) / y : y;
  const C p = arctangent_tail(t);
  return with_sign(far ? (half_pi<C> + t) + (p + half_pi_rest<C>) : t + p, x);
}

/// Angle of the point (x, y); at most 2 ULP. Of the larger coordinate's axis, plus or minus that of the ratio.
template <std::floating_point C>
[[gnu::always_inline]] inline C atan2(C y, C x) {
  const C across = magnitude_of(x);
  const C up = magnitude_of(y);
  const bool steep = up > across;
  const bool back = with_sign(C(1), x) < 0;
  const C larger = steep ? up : across;
  const C smaller = steep ? across : up;
  const C ratio = smaller / larger;
  const C angle = larger == 0 ? C(0) : (smaller == C(endless) ? C(1) : ratio);
  const C t = steep != back ? -angle : angle;
  const C whole = steep ? half_pi<C> : (back ? C(2) * half_pi<C> : C(0));
  const C rest = steep ? half_pi_rest<C> : (back ? C(2) * half_pi_rest<C> : C(0));
  const C value = (whole + t) + (arctangent_tail(t) + rest);
  return x != x || y != y ? C(undefined) : with_sign(value, y);
}

}  // namespace tessera::math
