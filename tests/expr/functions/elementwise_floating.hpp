// The table of elementwise functions of floating elements, with their references in long double.
#pragma once
#include "elementwise_cases.hpp"

namespace elementwise {

using L = long double;

inline L floor_remainder(L a, L b) {
  const L rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0L, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

inline L floor_quotient(L a, L b) {
  if (b == 0 || std::isnan(a) || std::isnan(b) || std::isinf(a)) return b == 0 ? a / b : L(NAN);
  if (std::isinf(b)) return a != 0 && (a < 0) != (b < 0) ? -1.0L : std::copysign(0.0L, a / b);
  return std::floor(a / b);
}

/// The neighbour of a among T's numbers, by arithmetic.
template <class T>
L neighbour(L a, L b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (std::isinf(a)) return std::copysign(largest<T>(), a);
  if (a == 0) return std::copysign(spacing<T>(0), b);
  const bool towards_zero = (a < b) == (a < 0);
  // Below a power of two the numbers lie twice as close.
  const L step = towards_zero ? spacing<T>(a * (1 - 0x1p-60L)) : spacing<T>(a);
  const L next = a < b ? a + step : a - step;
  return next == 0 ? std::copysign(0.0L, a) : std::abs(next) > largest<T>() ? std::copysign(L(INFINITY), a) : next;
}

template <class T>
std::vector<Function<T, T>> exponentials() {
  return {
      unary<T>(
          "exp", [](const auto& x) { return exp(x); }, [](L x) { return std::exp(x); }),
      unary<T>(
          "expm1", [](const auto& x) { return expm1(x); }, [](L x) { return std::expm1(x); }),
      unary<T>(
          "exp2", [](const auto& x) { return exp2(x); }, [](L x) { return std::exp2(x); }),
      unary<T>(
          "log", [](const auto& x) { return log(x); }, [](L x) { return std::log(x); }),
      unary<T>(
          "log1p", [](const auto& x) { return log1p(x); }, [](L x) { return std::log1p(x); }),
      unary<T>(
          "log2", [](const auto& x) { return log2(x); }, [](L x) { return std::log2(x); }),
      unary<T>(
          "log10", [](const auto& x) { return log10(x); }, [](L x) { return std::log10(x); }),
      unary<T>(
          "sqrt", [](const auto& x) { return sqrt(x); }, [](L x) { return std::sqrt(x); }, 0.01),
      unary<T>(
          "rsqrt", [](const auto& x) { return rsqrt(x); }, [](L x) { return 1 / std::sqrt(x); }),
      unary<T>(
          "cbrt", [](const auto& x) { return cbrt(x); }, [](L x) { return std::cbrt(x); }),
      unary<T>(
          "lgamma", [](const auto& x) { return lgamma(x); }, [](L x) { return std::lgamma(x); }, 8, 8),
      unary<T>(
          "erf", [](const auto& x) { return erf(x); }, [](L x) { return std::erf(x); }),
      unary<T>(
          "erfc", [](const auto& x) { return erfc(x); }, [](L x) { return std::erfc(x); }, 8),
      binary<T>(
          "pow", [](const auto& a, const auto& b) { return pow(a, b); }, [](L a, L b) { return std::pow(a, b); }),
      binary<T>(
          "logaddexp", [](const auto& a, const auto& b) { return logaddexp(a, b); },
          [](L a, L b) {
            return a == b ? a + std::log(2.0L) : std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
          },
          4, 4),
  };
}

template <class T>
std::vector<Function<T, T>> trigonometric() {
  return {
      unary<T>(
          "sin", [](const auto& x) { return sin(x); }, [](L x) { return std::sin(x); }),
      unary<T>(
          "cos", [](const auto& x) { return cos(x); }, [](L x) { return std::cos(x); }),
      unary<T>(
          "tan", [](const auto& x) { return tan(x); }, [](L x) { return std::tan(x); }),
      unary<T>(
          "asin", [](const auto& x) { return asin(x); }, [](L x) { return std::asin(x); }),
      unary<T>(
          "acos", [](const auto& x) { return acos(x); }, [](L x) { return std::acos(x); }),
      unary<T>(
          "atan", [](const auto& x) { return atan(x); }, [](L x) { return std::atan(x); }),
      unary<T>(
          "sinh", [](const auto& x) { return sinh(x); }, [](L x) { return std::sinh(x); }),
      unary<T>(
          "cosh", [](const auto& x) { return cosh(x); }, [](L x) { return std::cosh(x); }),
      unary<T>(
          "tanh", [](const auto& x) { return tanh(x); }, [](L x) { return std::tanh(x); }),
      unary<T>(
          "asinh", [](const auto& x) { return asinh(x); }, [](L x) { return std::asinh(x); }),
      unary<T>(
          "acosh", [](const auto& x) { return acosh(x); }, [](L x) { return std::acosh(x); }),
      unary<T>(
          "atanh", [](const auto& x) { return atanh(x); }, [](L x) { return std::atanh(x); }),
      binary<T>(
          "atan2", [](const auto& a, const auto& b) { return atan2(a, b); }, [](L a, L b) { return std::atan2(a, b); }),
      binary<T>(
          "hypot", [](const auto& a, const auto& b) { return hypot(a, b); }, [](L a, L b) { return std::hypot(a, b); }),
      unary<T>(
          "degrees", [](const auto& x) { return degrees(x); }, [](L x) { return x * (180 / std::acos(-1.0L)); }),
      unary<T>(
          "radians", [](const auto& x) { return radians(x); }, [](L x) { return x * (std::acos(-1.0L) / 180); }),
  };
}

template <class T>
std::vector<Function<T, T>> arithmetic() {
  return {
      binary<T>(
          "add", [](const auto& a, const auto& b) { return add(a, b); }, [](L a, L b) { return a + b; }, 0.01),
      binary<T>(
          "subtract", [](const auto& a, const auto& b) { return subtract(a, b); }, [](L a, L b) { return a - b; },
          0.01),
      binary<T>(
          "multiply", [](const auto& a, const auto& b) { return multiply(a, b); }, [](L a, L b) { return a * b; },
          0.01),
      binary<T>(
          "divide", [](const auto& a, const auto& b) { return divide(a, b); }, [](L a, L b) { return a / b; }, 0.01),
      binary<T>(
          "floor_divide", [](const auto& a, const auto& b) { return floor_divide(a, b); },
          [](L a, L b) { return floor_quotient(a, b); }, 2),
      binary<T>(
          "remainder", [](const auto& a, const auto& b) { return remainder(a, b); },
          [](L a, L b) { return floor_remainder(a, b); }, 1),
      binary<T>(
          "maximum", [](const auto& a, const auto& b) { return maximum(a, b); },
          [](L a, L b) { return a != a || b != b ? a + b
                                : a > b          ? a
                                                 : b; }, 0),
      binary<T>(
          "minimum", [](const auto& a, const auto& b) { return minimum(a, b); },
          [](L a, L b) { return a != a || b != b ? a + b
                                : a < b          ? a
                                                 : b; }, 0),
      binary<T>(
          "clip", [](const auto& a, const auto& b) { return clip(a, b, 2); },
          [](L a, L b) { return a != a || b != b ? a + b : std::min(a > b ? a : b, 2.0L); }, 0),
      binary<T>(
          "copysign", [](const auto& a, const auto& b) { return copysign(a, b); },
          [](L a, L b) { return std::copysign(a, b); }, 0),
      unary<T>(
          "negative", [](const auto& x) { return negative(x); }, [](L x) { return -x; }, 0),
      unary<T>(
          "positive", [](const auto& x) { return positive(x); }, [](L x) { return x; }, 0),
      unary<T>(
          "abs", [](const auto& x) { return abs(x); }, [](L x) { return std::abs(x); }, 0),
      unary<T>(
          "sign", [](const auto& x) { return sign(x); },
          [](L x) { return x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0.0L : x)); }, 0),
      unary<T>(
          "square", [](const auto& x) { return square(x); }, [](L x) { return x * x; }, 0.01),
      unary<T>(
          "reciprocal", [](const auto& x) { return reciprocal(x); }, [](L x) { return 1 / x; }, 0.01),
      unary<T>(
          "floor", [](const auto& x) { return floor(x); }, [](L x) { return std::floor(x); }, 0),
      unary<T>(
          "ceil", [](const auto& x) { return ceil(x); }, [](L x) { return std::ceil(x); }, 0),
      unary<T>(
          "trunc", [](const auto& x) { return trunc(x); }, [](L x) { return std::trunc(x); }, 0),
      unary<T>(
          "round", [](const auto& x) { return round(x); }, [](L x) { return std::nearbyint(x); }, 0),
      unary<T>(
          "real", [](const auto& x) { return real(x); }, [](L x) { return x; }, 0),
      unary<T>(
          "imag", [](const auto& x) { return imag(x); }, [](L) { return 0.0L; }, 0),
      unary<T>(
          "conj", [](const auto& x) { return conj(x); }, [](L x) { return x; }, 0),
      unary<T>(
          "angle", [](const auto& x) { return angle(x); }, [](L x) { return std::atan2(0.0L, x); }),
  };
}

