module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.memory;

// Selection by a sample (R. Floyd, R. Rivest, "Expected time bounds for selection", 1975): two keys of a sorted sample enclose the wanted rank
// with near certainty; one pass counts what is below and keeps the few per cent between them. Where the sample misled, all keys are kept and
// partitioned. The keys of ranks are what they are, whichever way they are found.
namespace tessera::selecting {

namespace {

constexpr std::ptrdiff_t few_ranks = 16;  // for more, sorting everything is faster

/// How the keys of a block, or of more, lie to two bounds.
struct Sides {
  std::ptrdiff_t below = 0, lows = 0, highs = 0, between = 0;
};

/// Counts the keys of a block below, on and above two bounds, and writes those between them.
template <class Key>
struct SiftBlock {
  [[gnu::always_inline]] static Sides run(const Key* values, std::ptrdiff_t size, Key low, Key high, Key* kept) {
    std::uint32_t below = 0, lows = 0, highs = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      below += values[i] < low ? 1 : 0;
      lows += values[i] == low ? 1 : 0;
      highs += values[i] == high ? 1 : 0;
    }
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      kept[count] = values[i];
      count += values[i] > low && values[i] < high ? 1 : 0;
    }
    return {below, lows, highs, count};
  }
};

/// A row cut by two keys: what is below the first, and what is between them.
template <class Key>
class Cut {
 public:
  Cut(const KeyRow<Key>& row, std::ptrdiff_t rank, bool shares) : capacity_(row.length / 8 + block) {
    const std::ptrdiff_t n = row.length;
    const std::vector<Key> sample = sampled(row);
    const std::ptrdiff_t size = std::ssize(sample);
    const auto at =
        static_cast<std::ptrdiff_t>(static_cast<double>(rank) / static_cast<double>(n) * static_cast<double>(size));
    const std::ptrdiff_t sample_slack = slack(std::min(at, size - 1 - at), size);
    const bool is_lowest = at < sample_slack, is_highest = at + sample_slack >= size;
    low_ = is_lowest ? Key{0} : sample[static_cast<std::size_t>(at - sample_slack)];
    high_ = is_highest ? static_cast<Key>(~Key{0}) : sample[static_cast<std::size_t>(at + sample_slack)];
    kept_ = room<Key>(capacity_);
    for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) { look_at(row, begin, end); });
    found_ = std::min<std::ptrdiff_t>(between_, capacity_);
  }

  /// Whether the key of this rank is known; `key` is it then.
  bool find(std::ptrdiff_t rank, Key& key) const {
    if (between_ > capacity_) return false;
    if (rank < below_) return false;
    rank -= below_;
    if (rank < lows_) return key = low_, true;
    rank -= lows_;
    if (rank < found_) {
      Key* const kept = static_cast<Key*>(kept_.data());
      std::nth_element(kept, kept + rank, kept + found_);
      return key = kept[rank], true;
    }
    rank -= found_;
    if (low_ < high_ && rank < highs_) return key = high_, true;
    return false;
  }

 private:
  void look_at(const KeyRow<Key>& row, std::ptrdiff_t begin, std::ptrdiff_t end) {
    const auto sift = rows::Compiled<SiftBlock<Key>>::best();
    Sides sides;
    Key kept[piece_room];
    std::ptrdiff_t count = 0;
    for_blocks(row, begin, end, [&](std::ptrdiff_t, const Key* values, std::ptrdiff_t size) {
      const Sides some = sift(values, size, low_, high_, kept + count);
      sides.below += some.below;
      sides.lows += some.lows;
      sides.highs += some.highs;
      count += some.between;
      if (count + block > piece_room) keep(kept, count);
    });
    keep(kept, count);
    below_.fetch_add(sides.below, std::memory_order_relaxed);
    lows_.fetch_add(sides.lows, std::memory_order_relaxed);
    highs_.fetch_add(sides.highs, std::memory_order_relaxed);
  }

  void keep(const Key* keys, std::ptrdiff_t& count) {
    const std::ptrdiff_t to = between_.fetch_add(count, std::memory_order_relaxed);
    if (to < capacity_) std::copy_n(keys, std::min(count, capacity_ - to), static_cast<Key*>(kept_.data()) + to);
    count = 0;
  }

  static constexpr std::ptrdiff_t piece_room = 2048;
  std::ptrdiff_t capacity_;
  Key low_, high_;
  std::atomic<std::ptrdiff_t> below_{0}, lows_{0}, highs_{0}, between_{0};
  std::ptrdiff_t found_ = 0;
  memory::Allocation kept_;
};

