module;
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Selection by a sample (R. Floyd, R. Rivest, "Expected time bounds for selection", 1975): two keys of a sorted sample enclose the wanted rank
// with near certainty; one pass counts what is below and keeps the few per cent between them. Where the sample misled, all keys are kept and
// partitioned. The keys of ranks are what they are, whichever way they are found.
namespace tessera::selecting {

namespace {

constexpr std::ptrdiff_t short_row = 4096;                    // that is sorted
constexpr std::ptrdiff_t few_ranks = 16;                      // for more, sorting everything is faster
constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 16;  // which has a larger sample
constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 15;
constexpr std::ptrdiff_t block = 256;

/// Calls body for pieces of [0, n), on several threads if it `shares` them.
template <class Body>
void for_pieces(std::ptrdiff_t n, bool shares, const Body& body) {
  if (shares) return rows::for_each_piece(n, piece, body);
  for (std::ptrdiff_t begin = 0; begin < n; begin += piece) body(begin, std::min(n, begin + piece));
}

using Unit = std::integral_constant<std::ptrdiff_t, 1>;

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

std::ptrdiff_t sample_size(std::ptrdiff_t row_length) { return row_length < long_row ? 2048 : 8192; }

/// A sample of a row's keys, sorted.
template <class Key>
std::vector<Key> sampled(const KeyRow<Key>& row) {
  const auto n = static_cast<std::uint64_t>(row.length);
  const std::ptrdiff_t size = sample_size(row.length);
  std::vector<Key> sample(static_cast<std::size_t>(2 * size));  // half of it for sorting
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (Key& key : std::span(sample).first(static_cast<std::size_t>(size))) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    key = key_at(row, static_cast<std::ptrdiff_t>((static_cast<unsigned __int128>(state) * n) >> 64));
  }
  sorting::sort_keys(sample.data(), size, sample.data() + size);
  sample.resize(static_cast<std::size_t>(size));
  return sample;
}

/// How far the place of a rank in the sample may be from where it is expected, at so many keys from the sample's nearer end: some four deviations.
std::ptrdiff_t slack(std::ptrdiff_t from_end, std::ptrdiff_t size) {
  const double most = 2.12 * std::sqrt(static_cast<double>(size));
  return static_cast<std::ptrdiff_t>(std::min(most, 12 + 4.5 * std::sqrt(static_cast<double>(from_end))));
}

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

/// Where each piece's elements of the three classes go.
struct Starts {
  std::ptrdiff_t below = 0, equal = 0, above = 0;

  Starts& operator+=(const Starts& other) {
    below += other.below;
    equal += other.equal;
    above += other.above;
    return *this;
  }
};

/// How many keys of a block are above a limit.
template <class Key>
struct CountAbove {
  [[gnu::always_inline]] static std::ptrdiff_t run(const Key* values, std::ptrdiff_t size, Key limit) {
    std::uint32_t count = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) count += values[i] > limit ? 1 : 0;
    return count;
  }
};

/// Counts the keys of a block below a pivot, and those that equal it.
template <class Key>
struct CountBlock {
  [[gnu::always_inline]] static Starts run(const Key* values, std::ptrdiff_t size, Key pivot) {
    std::uint32_t below = 0, equal = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      below += values[i] < pivot ? 1 : 0;
      equal += values[i] == pivot ? 1 : 0;
    }
    return {below, equal, size - below - equal};
  }
};

using InBlock = std::int16_t;  // a position in a block

/// Lists the keys of a block that are below a pivot and the others, or where they are, without a branch: lists have room for one more.
template <class Key, class Item>
struct ListBlock {
  [[gnu::always_inline]] static void run(const Key* values, std::ptrdiff_t size, Key pivot, Item* lower, Item* others) {
    std::ptrdiff_t below = 0, rest = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      const Key value = values[i];
      if constexpr (std::is_same_v<Item, Key>) {
        lower[below] = others[rest] = value;
      } else {
        lower[below] = others[rest] = static_cast<Item>(i);
      }
      below += value < pivot ? 1 : 0;
      rest += value < pivot ? 0 : 1;
    }
  }
};

