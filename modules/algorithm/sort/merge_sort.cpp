module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Sorting long rows on several threads: blocks are sorted beside each other, then pairs of sorted runs are merged, each pair in pieces
// that are found by bisection (O. Green, R. McColl, D. Bader, "GPU Merge Path", 2012).
namespace tessera::sorting {

namespace {

constexpr std::ptrdiff_t piece_keys = std::ptrdiff_t{1} << 16;  // that one task merges
constexpr std::ptrdiff_t block_bytes = std::ptrdiff_t{1}
                                       << 21;  // of keys that one task sorts, so that they stay in its cache

template <class Key>
constexpr std::ptrdiff_t most_block_keys = block_bytes / static_cast<std::ptrdiff_t>(sizeof(Key));

/// Blocks of equal size, at least one a thread.
template <class Key>
std::ptrdiff_t block_keys(std::ptrdiff_t n, bool are_in_cache) {
  const std::ptrdiff_t fewest = are_in_cache ? (n - 1) / most_block_keys<Key> + 1 : 1;
  const std::ptrdiff_t blocks = std::max<std::ptrdiff_t>(num_threads(), fewest);
  const auto runs = static_cast<std::ptrdiff_t>(std::bit_ceil(static_cast<std::uint64_t>(blocks)));
  return std::max(piece_keys, (n + runs - 1) / runs);
}

/// Two sorted runs: [first, middle) and [middle, last).
struct Runs {
  std::ptrdiff_t first, middle, last;
};

/// Of the first `count` merged keys, how many come from the first run. Equal keys come from the first run first.
template <class Key>
std::ptrdiff_t split(const Key* keys, const Runs& runs, std::ptrdiff_t count) {
  const Key* a = keys + runs.first;
  const Key* b = keys + runs.middle;
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, count - (runs.last - runs.middle));
  std::ptrdiff_t high = std::min(count, runs.middle - runs.first);
  while (low < high) {
    const std::ptrdiff_t taken = (low + high) / 2;
    if (b[count - 1 - taken] < a[taken]) {
      high = taken;
    } else {
      low = taken + 1;
    }
  }
  return low;
}

template <class Key>
struct KeysOnly {
  Key* keys;

  void copy(std::ptrdiff_t to, const KeysOnly& from, std::ptrdiff_t first, std::ptrdiff_t n) const {
    std::copy_n(from.keys + first, n, keys + to);
  }
  [[gnu::always_inline]] void take(std::ptrdiff_t to, const KeysOnly& from, std::ptrdiff_t at) const {
    keys[to] = from.keys[at];
  }
};

template <class Key, class Position>
struct KeysAndPositions {
  Key* keys;
  Position* positions;

  void copy(std::ptrdiff_t to, const KeysAndPositions& from, std::ptrdiff_t first, std::ptrdiff_t n) const {
    std::copy_n(from.keys + first, n, keys + to);
    std::copy_n(from.positions + first, n, positions + to);
  }
  [[gnu::always_inline]] void take(std::ptrdiff_t to, const KeysAndPositions& from, std::ptrdiff_t at) const {
    keys[to] = from.keys[at];
    positions[to] = from.positions[at];
  }
};

/// Writes merged elements [begin, end), counted from runs.first. Which run the next element comes from is no branch.
template <class Sequence>
void merge_piece(const Sequence& to, const Sequence& from, const Runs& runs, std::ptrdiff_t begin, std::ptrdiff_t end) {
  const std::ptrdiff_t a_first = split(from.keys, runs, begin);
  const std::ptrdiff_t a_last = split(from.keys, runs, end);
  std::ptrdiff_t a = runs.first + a_first;
  std::ptrdiff_t b = runs.middle + begin - a_first;
  const std::ptrdiff_t a_end = runs.first + a_last;
  const std::ptrdiff_t b_end = runs.middle + end - a_last;
  std::ptrdiff_t out = runs.first + begin;
  while (a < a_end && b < b_end) {
    const bool is_second = from.keys[b] < from.keys[a];
    to.take(out++, from, is_second ? b : a);
    b += is_second ? 1 : 0;
    a += is_second ? 0 : 1;
  }
  to.copy(out, from, a, a_end - a);
  to.copy(out + a_end - a, from, b, b_end - b);
}

/// Merges runs of `run` elements pairwise.
template <class Sequence>
void merge_runs(const Sequence& to, const Sequence& from, std::ptrdiff_t n, std::ptrdiff_t run) {
  const std::ptrdiff_t pieces = (2 * run - 1) / piece_keys + 1;  // of a pair
  const std::ptrdiff_t pairs = (n - 1) / (2 * run) + 1;
  parallel_for(pairs * pieces, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = task / pieces * 2 * run;
    const Runs runs{.first = first, .middle = std::min(n, first + run), .last = std::min(n, first + 2 * run)};
    const std::ptrdiff_t begin = std::min(task % pieces * piece_keys, runs.last - first);
    merge_piece(to, from, runs, begin, std::min(begin + piece_keys, runs.last - first));
  });
}

