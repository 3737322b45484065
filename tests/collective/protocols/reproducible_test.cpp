#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::world;

namespace {

/// Numbers of very different sizes: added up in another order they come to other bits.
template <class T>
Array<T, 2> shards(std::ptrdiff_t count, std::ptrdiff_t columns, unsigned seed) {
  Array<T, 2> made(Dim{count, columns});
  std::mt19937 random(seed);
  for (std::ptrdiff_t i = 0; i < made.size(); ++i) {
    const float mantissa = static_cast<float>(random() % 2001) / 1000.f - 1.f;
    made.data()[i] = static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 12)));
  }
  return made;
}

/// The tree over leaves [begin, end), halved at the largest power of two below their number.
template <class W>
W tree_sum(const std::vector<W>& leaves, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return leaves[begin];
  std::size_t half = 1;
  while (2 * half < end - begin) half *= 2;
  return tree_sum(leaves, begin, begin + half) + tree_sum(leaves, begin + half, end);
}

template <class T>
Array<T, 1> expected_sum(const Array<T, 2>& all_shards) {
  using W = std::conditional_t<sizeof(T) == 2, float, T>;
  const auto count = all_shards.shape()[0], columns = all_shards.shape()[1];
  Array<T, 1> sums(Dim{columns});
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    std::vector<W> leaves;
    for (std::ptrdiff_t i = 0; i < count; ++i) leaves.push_back(static_cast<W>(all_shards.data()[i * columns + j]));
    sums.data()[j] = static_cast<T>(tree_sum(leaves, 0, leaves.size()));
  }
  return sums;
}

template <class T>
bool have_same_bits(const Array<T, 1>& a, const Array<T, 1>& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("the same shards come to the same bits, however they are divided among ranks", T, float, double,
                   float16, bfloat16) {
  std::mt19937 random(31);
  for (int round = 0; round < 12; ++round) {
    const auto count = static_cast<std::ptrdiff_t>(1 + random() % 40);
    const std::ptrdiff_t columns = round == 0 ? 20'001 : static_cast<std::ptrdiff_t>(random() % 3000);
    CAPTURE(count);
    CAPTURE(columns);
    const Array<T, 2> whole = shards<T>(count, columns, random());
    // Anywhere: some ranks may have none.
    std::vector<std::ptrdiff_t> cuts{0};
    for (int rank = 1; rank < world().size(); ++rank)
      cuts.push_back(static_cast<std::ptrdiff_t>(random() % static_cast<unsigned>(count + 1)));
    cuts.push_back(count);
    // the same at all ranks
    std::ranges::sort(cuts);
    const auto at = static_cast<std::size_t>(world().rank());
    const auto mine = whole(range(cuts[at], cuts[at + 1]), all);
    CHECK(have_same_bits(world().all_reduce(mine, ReduceOp::sum, Reproducible{}), expected_sum(whole)));
  }
}

TEST_CASE("a tree has no leaves without a shard, and none for a scalar") {
  CHECK_THROWS_WITH_AS(world().all_reduce(DArray(Array<float, 0>(1.f)), ReduceOp::sum, Reproducible{}),
                       doctest::Contains("a scalar has no axis"), ShapeError);
}

TEST_CASE("a rank without shards takes part, however few columns there are") {
  for (const std::ptrdiff_t columns : {0, 1, 2, 5}) {
    for (int owner = 0; owner < world().size(); ++owner) {
      const auto all_shards = shards<float>(3, columns, 7);
      const auto own = all_shards(range(0, world().rank() == owner ? 3 : 0), all);
      CHECK(have_same_bits(world().all_reduce(own, ReduceOp::sum, Reproducible{}), expected_sum(all_shards)));
    }
  }
}
