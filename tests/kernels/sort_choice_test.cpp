// Which rows are sorted by a block each and which one after another.
#include "../../kernels/sort_choice.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using tessera::kernels::sorts_at_once;

TEST_SUITE_BEGIN("fake");

TEST_CASE("few rows, and rows that are long for one block, are sorted one after another") {
  CHECK(!sorts_at_once(1, 1 << 20));
  CHECK(!sorts_at_once(63, 10));
  CHECK(!sorts_at_once(64, 1 << 20));
  CHECK(!sorts_at_once(200, 1 << 20));
  CHECK(!sorts_at_once(64, 1 << 16));
}

TEST_CASE("many rows of which none is long are sorted at once") {
  CHECK(sorts_at_once(64, 1000));
  CHECK(sorts_at_once(128, 1 << 16));
  CHECK(sorts_at_once(1024, 1 << 20));
  CHECK(sorts_at_once(std::int64_t{1} << 40, 100));
}

TEST_CASE("a longer row never makes one block the better choice") {
  for (std::int64_t rows = 64; rows < 500; rows += 7) {
    bool at_once = true;
    for (std::int64_t length = 1; length < std::int64_t{1} << 40; length *= 3) {
      const bool now = sorts_at_once(rows, length);
      CHECK(!(now && !at_once));
      at_once = now;
    }
  }
}

TEST_SUITE_END();
