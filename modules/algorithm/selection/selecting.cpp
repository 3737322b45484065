module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Selecting in rows. Long rows are taken one after another and shared by the threads; others are the work of one thread each.
namespace tessera::selecting {

namespace {

constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 17;  // elements from which threads may share a row

bool is_empty(const rows::Call& call) { return std::ranges::find(call.shape, 0) != call.shape.end(); }

/// Calls body(tile of one row, whether threads share it) for all rows.
template <class Body>
void for_each_row(const rows::Call& call, const Body& body) {
  const rows::Tiling tiling(call, 1);
  if (tiling.length() >= long_row && tiling.row_count() < 2 * num_threads()) {
    for (std::ptrdiff_t row = 0; row < tiling.tile_count(); ++row) body(tiling, tiling.tile(row), true);
    return;
  }
  rows::for_each_tile(tiling, 0, [&](const rows::Tile& tile, std::byte*) { body(tiling, tile, false); });
}

template <class Key>
KeyRow<Key> row_of(const rows::Call& call, const rows::Tiling& tiling, const rows::Tile& tile, KeyKind kind,
                   bool descends) {
  return {static_cast<const Key*>(call.from.data) + tile.from, tiling.length(), tiling.from_step(),
          sorting::order_of<Key>(call.dtype, descends), kind};
}

template <class Key, class Position>
void sort_first(const KeyRow<Key>& row, const std::int64_t* positions, std::ptrdiff_t count, std::int64_t* sorted) {
  std::vector<Key> keys(static_cast<std::size_t>(2 * count));
  std::vector<Position> order(static_cast<std::size_t>(2 * count));
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    keys[at] = row.order.merged(sorting::load_bits(row.from + positions[i] * row.step));
    order[at] = static_cast<Position>(positions[i]);
  }
  sorting::sort_pairs(keys.data(), order.data(), count, keys.data() + count, order.data() + count);
  std::copy_n(order.begin(), count, sorted);
}

/// The positions of a row's first elements in their order.
template <class Key>
void find_first(const KeyRow<Key>& row, std::ptrdiff_t count, std::int64_t* positions, bool shares) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(count));
  split_positions(row, count - 1, count, found.data(), 1, shares);
  // Those below come in their order, then those that equal the last: neither part is sorted, equal keys keep their order.
  if (row.length <= std::ptrdiff_t{std::numeric_limits<std::uint32_t>::max()})
    return sort_first<Key, std::uint32_t>(row, found.data(), count, positions);
  sort_first<Key, std::uint64_t>(row, found.data(), count, positions);
}

}  // namespace

void partition_rows(const rows::Call& call, std::ptrdiff_t rank) {
  if (is_empty(call)) return;
  sorting::with_key(call.dtype, [&]<class Key>(Key) {
    for_each_row(call, [&](const rows::Tiling& tiling, const rows::Tile& tile, bool shares) {
      split_elements(row_of<Key>(call, tiling, tile, KeyKind::exact, false), rank,
                     static_cast<Key*>(call.to.data) + tile.to, tiling.to_step(), shares);
    });
  });
}

void argpartition_rows(const rows::Call& call, std::ptrdiff_t rank) {
  if (is_empty(call)) return;
  sorting::with_key(call.dtype, [&]<class Key>(Key) {
    for_each_row(call, [&](const rows::Tiling& tiling, const rows::Tile& tile, bool shares) {
      split_positions(row_of<Key>(call, tiling, tile, KeyKind::merged, false), rank, tiling.length(),
                      static_cast<std::int64_t*>(call.to.data) + tile.to, tiling.to_step(), shares);
    });
  });
}

void write_first(const First& first) {
  const rows::Call& call = first.call;
  if (is_empty(call) || first.count == 0) return;
  sorting::with_key(call.dtype, [&]<class Key>(Key) {
    for_each_row(call, [&](const rows::Tiling& tiling, const rows::Tile& tile, bool shares) {
      const KeyRow<Key> row = row_of<Key>(call, tiling, tile, KeyKind::merged, first.descends);
      std::vector<std::int64_t> found(static_cast<std::size_t>(first.count));
      find_first(row, first.count, found.data(), shares);
      for (std::ptrdiff_t i = 0; i < first.count; ++i) {
        const std::int64_t at = found[static_cast<std::size_t>(i)];
        first.positions[tile.to + i * tiling.to_step()] = at;
        sorting::store_bits(static_cast<Key*>(call.to.data) + tile.to + i * tiling.to_step(),
                            sorting::load_bits(row.from + at * row.step));
      }
    });
  });
}

}  // namespace tessera::selecting
