// The table of elementwise functions of integers and bool, with their references in 128 bits.
#pragma once
#include "elementwise_cases.hpp"

namespace elementwise {

using W = Wide;

/// Products of two 64-bit numbers may need all 128 bits: they wrap.
inline W times(W a, W b) {
  __extension__ using WideUnsigned = unsigned __int128;
  return static_cast<W>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
}

inline W quotient(W a, W b) { return b == 0 ? 0 : a / b; }
inline W modulo(W a, W b) { return b == 0 ? 0 : a % b; }
inline W floor_quotient(W a, W b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
inline W floor_remainder(W a, W b) { return b == 0 ? 0 : a - b * floor_quotient(a, b); }

/// a^n by its definition, as far as it does not wrap to a cycle that the power of two below shortens.
inline W power(W a, W n) {
  if (n < 0) return a == 1 ? 1 : a == -1 ? (n % 2 == 0 ? 1 : -1) : 0;
  if (n == 0) return 1;
  const W half = power(a, n / 2);
  const W square = times(half, half);
  return n % 2 == 0 ? square : times(square, a);
}

template <class T>
W shifted(W a, W by, bool left) {
  const bool everything = by < 0 || by >= static_cast<W>(8 * sizeof(T));
  if (left) return everything ? 0 : times(a, W(1) << static_cast<int>(by));
  return everything ? (a < 0 ? -1 : 0) : a >> static_cast<int>(by);
}

template <class T>
std::vector<Function<T, T>> integer_arithmetic() {
  return {
      binary<T>(
          "add", [](const auto& a, const auto& b) { return add(a, b); }, [](W a, W b) { return a + b; }),
      binary<T>(
          "subtract", [](const auto& a, const auto& b) { return subtract(a, b); }, [](W a, W b) { return a - b; }),
      binary<T>(
          "multiply", [](const auto& a, const auto& b) { return multiply(a, b); },
          [](W a, W b) { return times(a, b); }),
      binary<T>(
          "divide", [](const auto& a, const auto& b) { return divide(a, b); }, [](W a, W b) { return quotient(a, b); }),
      binary<T>(
          "operator %", [](const auto& a, const auto& b) { return a % b; }, [](W a, W b) { return modulo(a, b); }),
      binary<T>(
          "floor_divide", [](const auto& a, const auto& b) { return floor_divide(a, b); },
          [](W a, W b) { return floor_quotient(a, b); }),
      binary<T>(
          "remainder", [](const auto& a, const auto& b) { return remainder(a, b); },
          [](W a, W b) { return floor_remainder(a, b); }),
      binary<T>(
          "pow", [](const auto& a, const auto& b) { return pow(a, b); }, [](W a, W b) { return power(a, b); }),
      binary<T>(
          "maximum", [](const auto& a, const auto& b) { return maximum(a, b); },
          [](W a, W b) { return std::max(a, b); }),
      binary<T>(
          "minimum", [](const auto& a, const auto& b) { return minimum(a, b); },
          [](W a, W b) { return std::min(a, b); }),
      binary<T>(
          "clip", [](const auto& a, const auto& b) { return clip(a, none, b); },
          [](W a, W b) { return std::min(a, b); }),
      unary<T>(
          "negative", [](const auto& x) { return negative(x); }, [](W x) { return -x; }),
      unary<T>(
          "positive", [](const auto& x) { return positive(x); }, [](W x) { return x; }),
      unary<T>(
          "abs", [](const auto& x) { return abs(x); }, [](W x) { return x < 0 ? -x : x; }),
      unary<T>(
          "sign", [](const auto& x) { return sign(x); }, [](W x) { return W(x > 0   ? 1
                                                                            : x < 0 ? -1
                                                                                    : 0); }),
      unary<T>(
          "square", [](const auto& x) { return square(x); }, [](W x) { return times(x, x); }),
      unary<T>(
          "relu", [](const auto& x) { return relu(x); }, [](W x) { return x < 0 ? 0 : x; }),
      unary<T>(
          "floor", [](const auto& x) { return floor(x); }, [](W x) { return x; }),
      unary<T>(
          "ceil", [](const auto& x) { return ceil(x); }, [](W x) { return x; }),
      unary<T>(
          "trunc", [](const auto& x) { return trunc(x); }, [](W x) { return x; }),
      unary<T>(
          "round", [](const auto& x) { return round(x); }, [](W x) { return x; }),
      unary<T>(
          "real", [](const auto& x) { return real(x); }, [](W x) { return x; }),
      unary<T>(
          "imag", [](const auto& x) { return imag(x); }, [](W) { return W(0); }),
      unary<T>(
          "conj", [](const auto& x) { return conj(x); }, [](W x) { return x; }),
  };
}

template <class T>
std::vector<Function<T, T>> bit_operations() {
  const auto and_of = [](const auto& a, const auto& b) { return bitwise_and(a, b); };
  const auto or_of = [](const auto& a, const auto& b) { return bitwise_or(a, b); };
  const auto xor_of = [](const auto& a, const auto& b) { return bitwise_xor(a, b); };
  return {
      binary<T>("bitwise_and", and_of, [](W a, W b) { return a & b; }),
      binary<T>("bitwise_or", or_of, [](W a, W b) { return a | b; }),
      binary<T>("bitwise_xor", xor_of, [](W a, W b) { return a ^ b; }),
      unary<T>(
          "bitwise_invert", [](const auto& x) { return bitwise_invert(x); },
          [](W x) { return std::same_as<T, bool> ? W(x == 0) : ~x; }),
  };
}

template <class T>
std::vector<Function<T, T>> shifts() {
  return {
      binary<T>(
          "bitwise_left_shift", [](const auto& a, const auto& b) { return bitwise_left_shift(a, b); },
          [](W a, W b) { return shifted<T>(a, b, true); }),
      binary<T>(
          "bitwise_right_shift", [](const auto& a, const auto& b) { return bitwise_right_shift(a, b); },
          [](W a, W b) { return shifted<T>(a, b, false); }),
  };
}

template <class T>
std::vector<Function<T, bool>> integer_questions() {
  return {
      unary<T, bool>(
          "isnan", [](const auto& x) { return isnan(x); }, [](W) { return false; }),
      unary<T, bool>(
          "isinf", [](const auto& x) { return isinf(x); }, [](W) { return false; }),
      unary<T, bool>(
          "isfinite", [](const auto& x) { return isfinite(x); }, [](W) { return true; }),
      unary<T, bool>(
          "signbit", [](const auto& x) { return signbit(x); }, [](W x) { return x < 0; }),
  };
}

template <class T>
void check_integers() {
  check(integer_arithmetic<T>());
  check(bit_operations<T>());
  check(shifts<T>());
  check(integer_questions<T>());
}

}  // namespace elementwise
