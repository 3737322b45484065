module;
#include <math.h>

#include <cmath>
export module tessera.expr:library_math;
import tessera.standard;

// Elementary functions that go to the C library, one element at a time; vector_math.cppm has those that vectorise.
namespace tessera::math {

[[gnu::always_inline]] inline double erfc(double x) { return std::erfc(x); }
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
