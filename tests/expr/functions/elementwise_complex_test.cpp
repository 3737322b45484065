// Differential tests of every elementwise function of complex elements, and their values at infinities and on branch cuts.
#include "elementwise_cases.hpp"

using namespace elementwise;

namespace {

using Z = std::complex<long double>;
using L = long double;

template <class T>
std::vector<Function<T, T>> complex_arithmetic() {
  return {
      binary<T>(
          "add", [](const auto& a, const auto& b) { return add(a, b); }, [](Z a, Z b) { return a + b; }, 1),
      binary<T>(
          "subtract", [](const auto& a, const auto& b) { return subtract(a, b); }, [](Z a, Z b) { return a - b; }, 1),
      binary<T>(
          "multiply", [](const auto& a, const auto& b) { return multiply(a, b); }, [](Z a, Z b) { return a * b; }, 2),
      binary<T>(
          "divide", [](const auto& a, const auto& b) { return where(b == 0, a, divide(a, b)); },
          [](Z a, Z b) { return b == Z(0) ? a : a / b; }, 4),
      binary<T>(
          "pow", [](const auto& a, const auto& b) { return pow(a, b); },
          [](Z a, Z b) { return b == Z(0)                    ? 1
                                : a == Z(0) && b.real() <= 0 ? Z(NAN, NAN)
                                                             : std::pow(a, b); }, 60),
      unary<T>(
          "negative", [](const auto& x) { return negative(x); }, [](Z x) { return -x; }, 0),
      unary<T>(
          "positive", [](const auto& x) { return positive(x); }, [](Z x) { return x; }, 0),
      unary<T>(
          "conj", [](const auto& x) { return conj(x); }, [](Z x) { return std::conj(x); }, 0),
      unary<T>(
          "square", [](const auto& x) { return square(x); }, [](Z x) { return x * x; }, 2),
      unary<T>(
          "reciprocal", [](const auto& x) { return where(x == 0, x, reciprocal(x)); },
          [](Z x) { return x == Z(0) ? x : L(1) / x; }, 4),
      unary<T>(
          "sign", [](const auto& x) { return sign(x); }, [](Z x) { return x == Z(0) ? x : x / std::abs(x); }, 4),
  };
}

template <class T>
std::vector<Function<T, T>> complex_functions() {
  return {
      unary<T>(
          "exp", [](const auto& x) { return exp(x); }, [](Z x) { return std::exp(x); }),
      unary<T>(
          "expm1", [](const auto& x) { return expm1(x); }, [](Z x) { return std::exp(x) - L(1); }, 4, 0.01),
      unary<T>(
          "log", [](const auto& x) { return log(x + 5); }, [](Z x) { return std::log(x + L(5)); }, 4, 1),
      unary<T>(
          "log1p", [](const auto& x) { return log1p(x); }, [](Z x) { return std::log(x + L(1)); }, 4, 1),
      unary<T>(
          "log2", [](const auto& x) { return log2(x + 5); }, [](Z x) { return std::log(x + L(5)) / std::log(L(2)); }, 4,
          1),
      unary<T>(
          "log10", [](const auto& x) { return log10(x + 5); }, [](Z x) { return std::log10(x + L(5)); }, 4, 1),
      unary<T>(
          "sqrt", [](const auto& x) { return sqrt(x); }, [](Z x) { return std::sqrt(x); }),
      unary<T>(
          "sin", [](const auto& x) { return sin(x); }, [](Z x) { return std::sin(x); }),
      unary<T>(
          "cos", [](const auto& x) { return cos(x); }, [](Z x) { return std::cos(x); }),
      unary<T>(
          "tan", [](const auto& x) { return tan(x); }, [](Z x) { return std::tan(x); }, 8),
      unary<T>(
          "asin", [](const auto& x) { return asin(x); }, [](Z x) { return std::asin(x); }),
      unary<T>(
          "acos", [](const auto& x) { return acos(x); }, [](Z x) { return std::acos(x); }),
      unary<T>(
          "atan", [](const auto& x) { return atan(x); }, [](Z x) { return std::atan(x); }),
      unary<T>(
          "sinh", [](const auto& x) { return sinh(x); }, [](Z x) { return std::sinh(x); }),
      unary<T>(
          "cosh", [](const auto& x) { return cosh(x); }, [](Z x) { return std::cosh(x); }),
      unary<T>(
          "tanh", [](const auto& x) { return tanh(x); }, [](Z x) { return std::tanh(x); }, 8),
      unary<T>(
          "asinh", [](const auto& x) { return asinh(x); }, [](Z x) { return std::asinh(x); }),
      unary<T>(
          "acosh", [](const auto& x) { return acosh(x); }, [](Z x) { return std::acosh(x); }),
      unary<T>(
          "atanh", [](const auto& x) { return atanh(x); }, [](Z x) { return std::atanh(x); }),
  };
}

template <class T>
std::vector<Function<T, typename T::value_type>> parts() {
  using P = typename T::value_type;
  return {
      unary<T, P>(
          "real", [](const auto& x) { return real(x); }, [](Z x) { return x.real(); }, 0),
      unary<T, P>(
          "imag", [](const auto& x) { return imag(x); }, [](Z x) { return x.imag(); }, 0),
      unary<T, P>(
          "abs", [](const auto& x) { return abs(x); }, [](Z x) { return std::abs(x); }, 2),
      unary<T, P>(
          "angle", [](const auto& x) { return angle(x); }, [](Z x) { return std::arg(x); }, 4),
  };
}

template <class T>
std::vector<Function<T, bool>> complex_questions() {
  return {
      unary<T, bool>(
          "isnan", [](const auto& x) { return isnan(x); }, [](Z) { return false; }),
      unary<T, bool>(
          "isinf", [](const auto& x) { return isinf(x / (x * 0)); }, [](Z x) { return x != Z(0); }),
      unary<T, bool>(
          "isfinite", [](const auto& x) { return isfinite(x); }, [](Z) { return true; }),
  };
}

template <class T>
void check_complex() {
  check(complex_arithmetic<T>());
  check(complex_functions<T>());
  check(parts<T>());
  check(complex_questions<T>());
}

}  // namespace

TEST_CASE("functions of complex64 agree with complex long double in every layout" * doctest::test_suite("any place")) {
  check_complex<std::complex<float>>();
}
TEST_CASE("functions of complex128 agree with complex long double in every layout" * doctest::test_suite("any place")) {
  check_complex<std::complex<double>>();
}