template <class T>
std::vector<Function<T, T>> activations() {
  return {
      unary<T>(
          "relu", [](const auto& x) { return relu(x); }, [](L x) { return x < 0 ? 0 : x; }, 0),
      unary<T>(
          "leaky_relu", [](const auto& x) { return leaky_relu(x); },
          [](L x) { return x < 0 ? x * static_cast<L>(static_cast<double>(T(0.01))) : x; }),
      unary<T>(
          "sigmoid", [](const auto& x) { return sigmoid(x); }, [](L x) { return 1 / (1 + std::exp(-x)); }),
      unary<T>(
          "softplus", [](const auto& x) { return softplus(x); },
          [](L x) { return x != x ? x : std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }, 4, 1),
      unary<T>(
          "silu", [](const auto& x) { return silu(x); },
          [](L x) { return x < -10000 ? -0.0L : x / (1 + std::exp(-x)); }, 6),
      unary<T>(
          "gelu", [](const auto& x) { return gelu(x); },
          [](L x) { return x < -200 ? -0.0L : x * std::erfc(-x / std::sqrt(2.0L)) / 2; }, 6, 2),
  };
}

template <class T>
std::vector<Function<T, bool>> questions() {
  const auto isfinite_of = [](L x) { return std::isfinite(x); };
  return {
      unary<T, bool>(
          "isnan", [](const auto& x) { return isnan(x); }, [](L x) { return x != x; }),
      unary<T, bool>(
          "isinf", [](const auto& x) { return isinf(x); }, [](L x) { return std::isinf(x); }),
      unary<T, bool>(
          "isfinite", [](const auto& x) { return isfinite(x); }, isfinite_of),
      unary<T, bool>(
          "signbit", [](const auto& x) { return signbit(x); }, [](L x) { return std::signbit(x); }),
  };
}

}  // namespace elementwise
