// What the tests of dynamic arrays share: arrays with values of any type in any layout, and comparison of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

import tessera;

namespace darrays {

using namespace tessera;

/// A value that every type holds, some of them negative where there is a sign.
template <class T>
T value_at(std::mt19937& random) {
  const int number = static_cast<int>(random() % 11);
  if constexpr (std::is_same_v<T, bool>) {
    return number % 2 == 0;
  } else if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(number) / 4 - 1, static_cast<Part>(number % 3));
  } else if constexpr (Floating<T>) {
    return static_cast<T>(static_cast<float>(number) / 4 - 1);
  } else if constexpr (kind_of<T> == Kind::signed_integer) {
    return static_cast<T>(number - 5);
  } else {
    return static_cast<T>(number);
  }
}

template <class T, int Rank>
Array<T, Rank> random_array(const Dim<Rank>& shape, std::mt19937& random) {
  Array<T, Rank> array(shape);
  for (T& element : array) element = value_at<T>(random);
  return array;
}

/// The same shape in another layout: row-major, transposed, backwards, every second column of more, one row that repeats.
inline constexpr int layouts = 5;
template <class T>
Array<T, 2> random_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, int layout, std::mt19937& random) {
  switch (layout) {
    case 1: return random_array<T>(Dim{columns, rows}, random).T();
    case 2: return random_array<T>(Dim{rows, columns}, random)(range(none, none, -1), range(none, none, -1));
    case 3: return random_array<T>(Dim{rows, 2 * columns}, random)(all, range(none, none, 2));
    case 4: return random_array<T>(Dim{1, columns}, random);
    default: return random_array<T>(Dim{rows, columns}, random);
  }
}

/// The elements of a host array in row-major order, as bytes.
template <class T, int Rank>
std::vector<unsigned char> bytes_of(const Array<T, Rank>& array) {
  const Array<T, Rank> rows = array.clone();
  std::vector<unsigned char> bytes(static_cast<std::size_t>(rows.size()) * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
  return bytes;
}

/// The dynamic array has the type, the shape and the bits of the static one.
template <class T, int Rank>
bool is_same(const DArray& found, const Array<T, Rank>& expected) {
  if (!holds<Array<T, Rank>>(found)) return false;
  const auto& array = get<Array<T, Rank>>(found);
  return array.shape() == expected.shape() && bytes_of(array) == bytes_of(expected);
}

}  // namespace darrays