template <class Key>
memory::Allocation all_keys(const KeyRow<Key>& row, std::ptrdiff_t more, bool shares) {
  const auto read = rows::Compiled<ReadKeys<Key>>::best();
  memory::Allocation memory = room<Key>(row.length + more);
  Key* const to = static_cast<Key*>(memory.data());
  for_pieces(row.length, shares,
             [&](std::ptrdiff_t begin, std::ptrdiff_t end) { read(row, begin, end - begin, to + begin); });
  return memory;
}

/// Of a few keys, which are sorted.
template <class Key>
void find_in_short_row(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to) {
  const std::ptrdiff_t n = row.length;
  const memory::Allocation memory = all_keys(row, n, false);
  Key* const all = static_cast<Key*>(memory.data());
  sorting::sort_keys(all, n, all + n);
  for (const std::ptrdiff_t rank : ranks) *to++ = all[rank];
}

/// Of a copy of all keys.
template <class Key>
void find_in_copy(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  const memory::Allocation memory = all_keys(row, 0, shares);
  Key* const all = static_cast<Key*>(memory.data());
  Key* begin = all;
  for (const std::ptrdiff_t rank : ranks) {  // what is before the last rank's key is not above it
    std::nth_element(begin, all + rank, all + row.length);
    *to++ = *(begin = all + rank);
  }
}

template <class Key>
void find_by_sorting(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  const std::ptrdiff_t n = row.length;
  const memory::Allocation memory = all_keys(row, n, shares);
  Key* const all = static_cast<Key*>(memory.data());
  const Key* sorted = all;
  if (shares) {
    sorted = sorting::sort_many_keys(all, n, all + n);
  } else {
    sorting::sort_keys(all, n, all + n);
  }
  for (const std::ptrdiff_t rank : ranks) *to++ = sorted[rank];
}

}  // namespace

template <class Key>
void find_ranks(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  if (row.length <= short_row) return find_in_short_row(row, ranks, to);
  if (std::ssize(ranks) > few_ranks) return find_by_sorting(row, ranks, to, shares);
  for (std::size_t i = 0; i < ranks.size();) {
    const Cut<Key> cut(row, ranks[i], shares);
    const std::size_t first = i;
    while (i < ranks.size() && cut.find(ranks[i], to[i])) ++i;
    if (i == first) return find_in_copy(row, ranks.subspan(i), to + i, shares);
  }
}

template <class Key>
std::ptrdiff_t count_above(const KeyRow<Key>& row, Key limit, bool shares) {
  const auto count_block = rows::Compiled<CountAbove<Key>>::best();
  std::atomic<std::ptrdiff_t> total{0};
  for_pieces(row.length, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::ptrdiff_t count = 0;
    for_blocks(row, begin, end, [&](std::ptrdiff_t, const Key* values, std::ptrdiff_t size) {
      count += count_block(values, size, limit);
    });
    total.fetch_add(count, std::memory_order_relaxed);
  });
  return total;
}

template void find_ranks(const KeyRow<std::uint8_t>&, std::span<const std::ptrdiff_t>, std::uint8_t*, bool);
template void find_ranks(const KeyRow<std::uint16_t>&, std::span<const std::ptrdiff_t>, std::uint16_t*, bool);
template void find_ranks(const KeyRow<std::uint32_t>&, std::span<const std::ptrdiff_t>, std::uint32_t*, bool);
template void find_ranks(const KeyRow<std::uint64_t>&, std::span<const std::ptrdiff_t>, std::uint64_t*, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint8_t>&, std::uint8_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint16_t>&, std::uint16_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint32_t>&, std::uint32_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint64_t>&, std::uint64_t, bool);

}  // namespace tessera::selecting
