module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:key_rows;
import tessera.standard;
import tessera.core;
import tessera.memory;
import :rows;
import :instruction_sets;
import :sort_order;
import :keys;

// Rows of elements that are read as keys, in pieces for threads and in blocks for loops.
namespace tessera::selecting {

/// What of a row's elements are keys.
enum class KeyKind { exact, merged, ready };

/// A row of elements that are read as keys of an order; `ready` elements are keys.
template <class Key>
struct KeyRow {
  const Key* from;
  std::ptrdiff_t length, step;
  sorting::Order<Key> order;
  KeyKind kind;
};

inline constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 15;
inline constexpr std::ptrdiff_t block = 256;

/// Calls body for pieces of [0, n), on several threads if it `shares` them.
template <class Body>
void for_pieces(std::ptrdiff_t n, bool shares, const Body& body) {
  if (shares) return rows::for_each_piece(n, piece, body);
  for (std::ptrdiff_t begin = 0; begin < n; begin += piece) body(begin, std::min(n, begin + piece));
}

/// A step of 1 that the compiler knows.
struct Unit {
  constexpr operator std::ptrdiff_t() const { return 1; }
};

/// Calls body with a function of a position that returns its key, compiled for what the row is.
template <class Key, class Body>
[[gnu::always_inline]] inline decltype(auto) with_keys(const KeyRow<Key>& row, const Body& body) {
  const auto with_step = [&](auto step) __attribute__((always_inline)) -> decltype(auto) {
    const Key* const from = row.from;
    const sorting::Order<Key> order = row.order;
    switch (row.kind) {
      case KeyKind::ready: return body([=](std::ptrdiff_t i) __attribute__((always_inline)) { return from[i * step]; });
      case KeyKind::exact:
        return body([=](std::ptrdiff_t i)
                        __attribute__((always_inline)) { return order.exact(sorting::load_bits(from + i * step)); });
      case KeyKind::merged: break;
    }
    return body([=](std::ptrdiff_t i)
                    __attribute__((always_inline)) { return order.merged(sorting::load_bits(from + i * step)); });
  };
  if (row.step == 1) return with_step(Unit{});
  return with_step(row.step);
}

/// Writes the keys of a part of a row.
template <class Key>
struct ReadKeys {
  [[gnu::always_inline]] static void run(const KeyRow<Key>& row, std::ptrdiff_t first, std::ptrdiff_t size, Key* to) {
    with_keys(row, [=](const auto& keys) __attribute__((always_inline)) {
      for (std::ptrdiff_t i = 0; i < size; ++i) to[i] = keys(first + i);
    });
  }
};

template <class Key>
Key key_at(const KeyRow<Key>& row, std::ptrdiff_t position) {
  Key key;
  ReadKeys<Key>::run(row, position, 1, &key);
  return key;
}

/// Calls body(first position, keys, their number) for the blocks of a part of a row.
template <class Key, class Body>
void for_blocks(const KeyRow<Key>& row, std::ptrdiff_t begin, std::ptrdiff_t end, const Body& body) {
  const auto read = rows::Compiled<ReadKeys<Key>>::best();
  const bool is_read = row.kind == KeyKind::ready && row.step == 1;
  Key values[block];
  for (std::ptrdiff_t first = begin; first < end; first += block) {
    const std::ptrdiff_t size = std::min(block, end - first);
    if (!is_read) read(row, first, size, values);
    body(first, is_read ? row.from + first : values, size);
  }
}

template <class Key>
memory::Allocation room(std::ptrdiff_t count) {
  return memory::Allocation(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(Key)));
}

/// How many keys of a block are above a limit.
template <class Key>
struct CountAbove {
  [[gnu::always_inline]] static std::ptrdiff_t run(const Key* values, std::ptrdiff_t size, Key limit) {
    std::uint32_t count = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) count += values[i] > limit ? 1 : 0;
    return count;
  }
};

}  // namespace tessera::selecting
