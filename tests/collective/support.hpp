// What tests of groups share: the group, elements that tell the rank that made them, and the same in other layouts.
#pragma once
#include <cstddef>
#include <random>

import tessera;

namespace ranks {

inline const tessera::Group& world() {
  static const tessera::Group group = tessera::Group::world();
  return group;
}

/// Small whole numbers, others at each rank, so that sums are exact in every type; of bool about half are true.
template <class T, int D>
tessera::Array<T, D> numbers(const tessera::Dim<D>& shape, int rank, unsigned seed = 0) {
  tessera::Array<T, D> made(shape);
  std::mt19937 random(seed * 977U + static_cast<unsigned>(rank) * 31U + 5U);
  for (std::ptrdiff_t i = 0; i < made.size(); ++i) {
    const auto number = static_cast<float>(random() % 7);
    if constexpr (std::same_as<T, bool>) {
      made.data()[i] = number > 2;
    } else {
      made.data()[i] = static_cast<T>(number);
    }
  }
  return made;
}

/// The same elements in another layout: transposed in memory, every second of some, from the end, or as they are.
template <class T>
tessera::Array<T, 2> laid_out(const tessera::Array<T, 2>& x, unsigned layout) {
  using namespace tessera;
  const auto rows = x.shape()[0], columns = x.shape()[1];
  switch (layout % 4) {
    case 1: {
      Array<T, 2> other(Dim{columns, rows});
      other.T()(ellipsis) = x;
      return other.T();
    }
    case 2: {
      Array<T, 2> other(Dim{2 * rows, 3 * columns});
      auto seen = other(range(0, 2 * rows, 2), range(0, 3 * columns, 3));
      seen(ellipsis) = x;
      return seen;
    }
    case 3: {
      Array<T, 2> other(Dim{rows, columns});
      auto seen = flip<1>(other);
      seen(ellipsis) = x;
      return seen;
    }
    default: return copy(x);
  }
}

}  // namespace ranks
