module;
#include <cstdint>
export module tessera.expr:vector_roots;
import tessera.standard;
import :vector_bits;
import :range_guard;

// Cube roots, and lengths in the plane.
namespace tessera::math {

// A third of the bits is a third of the exponent and, roughly, of the fraction's logarithm: subtracted from a constant it gives 1 / cbrt a
// within 3.5 % (Kahan's beginning). One step of third order leaves r with an error of 1.4e-5; of root = a r^2 the error is known from
// 1 - root r, which hides two thirds of the rounding of the root as well.

/// A cube root of a positive number, and what 1 - root r was: below 2^-14 if the number was normal.
template <class C>
struct CubeRoot {
  C root;
  C rest;
  static constexpr C within = C(0x1p-14);
};

[[gnu::always_inline]] inline CubeRoot<float> cbrt_normal(float a) {
  std::uint32_t third = (bits_of(a) >> 2) + (bits_of(a) >> 4);
  third += third >> 4;
  third += third >> 8;
  third += third >> 16;
  const float guess = float_of(0x54a21d2au - third);
  const float e = 1.0f - (a * guess) * (guess * guess);
  const float high = 0x1.61f9aep-3f + e * 0x1.26fdb2p-3f;
  const float r = guess + (guess * e) * ((0x1.555556p-2f + e * 0x1.c71c72p-3f) + (e * e) * high);
  const float root = a * (r * r);
  const float rest = 1.0f - root * r;
  return {root + (root * rest) * (0x1.555556p-1f + rest * 0x1.1c71c8p-1f), rest};
}
[[gnu::always_inline]] inline CubeRoot<double> cbrt_normal(double a) {
  std::uint64_t third = (bits_of(a) >> 2) + (bits_of(a) >> 4);
  third += third >> 4;
  third += third >> 8;
  third += third >> 16;
  const double guess = double_of(0x553ee90000000000 - third);
  const double e = 1.0 - (a * guess) * (guess * guess);
  const double high = 0x1.61f9add3c0ca4p-3 + e * 0x1.26fdb2ap-3;
  const double r = guess + (guess * e) * ((0x1.5555555555555p-2 + e * 0x1.c71c71c71c71cp-3) + (e * e) * high);
  const double root = a * (r * r);
  const double rest = 1.0 - root * r;
  const double slope = 0x1.5555555555555p-1 + rest * (0x1.1c71c71c71c72p-1 + rest * 0x1.f9add3c0ca458p-2);
  return {root + (root * rest) * slope, rest};
}

/// Cube root; at most 1.5 ULP. Subnormal numbers are multiplied by a power of 8.
template <std::floating_point C>
[[gnu::always_inline]] inline C cbrt(C x) {
  constexpr C larger = sizeof(C) == 4 ? C(0x1p+24) : C(0x1p+54);
  constexpr C smaller = sizeof(C) == 4 ? C(0x1p-8) : C(0x1p-18);
  const C magnitude = magnitude_of(x);
  const auto [root, rest] = cbrt_normal(magnitude);
  if (magnitude_of(rest) <= CubeRoot<C>::within) return with_sign(root, x);
  return x == 0 || !(magnitude < C(endless)) ? x : with_sign(cbrt_normal(magnitude * larger).root * smaller, x);
}
template <bool fused, std::floating_point C>
[[gnu::always_inline]] inline C cbrt(C x, FastRange<fused>& guard) {
  const auto [root, rest] = cbrt_normal(magnitude_of(x));
  guard.beyond |= !(magnitude_of(rest) <= CubeRoot<C>::within);
  return with_sign(root, x);
}
template <bool fused, std::floating_point C>
[[gnu::always_inline]] inline C cbrt(C x, FullRange<fused>) {
  return math::cbrt(x);
}

/// sqrt(x^2 + y^2); at most 1.5 ULP. Small and large numbers are squared after scaling. An infinity wins over NaN.
[[gnu::always_inline]] inline float hypot(float x, float y) {
  const float a = magnitude_of(x);
  const float b = magnitude_of(y);
  const float larger = a > b ? a : b;
  const bool small = larger < 0x1p-60f;
  const bool large = larger > 0x1p+60f;
  const float scale = small ? 0x1p+100f : (large ? 0x1p-70f : 1.0f);
  const float back = small ? 0x1p-100f : (large ? 0x1p+70f : 1.0f);
  const float value = __builtin_elementwise_sqrt((a * scale) * (a * scale) + (b * scale) * (b * scale)) * back;
  return a == infinity || b == infinity ? infinity : value;
}
[[gnu::always_inline]] inline double hypot(double x, double y) {
  const double a = magnitude_of(x);
  const double b = magnitude_of(y);
  const double larger = a > b ? a : b;
  const bool small = larger < 0x1p-500;
  const bool large = larger > 0x1p+500;
  const double scale = small ? 0x1p+600 : (large ? 0x1p-600 : 1.0);
  const double back = small ? 0x1p-600 : (large ? 0x1p+600 : 1.0);
  const double value = __builtin_elementwise_sqrt((a * scale) * (a * scale) + (b * scale) * (b * scale)) * back;
  return a == endless || b == endless ? endless : value;
}

/// Within range: the sum of the squares is not near the ends of the range.
template <bool fused, std::floating_point C>
[[gnu::always_inline]] inline C hypot(C x, C y, FastRange<fused>& guard) {
  constexpr C least = sizeof(C) == 4 ? C(0x1p-100) : C(0x1p-900);
  const C square = x * x + y * y;
  guard.beyond |= !(square >= least && square <= 1 / least);
  return __builtin_elementwise_sqrt(square);
}
template <bool fused, std::floating_point C>
[[gnu::always_inline]] inline C hypot(C x, C y, FullRange<fused>) {
  return math::hypot(x, y);
}

}  // namespace tessera::math
