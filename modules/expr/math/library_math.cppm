module;
#include <math.h>

#include <cmath>
export module tessera.expr:library_math;
import tessera.standard;

// Elementary functions that go to the C library, one element at a time; vector_math.cppm has those that vectorise.
namespace tessera::math {

template <std::floating_point C>
[[gnu::always_inline]] inline C exp2(C x) {
  return std::exp2(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C log2(C x) {
  return std::log2(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C log10(C x) {
  return std::log10(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C cbrt(C x) {
  return std::cbrt(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C sin(C x) {
  return std::sin(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C cos(C x) {
  return std::cos(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C tan(C x) {
  return std::tan(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C asin(C x) {
  return std::asin(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C acos(C x) {
  return std::acos(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C atan(C x) {
  return std::atan(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C sinh(C x) {
  return std::sinh(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C cosh(C x) {
  return std::cosh(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C asinh(C x) {
  return std::asinh(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C acosh(C x) {
  return std::acosh(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C atanh(C x) {
  return std::atanh(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C erf(C x) {
  return std::erf(x);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C erfc(C x) {
  return static_cast<C>(std::erfc(static_cast<double>(x)));  // the C library's erfcf is off by up to 3 ULP
}
template <std::floating_point C>
[[gnu::always_inline]] inline C pow(C x, C y) {
  return std::pow(x, y);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C atan2(C x, C y) {
  return std::atan2(x, y);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C hypot(C x, C y) {
  return std::hypot(x, y);
}
template <std::floating_point C>
[[gnu::always_inline]] inline C fmod(C x, C y) {
  return std::fmod(x, y);
}

// lgamma stores a sign in a variable that all threads share; these have a place of their own for it.
[[gnu::always_inline]] inline float lgamma(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
[[gnu::always_inline]] inline double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

}  // namespace tessera::math
