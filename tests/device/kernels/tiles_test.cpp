// Tests of the tiles in which a GPU reads transposed operands: when there are any, and that no two threads of a warp wait for one bank.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

import tessera;

using namespace tessera;
using device::launching::TiledOperand;
using device::launching::Tiling;

namespace {

using Numbers = std::vector<std::ptrdiff_t>;

/// Most 4-byte words of one bank that a warp asks for at once: threads 0 to 31 of a warp read or write `item` bytes at their addresses, those of
/// 8 and 16 bytes in halves and quarters of the warp.
int conflicts(const std::vector<std::ptrdiff_t>& addresses, std::ptrdiff_t item) {
  const std::size_t group = item <= 4 ? 32 : item == 8 ? 16 : 8;
  std::size_t most = 0;
  for (std::size_t first = 0; first < addresses.size(); first += group) {
    std::map<std::ptrdiff_t, std::set<std::ptrdiff_t>> words;
    for (std::size_t k = first; k < first + group; ++k) {
      for (std::ptrdiff_t word = addresses[k] / 4; word <= (addresses[k] + item - 1) / 4; ++word)
        words[word % 32].insert(word);
    }
    for (const auto& [bank, wanted] : words) most = std::max(most, wanted.size());
  }
  return static_cast<int>(most);
}

/// The worst of all warps of a block that stages or reads a tile.
int worst_conflicts(int edge, std::ptrdiff_t item, bool stages) {
  const std::ptrdiff_t pitch = device::launching::tile_pitch(edge, item);
  int worst = 0;
  for (int warp = 0; warp < device::launching::tile_threads / 32; ++warp) {
    std::vector<std::ptrdiff_t> addresses;
    for (int lane = 0; lane < 32; ++lane) {
      const std::ptrdiff_t x = (warp * 32 + lane) % edge, y = (warp * 32 + lane) / edge;
      addresses.push_back((stages ? y * pitch + x : x * pitch + y) * item);
    }
    worst = std::max(worst, conflicts(addresses, item));
  }
  return worst;
}

Tiling tiling(const Numbers& extents, const std::vector<Numbers>& strides, const std::vector<std::ptrdiff_t>& items) {
  std::vector<TiledOperand> operands;
  for (std::size_t k = 0; k < strides.size(); ++k) operands.push_back({strides[k], items[k]});
  return device::launching::tiling_of(extents, operands);
}

}  // namespace

TEST_CASE("a tile's rows and columns lie in different banks for elements of every size") {
  struct Square {
    int edge;
    std::ptrdiff_t item;
  };
  for (const Square& tile : {Square{64, 1}, {64, 2}, {32, 1}, {32, 2}, {32, 4}, {32, 8}, {16, 8}, {16, 16}}) {
    CAPTURE(tile.edge);
    CAPTURE(tile.item);
    CHECK(worst_conflicts(tile.edge, tile.item, true) == 1);
    CHECK(worst_conflicts(tile.edge, tile.item, false) == 1);
  }
  CHECK(worst_conflicts(16, 4, false) == 2);  // only beside operands of 16 bytes
}

TEST_CASE("operands that are contiguous along another axis are staged, in tiles that fit the widest of them") {
  const Tiling floats = tiling({100, 200}, {{200, 1}, {1, 100}, {200, 1}}, {4, 4, 4});
  CHECK(floats.edge == 32);
  CHECK(floats.axis == 0);
  CHECK(floats.staged == core::SmallVector<bool, 8>{false, true, false});
  CHECK(device::launching::tile_count(std::vector<std::ptrdiff_t>{100, 200}, floats) == 4 * 7);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 100}}, {1, 1}).edge == 64);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 100}}, {8, 8}).edge == 32);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 100}}, {16, 16}).edge == 16);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 100}, {1, 100}}, {4, 16, 1}).edge == 16);
  CHECK(tiling({100, 200}, {{200, 1}, {-1, -100}}, {4, 4}).edge == 32);
}

TEST_CASE("no tiles where neighbours share sectors, repeat, or have no other axis that is long enough") {
  CHECK(tiling({200}, {{1}, {100}}, {4, 4}).edge == 0);
  CHECK(tiling({100, 200}, {{200, 1}, {200, 1}}, {4, 4}).edge == 0);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 0}}, {4, 4}).edge == 0);    // repeated along the last axis
  CHECK(tiling({100, 200}, {{200, 1}, {0, 100}}, {4, 4}).edge == 0);  // the same elements in each row
  CHECK(tiling({15, 200}, {{200, 1}, {1, 100}}, {4, 4}).edge == 0);
  CHECK(tiling({100, 15}, {{15, 1}, {1, 100}}, {4, 4}).edge == 0);
  CHECK(tiling({100, 200}, {{200, 1}, {1, 7}}, {4, 4}).edge == 0);  // overlapping windows
  CHECK(tiling({100, 200}, {{200, 1}, {1, 8}}, {4, 4}).edge == 32);
}

TEST_CASE("the axis is that of most bytes, and what does not fit the budget is read where it lies") {
  const Tiling two = tiling({50, 60, 70}, {{4200, 70, 1}, {1, 3500, 50}, {4200, 1, 60}, {4200, 1, 60}}, {4, 8, 4, 8});
  CHECK(two.axis == 1);
  CHECK(two.staged == core::SmallVector<bool, 8>{false, false, true, true});
  std::vector<Numbers> strides(12, Numbers{1, 100});
  strides.front() = {200, 1};
  const Tiling many = tiling({100, 200}, strides, std::vector<std::ptrdiff_t>(12, 8));
  CHECK(std::ranges::count(many.staged, true) == 3);  // of 8448 bytes each
}
