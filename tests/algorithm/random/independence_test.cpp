// Numbers of neighbouring positions and of neighbouring keys know nothing of each other.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "statistics.hpp"

import tessera;

using namespace tessera;

namespace {

/// Pairs of uniform numbers in a grid of 16 x 16 cells: as many in each.
double grid_of(const Array<float, 1>& x, const Array<float, 1>& y) {
  std::vector<std::int64_t> counts(256);
  for (std::ptrdiff_t i = 0; i < x.size(); ++i)
    ++counts[static_cast<std::size_t>(x.data()[i] * 16) * 16 + static_cast<std::size_t>(y.data()[i] * 16)];
  return statistics::chi_square(counts, static_cast<double>(x.size()) / 256);
}

Array<float, 1> uniform_of(random::Key key) { return random::uniform<float>(key, Dim{statistics::draws()}); }

}  // namespace

TEST_CASE("positions of one key are independent") {
  for (std::uint64_t i = 0; i < statistics::keys; ++i) {
    const Array<float, 1> x = uniform_of(random::Key{i});
    for (const std::ptrdiff_t distance : {1, 2, 3, 4, 8, 1024}) {
      CAPTURE(distance);
      const Array<float, 1> later = copy(x(range(distance, none)));
      const Array<float, 1> earlier = copy(x(range(0, x.size() - distance)));
      CHECK(std::abs(grid_of(earlier, later)) < 5);
    }
  }
}

TEST_CASE("keys are independent: neighbours, folded and split ones, and what distributions make of them") {
  for (std::uint64_t i = 0; i < statistics::keys; ++i) {
    const random::Key key{i};
    const Array<float, 1> x = uniform_of(key);
    CHECK(std::abs(grid_of(x, uniform_of(random::Key{i + 1}))) < 5);
    CHECK(std::abs(grid_of(x, uniform_of(key.fold(0)))) < 5);
    CHECK(std::abs(grid_of(uniform_of(key.fold(0)), uniform_of(key.fold(1)))) < 5);
    const auto [first, second] = random::split(key);
    CHECK(std::abs(grid_of(uniform_of(first), uniform_of(second))) < 5);
    CHECK(std::abs(grid_of(x, uniform_of(first))) < 5);
    CHECK(std::abs(grid_of(uniform_of(key.fold(0)), uniform_of(first))) < 5);
  }
  std::set<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const random::Key& one : random::split<5>(random::Key{i})) keys.insert(one.value);
    for (std::uint64_t j = 0; j < 5; ++j) keys.insert(random::Key{i}.fold(j).value);
  }
  CHECK(keys.size() == 1000);
}

TEST_CASE("each bit of a word is set as often as not, and as its neighbours are not") {
  const Array<std::uint64_t, 1> words = random::bits<std::uint64_t>(random::Key{41}, Dim{statistics::draws()});
  const double deviation = std::sqrt(static_cast<double>(words.size())) / 2;
  for (int bit = 0; bit < 64; ++bit) {
    CAPTURE(bit);
    const auto count = [&](const auto& chosen) {
      return static_cast<double>(item(sum(cast<std::int64_t>((chosen >> bit) & std::uint64_t{1}))));
    };
    CHECK(std::abs(count(words) - static_cast<double>(words.size()) / 2) < 5 * deviation);
    const Array<std::uint64_t, 1> changed = words ^ (words >> 1);
    if (bit < 63) CHECK(std::abs(count(changed) - static_cast<double>(words.size()) / 2) < 5 * deviation);
  }
}
