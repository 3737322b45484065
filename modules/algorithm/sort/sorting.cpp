module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Sorting rows: elements become keys, which are sorted in memory of their own and written back.
namespace tessera::sorting {

namespace {

constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 17;     // elements from which threads may share a row
constexpr std::ptrdiff_t longest_row = std::ptrdiff_t{1} << 20;  // and from which they always do
constexpr std::ptrdiff_t tile_bytes = std::ptrdiff_t{1}
                                      << 17;  // of keys that are sorted at a time, where rows are short
constexpr std::ptrdiff_t widest_tile = 64;
constexpr std::ptrdiff_t short_row = 128;  // whose keys are compared with those of other rows beside them
constexpr std::ptrdiff_t fewest_side_by_side = 8;
constexpr std::ptrdiff_t packed_piece = std::ptrdiff_t{1} << 16;

/// Elements are read and written as numbers of their size, whatever they are.
template <class Key>
[[gnu::always_inline]] inline Key load(const Key* at) {
  Key bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}
template <class Key>
[[gnu::always_inline]] inline void store(Key* at, Key bits) {
  std::memcpy(at, &bits, sizeof bits);
}

std::ptrdiff_t tile_width(const rows::Call& call, std::ptrdiff_t row_bytes) {
  const std::ptrdiff_t length = call.shape[static_cast<std::size_t>(call.axis)];
  return std::clamp<std::ptrdiff_t>(tile_bytes / std::max<std::ptrdiff_t>(1, length * row_bytes), 1, widest_tile);
}

/// Calls body(j, row) for the elements of a tile; the inner loop is along the shorter step.
template <class Body>
[[gnu::always_inline]] inline void for_each_element(std::ptrdiff_t length, std::ptrdiff_t rows, bool is_across,
                                                    const Body& body) {
  if (is_across) {
    for (std::ptrdiff_t j = 0; j < length; ++j) {
      for (std::ptrdiff_t row = 0; row < rows; ++row) body(j, row);
    }
  } else {
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      for (std::ptrdiff_t j = 0; j < length; ++j) body(j, row);
    }
  }
}

bool is_across(std::ptrdiff_t step, std::ptrdiff_t gap, std::ptrdiff_t rows) {
  const auto distance = [](std::ptrdiff_t a) { return a < 0 ? -a : a; };
  return rows > 1 && distance(gap) < distance(step);
}

/// Rows that are taken one after another: too long for the cache, or too few for all threads.
bool are_shared(const rows::Tiling& tiling) {
  if (tiling.length() >= longest_row) return true;
  return tiling.length() >= long_row && tiling.row_count() < 2 * num_threads() && num_threads() > 1;
}

/// Sorts `rows` rows of n keys, key j of all of them beside each other, by K. Batcher's network of comparisons (D. Knuth, "The Art of Computer
/// Programming" 3, 5.2.2, algorithm M), each of which is that of all rows.
template <class Key>
struct SortSideBySide {
  [[gnu::always_inline]] static void exchange(Key* __restrict a, Key* __restrict b, std::ptrdiff_t rows) {
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      const Key first = a[row], second = b[row];
      a[row] = std::min(first, second);
      b[row] = std::max(first, second);
    }
  }
  [[gnu::always_inline]] static void run(Key* keys, std::ptrdiff_t n, std::ptrdiff_t rows) {
    const auto half = static_cast<std::ptrdiff_t>(std::bit_ceil(static_cast<std::uint64_t>(n))) / 2;
    for (std::ptrdiff_t p = half; p > 0; p /= 2) {
      std::ptrdiff_t r = 0, distance = p;
      for (std::ptrdiff_t q = half;; q /= 2) {
        for (std::ptrdiff_t i = 0; i + distance < n; ++i) {
          if ((i & p) == r) exchange(keys + i * rows, keys + (i + distance) * rows, rows);
        }
        if (q == p) break;
        distance = q - p;
        r = p;
      }
    }
  }
};

