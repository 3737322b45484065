// What the tests of arrays share: elements read index by index, and random cases that say how to run them again.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <sstream>
#include <type_traits>
#include <string>
#include <vector>

/// The elements in row-major order, found from shape and strides alone, without the library's iterators.
template <class A>
auto elements_of(const A& array) {
  std::vector<typename A::value_type> elements;
  const auto visit = [&](const auto& self, int axis, std::ptrdiff_t offset) -> void {
    if (axis == A::rank) return elements.push_back(array.data()[offset]);
    for (std::ptrdiff_t i = 0; i < array.shape()[axis]; ++i) {
      self(self, axis + 1, offset + i * array.strides()[static_cast<std::size_t>(axis)]);
    }
  };
  visit(visit, 0, 0);
  return elements;
}

template <class Values>
std::string joined(Values&& values) {
  std::ostringstream text;
  const char* separator = "";
  for (auto&& value : values) {
    text << separator << value;
    separator = " ";
  }
  return text.str();
}

/// "() 5": an element is an array of rank 0 here.
template <class T>
  requires std::is_arithmetic_v<T>
std::string described(const T& value) {
  std::ostringstream text;
  text << "() " << value;
  return text.str();
}

/// "(2, 3) 0 1 2 3 4 5": shape and elements.
template <class A>
std::string described(const A& array) {
  std::ostringstream text;
  text << array.shape() << ' ' << joined(elements_of(array));
  return text.str();
}

/// Random choices of one case; the same on every platform.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// lowest, ..., highest, all as likely.
  std::ptrdiff_t between(std::ptrdiff_t lowest, std::ptrdiff_t highest) {
    return lowest + static_cast<std::ptrdiff_t>(engine_() % static_cast<std::uint64_t>(highest - lowest + 1));
  }
  bool one_in(std::ptrdiff_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

/// Runs `test` with the seeds 0, 1, ...; a failure names its seed, and TESSERA_SEED=n runs that one alone.
template <class Test>
void for_each_seed(std::uint64_t count, const Test& test) {
  const char* only = std::getenv("TESSERA_SEED");
  const std::uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const std::uint64_t last = only == nullptr ? count : first + 1;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    INFO("to run only this case: TESSERA_SEED=" << seed);
    test(Chance(seed));
  }
}