template <class Sequence, class SortBlock>
Sequence sort_many(Sequence elements, Sequence spare, std::ptrdiff_t n, std::ptrdiff_t block,
                   const SortBlock& sort_block) {
  parallel_for((n - 1) / block + 1,
               [&](std::ptrdiff_t index) { sort_block(index * block, std::min(block, n - index * block)); });
  for (std::ptrdiff_t run = block; run < n; run *= 2) {
    merge_runs(spare, elements, n, run);
    std::swap(elements, spare);
  }
  return elements;
}

}  // namespace

template <class Key>
Key* sort_many_keys(Key* keys, std::ptrdiff_t n, Key* spare) {
  const auto sort_block = [=](std::ptrdiff_t first, std::ptrdiff_t count) {
    sort_keys(keys + first, count, spare + first);
  };
  return sort_many(KeysOnly<Key>{keys}, KeysOnly<Key>{spare}, n,
                   block_keys<Key>(n, !(has_vector_sort() && are_vector_keys<Key>)), sort_block)
      .keys;
}

template <class Key, class Position>
Pairs<Key, Position> sort_many_pairs(Pairs<Key, Position> pairs, std::ptrdiff_t n, Pairs<Key, Position> spare) {
  using Sequence = KeysAndPositions<Key, Position>;
  const auto sort_block = [=](std::ptrdiff_t first, std::ptrdiff_t count) {
    sort_pairs(pairs.keys + first, pairs.positions + first, count, spare.keys + first, spare.positions + first);
  };
  const Sequence sorted =
      sort_many(Sequence{pairs.keys, pairs.positions}, Sequence{spare.keys, spare.positions}, n,
                block_keys<Key>(n, !(has_vector_sort() && are_vector_pairs<Key, Position>)), sort_block);
  return {sorted.keys, sorted.positions};
}

template std::uint8_t* sort_many_keys(std::uint8_t*, std::ptrdiff_t, std::uint8_t*);
template std::uint16_t* sort_many_keys(std::uint16_t*, std::ptrdiff_t, std::uint16_t*);
template std::uint32_t* sort_many_keys(std::uint32_t*, std::ptrdiff_t, std::uint32_t*);
template std::uint64_t* sort_many_keys(std::uint64_t*, std::ptrdiff_t, std::uint64_t*);

template <class Key, class Position>
using P = Pairs<Key, Position>;
template P<std::uint8_t, std::uint32_t> sort_many_pairs(P<std::uint8_t, std::uint32_t>, std::ptrdiff_t,
                                                        P<std::uint8_t, std::uint32_t>);
template P<std::uint16_t, std::uint32_t> sort_many_pairs(P<std::uint16_t, std::uint32_t>, std::ptrdiff_t,
                                                         P<std::uint16_t, std::uint32_t>);
template P<std::uint32_t, std::uint32_t> sort_many_pairs(P<std::uint32_t, std::uint32_t>, std::ptrdiff_t,
                                                         P<std::uint32_t, std::uint32_t>);
template P<std::uint64_t, std::uint32_t> sort_many_pairs(P<std::uint64_t, std::uint32_t>, std::ptrdiff_t,
                                                         P<std::uint64_t, std::uint32_t>);
template P<std::uint8_t, std::uint64_t> sort_many_pairs(P<std::uint8_t, std::uint64_t>, std::ptrdiff_t,
                                                        P<std::uint8_t, std::uint64_t>);
template P<std::uint16_t, std::uint64_t> sort_many_pairs(P<std::uint16_t, std::uint64_t>, std::ptrdiff_t,
                                                         P<std::uint16_t, std::uint64_t>);
template P<std::uint32_t, std::uint64_t> sort_many_pairs(P<std::uint32_t, std::uint64_t>, std::ptrdiff_t,
                                                         P<std::uint32_t, std::uint64_t>);
template P<std::uint64_t, std::uint64_t> sort_many_pairs(P<std::uint64_t, std::uint64_t>, std::ptrdiff_t,
                                                         P<std::uint64_t, std::uint64_t>);

}  // namespace tessera::sorting