/// Many short rows, whose keys are compared side by side.
template <class Key>
void sort_short_rows(const Order<Key>& order, const rows::TypedRows<Key, Key>& m, std::ptrdiff_t n,
                     const rows::Tile& tile, Key* keys) {
  const Key* from = m.from + tile.from;
  Key* to = m.to + tile.to;
  const std::ptrdiff_t rows = tile.rows;
  for_each_element(n, rows, is_across(m.from_step, m.from_gap, rows), [&](std::ptrdiff_t j, std::ptrdiff_t row) {
    keys[j * rows + row] = order.exact(load(from + j * m.from_step + row * m.from_gap));
  });
  tessera::rows::Compiled<SortSideBySide<Key>>::best()(keys, n, rows);
  for_each_element(n, rows, is_across(m.to_step, m.to_gap, rows), [&](std::ptrdiff_t j, std::ptrdiff_t row) {
    store(to + j * m.to_step + row * m.to_gap, order.bits(keys[j * rows + row]));
  });
}

template <class Key>
void sort_tile(const Order<Key>& order, const rows::TypedRows<Key, Key>& m, std::ptrdiff_t n, const rows::Tile& tile,
               Key* keys) {
  if (n <= short_row && tile.rows >= fewest_side_by_side) return sort_short_rows(order, m, n, tile, keys);
  const Key* from = m.from + tile.from;
  Key* to = m.to + tile.to;
  for_each_element(n, tile.rows, is_across(m.from_step, m.from_gap, tile.rows),
                   [&](std::ptrdiff_t j, std::ptrdiff_t row) {
                     keys[row * n + j] = order.exact(load(from + j * m.from_step + row * m.from_gap));
                   });
  for (std::ptrdiff_t row = 0; row < tile.rows; ++row) sort_keys(keys + row * n, n, keys + tile.rows * n);
  for_each_element(n, tile.rows, is_across(m.to_step, m.to_gap, tile.rows), [&](std::ptrdiff_t j, std::ptrdiff_t row) {
    store(to + j * m.to_step + row * m.to_gap, order.bits(keys[row * n + j]));
  });
}

/// One row, shared by the threads.
template <class Key>
void sort_long_row(const Order<Key>& order, const rows::TypedRows<Key, Key>& m, std::ptrdiff_t n, const rows::Tile& row,
                   Key* keys) {
  const Key* from = m.from + row.from;
  Key* to = m.to + row.to;
  rows::for_each_piece(n, packed_piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t j = begin; j < end; ++j) keys[j] = order.exact(load(from + j * m.from_step));
  });
  const Key* sorted = sort_many_keys(keys, n, keys + n);
  rows::for_each_piece(n, packed_piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t j = begin; j < end; ++j) store(to + j * m.to_step, order.bits(sorted[j]));
  });
}

template <class Key>
void sort_rows_of(const rows::Call& call, bool descending) {
  const auto order = order_of<Key>(call.dtype, descending);
  const rows::Tiling tiling(call, tile_width(call, sizeof(Key)));
  const std::ptrdiff_t n = tiling.length();
  const rows::TypedRows<Key, Key> m(call, tiling);
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(Key));
  if (are_shared(tiling)) {
    const memory::Allocation scratch(CpuPlace{}, 2 * n * bytes);
    for (std::ptrdiff_t row = 0; row < tiling.tile_count(); ++row)
      sort_long_row(order, m, n, tiling.tile(row), static_cast<Key*>(scratch.data()));
    return;
  }
  rows::for_each_tile(tiling, (tiling.width() + 1) * n * bytes, [&](const rows::Tile& tile, std::byte* scratch) {
    sort_tile(order, m, n, tile, reinterpret_cast<Key*>(scratch));
  });
}

/// Keys and positions of some elements, in one piece of memory.
template <class Key, class Position>
struct PairScratch {
  Key* keys;
  Position* positions;

  static std::ptrdiff_t bytes(std::ptrdiff_t count) {
    return count * static_cast<std::ptrdiff_t>(sizeof(Key) + sizeof(Position));
  }
  /// The larger ones stand first, so that all are aligned.
  PairScratch(std::byte* memory, std::ptrdiff_t count) {
    constexpr bool keys_first = sizeof(Key) > sizeof(Position);
    std::byte* const second = memory + count * static_cast<std::ptrdiff_t>(keys_first ? sizeof(Key) : sizeof(Position));
    keys = reinterpret_cast<Key*>(keys_first ? memory : second);
    positions = reinterpret_cast<Position*>(keys_first ? second : memory);
  }
};