/// Writes the elements of listed keys, or the positions of those that are listed by them.
template <class Key>
struct StoreKeys {
  [[gnu::always_inline]] static void run(const Key* keys, std::ptrdiff_t n, const sorting::Order<Key>& order, Key* to,
                                         std::ptrdiff_t step) {
    const sorting::Order<Key> own = order;
    if (step == 1) {
      for (std::ptrdiff_t i = 0; i < n; ++i) sorting::store_bits(to + i, own.bits(keys[i]));
    } else {
      for (std::ptrdiff_t i = 0; i < n; ++i) sorting::store_bits(to + i * step, own.bits(keys[i]));
    }
  }
};
struct StorePositions {
  [[gnu::always_inline]] static void run(const InBlock* list, std::ptrdiff_t n, std::ptrdiff_t first, std::int64_t* to,
                                         std::ptrdiff_t step) {
    if (step == 1) {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = first + list[i];
    } else {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i * step] = first + list[i];
    }
  }
};

/// Calls put(items, their number, first position of the block, target) for runs of the result, an item standing for a key.
template <class Key, class Item, class Put>
void split(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, bool shares, const Put& put) {
  std::vector<Key> keys(1);
  find_ranks(row, {&rank, 1}, keys.data(), shares);
  const Key pivot = keys[0];
  const std::ptrdiff_t n = row.length;
  const auto count_block = rows::Compiled<CountBlock<Key>>::best();
  std::vector<Starts> starts(static_cast<std::size_t>((n + piece - 1) / piece));
  for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Starts& own = starts[static_cast<std::size_t>(begin / piece)];
    for_blocks(row, begin, end, [&](std::ptrdiff_t, const Key* values, std::ptrdiff_t size) {
      own += count_block(values, size, pivot);
    });
  });
  Starts next;
  for (const Starts& own : starts) {
    next.equal += own.below;
    next.above += own.below + own.equal;
  }
  for (Starts& own : starts) next += std::exchange(own, next);
  const auto list_block = rows::Compiled<ListBlock<Key, Item>>::best();
  const auto put_some = [&](const Item* items, std::ptrdiff_t size, std::ptrdiff_t first, std::ptrdiff_t& target) {
    put(items, std::clamp<std::ptrdiff_t>(count - target, 0, size), first, target);
    target += size;
  };
  for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Starts to = starts[static_cast<std::size_t>(begin / piece)];
    Item lower[block + 1], others[block + 1], equal[block + 1], above[block + 1];
    for_blocks(row, begin, end, [&](std::ptrdiff_t first, const Key* values, std::ptrdiff_t size) {
      const Starts found = count_block(values, size, pivot);
      if (count <= rank + 1 && found.above == size) return;
      list_block(values, size, pivot, lower, others);
      put_some(lower, found.below, first, to.below);
      if (found.equal == 0) return put_some(others, found.above, first, to.above);
      Item* next_equal = equal;
      Item* next_above = above;
      for (std::ptrdiff_t i = 0; i < found.equal + found.above; ++i) {
        bool is_equal;
        if constexpr (std::is_same_v<Item, Key>) {
          is_equal = others[i] == pivot;
        } else {
          is_equal = values[others[i]] == pivot;
        }
        *next_equal = *next_above = others[i];
        next_equal += is_equal ? 1 : 0;
        next_above += is_equal ? 0 : 1;
      }
      put_some(equal, found.equal, first, to.equal);
      put_some(above, found.above, first, to.above);
    });
  });
}

