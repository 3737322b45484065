module;
#include <cstdint>
export module tessera.expr:vector_error_function;
import :vector_bits;

// The error function.
namespace tessera::math {

/// 4 (1 - (1 - erf y)^(1/4)) / y - 1 for 0 <= y <= 3.9; fit error 6.3e-9 of erf y below 0.5, 1.6e-8 above.
[[gnu::always_inline]] inline float erf_root_slope(float y) {
  const float square = y * y;
  const float first = 0x1.06eba8p-3f + y * 0x1.e8eca4p-2f;
  const float second = -0x1.fab692p-5f + y * -0x1.3110a4p-4f;
  const float third = 0x1.3cf21ap-8f + y * 0x1.001e5p-7f;
  const float fourth = -0x1.b7a582p-11f + y * -0x1.1b0b24p-11f;
  const float fifth = 0x1.3753eep-13f + y * -0x1.7e587cp-17f;
  return first + square * (second + square * (third + square * (fourth + square * fifth)));
}

/// Error function; at most 2 ULP. The slope s gives 1 - erf y = (1 - v / 4)^4 with v = y + y s, in two steps:
/// v - v^2 / 8 = y + y (s - y (1 + s)^2 / 8), where only small parts of y are rounded, and half its square.
[[gnu::always_inline]] inline float erf(float x) {
  constexpr float root_of_eighth = 0x1.6a09e6p-2f;
  const float y = magnitude_of(x);
  const float slope = erf_root_slope(y);
  const float root = root_of_eighth + slope * root_of_eighth;
  const float twice = y + y * (slope - (y * root) * root);  // 2 (1 - sqrt(1 - erf y))
  const float value = twice - (0.25f * twice) * twice;
  return with_sign(y > 3.9f ? 1.0f : value, x);
}

/// As erf_root_slope of floats, for y <= 5.93; fit error 1.9e-17 of erf y.
[[gnu::always_inline]] inline double erf_root_slope(double y) {
  const double z = y * y;
  const double a = 0x1.06eba8214db68p-3 + y * 0x1.e8ec8a4aead23p-2;
  const double b = -0x1.faaa98f0664c1p-5 + y * -0x1.312cfb2fc2bb9p-4;
  const double c = 0x1.4057e6a8f2f18p-8 + y * 0x1.fe3202650ba20p-8;
  const double d = -0x1.c6926bbb12eafp-11 + y * -0x1.fe67c5d941b76p-12;
  const double e = 0x1.edee925efaaf1p-14 + y * -0x1.232fa31d3316dp-19;
  const double f = -0x1.1ed3db1687e37p-18 + y * 0x1.af399d325311bp-19;
  const double g = -0x1.413fed8ddadccp-20 + y * -0x1.687a23d33c07fp-24;
  const double h = 0x1.5275866976714p-22 + y * -0x1.92a205eacb691p-23;
  const double i = 0x1.34e735e7a7d43p-24 + y * -0x1.649043588da9ap-26;
  const double j = 0x1.42bb7f550b6f2p-28 + y * -0x1.cd76ee20a2e30p-31;
  const double k = 0x1.027c0d49c1969p-33 + y * -0x1.bce5d88d9277cp-37;
  const double l = 0x1.1c339e1396c53p-40 + y * -0x1.fc04be05f088ap-45;
  const double m = 0x1.1b8f4436b6587p-49 + y * -0x1.299582db83585p-55;
  const double high = g + z * (h + z * (i + z * (j + z * (k + z * (l + z * m)))));
  return a + z * (b + z * (c + z * (d + z * (e + z * (f + z * high)))));
}

/// As erf of floats, without the rounding of the first sum; at most 2 ULP.
[[gnu::always_inline]] inline double erf(double x) {
  constexpr double root_of_eighth = 0x1.6a09e667f3bcdp-2;
  const double y = magnitude_of(x);
  const double slope = erf_root_slope(y);
  const double root = root_of_eighth + slope * root_of_eighth;
  const double part = y * (slope - (y * root) * root);
  const double twice = y + part;
  const double lost = (y - twice) + part;
  const double value = twice - ((0.25 * twice) * twice - lost * (1.0 - 0.5 * twice));
  return with_sign(y > 5.93 ? 1.0 : value, x);
}

/// 1 - erf x, as e^(-x^2) g(x) / (1 + 2 x) in double, where g is a polynomial in (x - 2) / (x + 2) with an error of 9.5e-10; at most
/// 1 ULP.
[[gnu::always_inline]] inline float erfc(float x) {
  const auto magnitude = static_cast<double>(magnitude_of(x));
  const double y = magnitude > 10.2 ? 10.2 : magnitude;
  const double inverse = 1.0 / ((y + 2.0) * (1.0 + 2.0 * y));
  const double t = (y - 2.0) * ((1.0 + 2.0 * y) * inverse);
  const double z = t * t;
  const double w = z * z;
  const double a = 0x1.46e80e27577bdp+0 + t * -0x1.7bf5ea7ff6964p-4;
  const double b = -0x1.5407cf7f3cd79p-3 + t * 0x1.4ff9fdf118d59p-3;
  const double c = -0x1.bc2700311acd9p-5 + t * -0x1.0727dd43d879fp-7;
  const double d = 0x1.1d609ef933e30p-7 + t * 0x1.4864589072ac4p-10;
  const double e = -0x1.74691ed1ec36dp-10 + t * -0x1.a42f25dc4722ap-12;
  const double f = 0x1.62f3c30e4cc8ap-13 + t * 0x1.4cd3ba23861bbp-14;
  const double g = (a + z * b) + w * ((c + z * d) + w * (e + z * f));
  // e^(-y^2) = 2^n 2^r, with an error of 2.0e-9
  const double exponent = (y * y) * -0x1.71547652b82fep+0;
  constexpr double to_biased = to_whole + 1023;
  const double shifted = exponent + to_biased;
  const double r = exponent - (shifted - to_biased);
  const double low = (0x1.62e430af5fac3p-1 + r * 0x1.ebfbdc3b070a0p-3);
  const double high =
      (0x1.c6aee83a6e89ap-5 + r * 0x1.3b2d4d7f54babp-7) + (r * r) * (0x1.5f3e7f1864977p-10 + r * 0x1.41fb9b58b516bp-13);
  const double power = double_of(bits_of(shifted) << 52);
  const double value = (power + (power * r) * (low + (r * r) * high)) * (g * ((y + 2.0) * inverse));
  return static_cast<float>(x < 0 ? 2.0 - value : (x == x ? value : static_cast<double>(x)));
}

}  // namespace tessera::math