template <class Key, class Position>
void argsort_tile(const Order<Key>& order, const rows::TypedRows<Key, std::int64_t>& m, std::ptrdiff_t n,
                  const rows::Tile& tile, const PairScratch<Key, Position>& s) {
  const Key* from = m.from + tile.from;
  for_each_element(n, tile.rows, is_across(m.from_step, m.from_gap, tile.rows),
                   [&](std::ptrdiff_t j, std::ptrdiff_t row) {
                     s.keys[row * n + j] = order.merged(load(from + j * m.from_step + row * m.from_gap));
                   });
  const std::ptrdiff_t spare = tile.rows * n;
  for (std::ptrdiff_t first = 0; first < spare; first += n) {
    std::iota(s.positions + first, s.positions + first + n, Position{0});
    sort_pairs(s.keys + first, s.positions + first, n, s.keys + spare, s.positions + spare);
  }
  for_each_element(n, tile.rows, is_across(m.to_step, m.to_gap, tile.rows), [&](std::ptrdiff_t j, std::ptrdiff_t row) {
    m.to[tile.to + j * m.to_step + row * m.to_gap] = static_cast<std::int64_t>(s.positions[row * n + j]);
  });
}

template <class Key, class Position>
void argsort_long_row(const Order<Key>& order, const rows::TypedRows<Key, std::int64_t>& m, std::ptrdiff_t n,
                      const rows::Tile& row, const PairScratch<Key, Position>& s) {
  const Key* from = m.from + row.from;
  rows::for_each_piece(n, packed_piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t j = begin; j < end; ++j) s.keys[j] = order.merged(load(from + j * m.from_step));
    std::iota(s.positions + begin, s.positions + end, static_cast<Position>(begin));
  });
  const auto sorted = sort_many_pairs<Key, Position>({s.keys, s.positions}, n, {s.keys + n, s.positions + n});
  rows::for_each_piece(n, packed_piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t j = begin; j < end; ++j)
      m.to[row.to + j * m.to_step] = static_cast<std::int64_t>(sorted.positions[j]);
  });
}

template <class Key, class Position>
void argsort_rows_of(const rows::Call& call, bool descending) {
  using Scratch = PairScratch<Key, Position>;
  const auto order = order_of<Key>(call.dtype, descending);
  const rows::Tiling tiling(call, tile_width(call, sizeof(Key) + sizeof(Position)));
  const std::ptrdiff_t n = tiling.length();
  const rows::TypedRows<Key, std::int64_t> m(call, tiling);
  if (are_shared(tiling)) {
    const memory::Allocation memory(CpuPlace{}, Scratch::bytes(2 * n));
    const Scratch scratch(static_cast<std::byte*>(memory.data()), 2 * n);
    for (std::ptrdiff_t row = 0; row < tiling.tile_count(); ++row)
      argsort_long_row(order, m, n, tiling.tile(row), scratch);
    return;
  }
  const std::ptrdiff_t most = (tiling.width() + 1) * n;
  rows::for_each_tile(tiling, Scratch::bytes(most), [&](const rows::Tile& tile, std::byte* memory) {
    argsort_tile(order, m, n, tile, Scratch(memory, most));
  });
}

template <class Key>
void argsort_by_length(const rows::Call& call, bool descending) {
  const std::ptrdiff_t length = call.shape[static_cast<std::size_t>(call.axis)];
  if (length <= std::ptrdiff_t{std::numeric_limits<std::uint32_t>::max()})
    return argsort_rows_of<Key, std::uint32_t>(call, descending);
  argsort_rows_of<Key, std::uint64_t>(call, descending);
}

bool is_empty(const rows::Call& call) { return std::ranges::find(call.shape, 0) != call.shape.end(); }

}  // namespace

void sort_rows(const rows::Call& call, bool descending) {
  if (is_empty(call)) return;
  switch (item_size(call.dtype)) {
    case 1: return sort_rows_of<std::uint8_t>(call, descending);
    case 2: return sort_rows_of<std::uint16_t>(call, descending);
    case 4: return sort_rows_of<std::uint32_t>(call, descending);
    default: return sort_rows_of<std::uint64_t>(call, descending);
  }
}

void argsort_rows(const rows::Call& call, bool descending) {
  if (is_empty(call)) return;
  switch (item_size(call.dtype)) {
    case 1: return argsort_by_length<std::uint8_t>(call, descending);
    case 2: return argsort_by_length<std::uint16_t>(call, descending);
    case 4: return argsort_by_length<std::uint32_t>(call, descending);
    default: return argsort_by_length<std::uint64_t>(call, descending);
  }
}

}  // namespace tessera::sorting