/// The positions of the first few of a long row, as split() puts them: the row is read once, and what is not above a key of the sample is kept.
/// False where the sample misled.
template <class Key>
bool find_few(const KeyRow<Key>& row, std::ptrdiff_t count, std::int64_t* to, std::ptrdiff_t to_step, bool shares) {
  const std::ptrdiff_t n = row.length;
  const std::ptrdiff_t size = sample_size(n);
  const std::ptrdiff_t in_sample = count * size / n;
  const std::ptrdiff_t last_in_sample = in_sample + slack(in_sample, size);
  if (n <= short_row || last_in_sample > size / 64) return false;
  const std::vector<Key> sample = sampled(row);
  const Key limit = sample[static_cast<std::size_t>(last_in_sample)];
  if (sample[static_cast<std::size_t>(size / 32)] <= limit) return false;  // which many elements equal
  const auto count_block = rows::Compiled<CountAbove<Key>>::best();
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>((n + piece - 1) / piece));
  for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<std::int64_t>& own = found[static_cast<std::size_t>(begin / piece)];
    for_blocks(row, begin, end, [&](std::ptrdiff_t first, const Key* values, std::ptrdiff_t size) {
      if (count_block(values, size, limit) == size) return;
      for (std::ptrdiff_t i = 0; i < size; ++i) {
        if (values[i] <= limit) own.push_back(first + i);
      }
    });
  });
  std::vector<std::int64_t> positions;
  for (const std::vector<std::int64_t>& own : found) positions.insert(positions.end(), own.begin(), own.end());
  if (std::ssize(positions) < count) return false;
  std::vector<Key> values(positions.size());
  std::ranges::transform(positions, values.begin(), [&](std::int64_t at) { return key_at(row, at); });
  std::vector<Key> partly_sorted = values;
  std::ranges::nth_element(partly_sorted, partly_sorted.begin() + (count - 1));
  const Key pivot = partly_sorted[static_cast<std::size_t>(count - 1)];
  std::ptrdiff_t target = 0;
  for (const bool are_equal : {false, true}) {
    for (std::size_t i = 0; i < positions.size() && target < count; ++i) {
      if (are_equal ? values[i] == pivot : values[i] < pivot) to[target++ * to_step] = positions[i];
    }
  }
  return true;
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

template <class Key>
void split_positions(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, std::int64_t* to,
                     std::ptrdiff_t to_step, bool shares) {
  if (count == rank + 1 && find_few(row, count, to, to_step, shares)) return;
  const auto store = rows::Compiled<StorePositions>::best();
  split<Key, InBlock>(row, rank, count, shares,
                      [=](const InBlock* list, std::ptrdiff_t n, std::ptrdiff_t first, std::ptrdiff_t target) {
                        store(list, n, first, to + target * to_step, to_step);
                      });
}

template <class Key>
void split_elements(const KeyRow<Key>& row, std::ptrdiff_t rank, Key* to, std::ptrdiff_t to_step, bool shares) {
  const auto store = rows::Compiled<StoreKeys<Key>>::best();
  split<Key, Key>(row, rank, row.length, shares,
                  [&](const Key* keys, std::ptrdiff_t n, std::ptrdiff_t, std::ptrdiff_t target) {
                    store(keys, n, row.order, to + target * to_step, to_step);
                  });
}

template void find_ranks(const KeyRow<std::uint8_t>&, std::span<const std::ptrdiff_t>, std::uint8_t*, bool);
template void find_ranks(const KeyRow<std::uint16_t>&, std::span<const std::ptrdiff_t>, std::uint16_t*, bool);
template void find_ranks(const KeyRow<std::uint32_t>&, std::span<const std::ptrdiff_t>, std::uint32_t*, bool);
template void find_ranks(const KeyRow<std::uint64_t>&, std::span<const std::ptrdiff_t>, std::uint64_t*, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint8_t>&, std::uint8_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint16_t>&, std::uint16_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint32_t>&, std::uint32_t, bool);
template std::ptrdiff_t count_above(const KeyRow<std::uint64_t>&, std::uint64_t, bool);
template void split_positions(const KeyRow<std::uint8_t>&, std::ptrdiff_t, std::ptrdiff_t, std::int64_t*,
                              std::ptrdiff_t, bool);
template void split_positions(const KeyRow<std::uint16_t>&, std::ptrdiff_t, std::ptrdiff_t, std::int64_t*,
                              std::ptrdiff_t, bool);
template void split_positions(const KeyRow<std::uint32_t>&, std::ptrdiff_t, std::ptrdiff_t, std::int64_t*,
                              std::ptrdiff_t, bool);
template void split_positions(const KeyRow<std::uint64_t>&, std::ptrdiff_t, std::ptrdiff_t, std::int64_t*,
                              std::ptrdiff_t, bool);
template void split_elements(const KeyRow<std::uint8_t>&, std::ptrdiff_t, std::uint8_t*, std::ptrdiff_t, bool);
template void split_elements(const KeyRow<std::uint16_t>&, std::ptrdiff_t, std::uint16_t*, std::ptrdiff_t, bool);
template void split_elements(const KeyRow<std::uint32_t>&, std::ptrdiff_t, std::uint32_t*, std::ptrdiff_t, bool);
template void split_elements(const KeyRow<std::uint64_t>&, std::ptrdiff_t, std::uint64_t*, std::ptrdiff_t, bool);

}  // namespace tessera::selecting
