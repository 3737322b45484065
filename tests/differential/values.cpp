// Elements as text and in memory, and how far apart they are.
#include "case.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace differential {
namespace {

/// An element of any type: integers and bool by their 64 bits, all others by their parts.
struct Number {
  std::uint64_t bits = 0;
  double real = 0;
  double imaginary = 0;
};

template <class T>
T parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("the file of values has '" + std::string(text) + "' for a number");
  }
  return value;
}

/// Complex numbers are written as 1.5,-2.
template <class T>
T element_of(const std::string& text) {
  if constexpr (std::same_as<T, bool>) {
    return text == "1";
  } else if constexpr (Complex<T>) {
    const std::size_t comma = text.find(',');
    return {element_of<typename T::value_type>(text.substr(0, comma)),
            element_of<typename T::value_type>(text.substr(comma + 1))};
  } else if constexpr (std::same_as<T, float16> || std::same_as<T, bfloat16>) {
    return T(parsed<float>(text));
  } else {
    return parsed<T>(text);
  }
}

template <class T>
Number number_of(T value) {
  if constexpr (Complex<T>) {
    return {.real = static_cast<double>(value.real()), .imaginary = static_cast<double>(value.imag())};
  } else if constexpr (std::integral<T>) {
    return {.bits = static_cast<std::uint64_t>(value)};
  } else {
    return {.real = static_cast<double>(value)};
  }
}

bool is_near(double actual, double expected, double bound) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (bound == 0) return actual == expected && std::signbit(actual) == std::signbit(expected);
  return actual == expected || std::abs(actual - expected) <= bound;
}

bool is_near(const Number& actual, const Number& expected, double bound) {
  if (std::isinf(bound)) return true;
  return actual.bits == expected.bits && is_near(actual.real, expected.real, bound) &&
         is_near(actual.imaginary, expected.imaginary, bound);
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <class T>
std::string text_of(T value) {
  if constexpr (Complex<T>) {
    return text_of(value.real()) + "," + text_of(value.imag());
  } else if constexpr (std::same_as<T, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else {
    return shortest(static_cast<double>(value));
  }
}

/// Calls `f` with an element of the type that the name means.
template <class F>
void with_element(const std::string& dtype, F f) {
  const auto is_it = [&]<class T>(T element) {
    if (dtype != name(dtype_of<T>)) return false;
    f(element);
    return true;
  };
  const bool found = [&]<class... T>(T... element) { return (is_it(element) || ...); }(
                         bool{}, std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{}, std::uint8_t{},
                         std::uint16_t{}, std::uint32_t{}, std::uint64_t{}, float16{}, bfloat16{}, float{}, double{},
                         std::complex<float>{}, std::complex<double>{});
  if (!found) throw std::runtime_error("the file of values has the element type '" + dtype + "'");
}

std::string joined(std::span<const std::ptrdiff_t> shape) {
  std::string text;
  for (const std::ptrdiff_t extent : shape) text += (text.empty() ? "" : " ") + std::to_string(extent);
  return "(" + text + ")";
}

}  // namespace

const Stored& Values::next(const std::string& kind) {
  if (asked_ == stored_.size()) throw std::runtime_error("the case asks for more than the file of values has");
  const Stored& stored = stored_[asked_++];
  if (stored.kind != kind) throw std::runtime_error("the case asks for " + kind + ", and the file has " + stored.kind);
  return stored;
}

const Stored& Values::next(const std::string& kind, DType dtype, int rank) {
  const Stored& stored = next(kind);
  if (stored.dtype != name(dtype) || std::ssize(stored.shape) != rank) {
    throw std::runtime_error(kind + " of " + std::string(name(dtype)) + " with " + std::to_string(rank) +
                             " axes, where NumPy has " + stored.dtype + " of shape " + joined(stored.shape));
  }
  return stored;
}

void Values::read_elements(const Stored& from, void* elements) {
  with_element(from.dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < from.values.size(); ++i) static_cast<T*>(elements)[i] = element_of<T>(from.values[i]);
  });
}

void Values::check_elements(const Stored& expected, std::span<const std::ptrdiff_t> shape, const void* elements) {
  if (!std::ranges::equal(shape, expected.shape)) {
    throw std::runtime_error("the shape is " + joined(shape) + ", and NumPy's " + joined(expected.shape));
  }
  with_element(expected.dtype, [&]<class T>(T) {
    std::string wrong;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      const T actual = static_cast<const T*>(elements)[i];
      const double bound = expected.bounds[expected.bounds.size() == 1 ? 0 : i];
      if (is_near(number_of(actual), number_of(element_of<T>(expected.values[i])), bound)) continue;
      wrong += "  element " + std::to_string(i) + " of shape " + joined(shape) + ": " + text_of(actual) +
               ", and NumPy's " + expected.values[i] + " +- " + shortest(bound) + "\n";
    }
    if (!wrong.empty()) throw std::runtime_error("elements of " + expected.dtype + " differ:\n" + wrong);
  });
}

void Values::check_text(const std::string& text) {
  const std::string& expected = next("text").text;
  if (text != expected) throw std::runtime_error("it prints\n" + text + "\nand NumPy\n" + expected);
}

void Values::finish() const {
  if (asked_ != stored_.size()) throw std::runtime_error("the file of values has more than the case asks for");
}

}  // namespace differential
