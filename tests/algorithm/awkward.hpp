// Elements that are hard to compare among random ones, and the order that the library gives them.
#pragma once
#include "../expr/support.hpp"

namespace awkward {

using namespace tessera;
using namespace support;

template <class T>
bool is_nan(T value) {
  if constexpr (Floating<T>) return static_cast<double>(value) != static_cast<double>(value);
  return false;
}

/// NaN last; -0 equals 0.
template <class T>
bool is_before(T a, T b) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  return a < b;
}
template <class T>
bool is_same(T a, T b) {
  return !is_before(a, b) && !is_before(b, a);
}

template <class T>
T value(Random& random) {
  if constexpr (Floating<T>) {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const double hard[] = {0.0, -0.0, infinity, -infinity, nan, -nan, 1.0, -1.0, 6e-8, -6e-8};
    if (random.below(2) == 0) return T(hard[random.below(10)]);
  }
  return random_value<T>(random);
}

template <class T, int Rank>
Array<T, Rank> array(const Dim<Rank>& shape, Arrangement kind, Random& random) {
  const Array<T, Rank> made = storage_like<T>(shape, kind, T(0), random);
  for_each_position(shape, [&](const auto& position) { element(made, position) = value<T>(random); });
  return made;
}

}  // namespace awkward
