// The functions of hand-written loops, with the meaning that the library gives them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// bfloat16 by its bits, which compilers convert well on every CPU.
struct Bfloat16 {
  std::uint16_t bits;

  Bfloat16() = default;
  explicit Bfloat16(float value) {
    const auto wide = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t rounded = (wide + 0x7fffu + (wide >> 16 & 1)) >> 16;
    bits = static_cast<std::uint16_t>(value == value ? rounded : wide >> 16 | 0x40);
  }
  explicit operator float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16); }
};

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Bfloat16> || std::is_same_v<T, _Float16>;

template <class To, class From>
inline To to(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_half<From> || is_half<To>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
inline T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}
template <class T>
inline T subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b));
  else
    return a - b;
}
template <class T>
inline T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::make_unsigned_t<T>(a) * std::uint64_t{std::make_unsigned_t<T>(b)});
  else
    return a * b;
}
template <class T>
inline T divide(T a, T b) {
  return a / b;
}
template <class T>
inline T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
inline T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
inline T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else if constexpr (std::is_unsigned_v<T>)
    return a;
  else
    return static_cast<T>(a < 0 ? 0 - std::make_unsigned_t<T>(a) : std::make_unsigned_t<T>(a));
}
template <class T>
inline T root(T a) {
  return std::sqrt(a);
}
template <class T>
inline constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
