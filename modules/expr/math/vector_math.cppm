module;
#include <cmath>
export module tessera.expr:vector_math;
export import :vector_bits;
export import :range_guard;
export import :vector_exponential;
export import :vector_logarithm;
export import :vector_trigonometry;
export import :vector_error_function;
export import :vector_power;

// Elementary functions as plain scalar code without branches, which the compiler vectorises: float here, by partitions;
// other types through the C library. Polynomials are minimax fits; the error of each stands at it, in the relative error of
// the result. Every function keeps its bound with and without fused multiplication. The largest errors over all floats
// stand in docs/benchmarks/math.md; tests/expr/math/vector_math_test.cpp checks them.
namespace tessera::math {

// The same functions in double, through the C library.
[[gnu::always_inline]] inline double exp(double x) { return std::exp(x); }
[[gnu::always_inline]] inline double expm1(double x) { return std::expm1(x); }
[[gnu::always_inline]] inline double log(double x) { return std::log(x); }
[[gnu::always_inline]] inline double log1p(double x) { return std::log1p(x); }
[[gnu::always_inline]] inline double tanh(double x) { return std::tanh(x); }
[[gnu::always_inline]] inline double sigmoid(double x) {
  const bool small = x < -40;  // where the result is e^x to the last digit
  const double power = std::exp(small ? x : -x);
  return small ? power : 1.0 / (1.0 + power);
}

}  // namespace tessera::math
