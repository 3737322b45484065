module;
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
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

constexpr std::ptrdiff_t short_row = 4096;  // that is partitioned as it is
constexpr std::ptrdiff_t few_ranks = 16;    // for more, sorting everything is faster
constexpr std::ptrdiff_t sample_size = 8192;
constexpr double most_slack = 192;  // some four deviations of a rank in the sample, which is less near the ends
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
decltype(auto) with_keys(const KeyRow<Key>& row, const Body& body) {
  const auto with_step = [&](auto step) {
    const Key* const from = row.from;
    const sorting::Order<Key> order = row.order;
    switch (row.kind) {
      case KeyKind::ready: return body([=](std::ptrdiff_t i) { return from[i * step]; });
      case KeyKind::exact:
        return body([=](std::ptrdiff_t i) { return order.exact(sorting::load_bits(from + i * step)); });
      case KeyKind::merged: break;
    }
    return body([=](std::ptrdiff_t i) { return order.merged(sorting::load_bits(from + i * step)); });
  };
  if (row.step == 1) return with_step(Unit{});
  return with_step(row.step);
}

template <class Key>
memory::Allocation room(std::ptrdiff_t count) {
  return memory::Allocation(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(Key)));
}

/// A sample of a row's keys, sorted.
template <class Key, class Keys>
std::vector<Key> sampled(const Keys& keys, std::ptrdiff_t n) {
  std::vector<Key> sample(static_cast<std::size_t>(sample_size));
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (Key& key : sample) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    key = keys(
        static_cast<std::ptrdiff_t>((static_cast<unsigned __int128>(state) * static_cast<std::uint64_t>(n)) >> 64));
  }
  std::ranges::sort(sample);
  return sample;
}

/// How far the place of a rank in the sample may be from where it is expected, at so many keys from the sample's nearer end.
std::ptrdiff_t slack(std::ptrdiff_t from_end) {
  return static_cast<std::ptrdiff_t>(std::min(most_slack, 12 + 4.5 * std::sqrt(static_cast<double>(from_end))));
}

/// A row cut by two keys: what is below the first, and what is between them.
template <class Key>
class Cut {
 public:
  template <class Keys>
  Cut(const Keys& keys, std::ptrdiff_t n, std::ptrdiff_t rank, bool shares) : capacity_(n / 8 + block) {
    const std::vector<Key> sample = sampled<Key>(keys, n);
    const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(rank) / static_cast<double>(n) * sample_size);
    const std::ptrdiff_t sample_slack = slack(std::min(at, sample_size - 1 - at));
    const bool is_lowest = at < sample_slack, is_highest = at + sample_slack >= sample_size;
    low_ = is_lowest ? Key{0} : sample[static_cast<std::size_t>(at - sample_slack)];
    high_ = is_highest ? static_cast<Key>(~Key{0}) : sample[static_cast<std::size_t>(at + sample_slack)];
    kept_ = room<Key>(capacity_);
    for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) { look_at(keys, begin, end); });
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
  template <class Keys>
  void look_at(const Keys& keys, std::ptrdiff_t begin, std::ptrdiff_t end) {
    const Key low = low_, high = high_;
    std::ptrdiff_t below = 0, lows = 0, highs = 0;
    Key values[block], kept[piece_room];
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t first = begin; first < end; first += block) {
      const std::ptrdiff_t size = std::min(block, end - first);
      std::uint32_t some_below = 0, some_lows = 0, some_highs = 0;
      for (std::ptrdiff_t i = 0; i < size; ++i) {
        const Key key = keys(first + i);
        values[i] = key;
        some_below += key < low ? 1 : 0;
        some_lows += key == low ? 1 : 0;
        some_highs += key == high ? 1 : 0;
      }
      below += some_below;
      lows += some_lows;
      highs += some_highs;
      for (std::ptrdiff_t i = 0; i < size; ++i) {
        if (values[i] > low && values[i] < high) kept[count++] = values[i];
      }
      if (count + block > piece_room) keep(kept, count);
    }
    keep(kept, count);
    below_.fetch_add(below, std::memory_order_relaxed);
    lows_.fetch_add(lows, std::memory_order_relaxed);
    highs_.fetch_add(highs, std::memory_order_relaxed);
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

template <class Key, class Keys>
memory::Allocation all_keys(const Keys& keys, std::ptrdiff_t n, std::ptrdiff_t more, bool shares) {
  memory::Allocation memory = room<Key>(n + more);
  Key* const to = static_cast<Key*>(memory.data());
  for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) to[i] = keys(i);
  });
  return memory;
}

/// Of a few keys, which are sorted.
template <class Key, class Keys>
void find_in_short_row(const Keys& keys, std::ptrdiff_t n, std::span<const std::ptrdiff_t> ranks, Key* to) {
  const memory::Allocation memory = all_keys<Key>(keys, n, n, false);
  Key* const all = static_cast<Key*>(memory.data());
  sorting::sort_keys(all, n, all + n);
  for (const std::ptrdiff_t rank : ranks) *to++ = all[rank];
}

/// Of a copy of all keys.
template <class Key, class Keys>
void find_in_copy(const Keys& keys, std::ptrdiff_t n, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  const memory::Allocation memory = all_keys<Key>(keys, n, 0, shares);
  Key* const all = static_cast<Key*>(memory.data());
  Key* begin = all;
  for (const std::ptrdiff_t rank : ranks) {  // what is before the last rank's key is not above it
    std::nth_element(begin, all + rank, all + n);
    *to++ = *(begin = all + rank);
  }
}

template <class Key, class Keys>
void find_by_sorting(const Keys& keys, std::ptrdiff_t n, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  const memory::Allocation memory = all_keys<Key>(keys, n, n, shares);
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
};

/// Calls put(target, position, key) for the elements of a block, those below the pivot first. Which they are is listed without a branch. If those
/// above go nowhere, most blocks may have nothing to put.
template <class Key, class Keys, class Put>
[[gnu::always_inline]] inline void split_block(const Keys& keys, std::ptrdiff_t first, std::ptrdiff_t size, Key pivot,
                                               bool drops_above, Starts& to, const Put& put) {
  Key values[block];
  std::uint16_t lower[block], others[block];
  std::int32_t taken = 0;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    values[i] = keys(first + i);
    taken += values[i] <= pivot ? 1 : 0;
  }
  if (drops_above && taken == 0) return;
  std::ptrdiff_t below = 0, rest = 0;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const bool is_below = values[i] < pivot;
    lower[below] = others[rest] = static_cast<std::uint16_t>(i);
    below += is_below ? 1 : 0;
    rest += is_below ? 0 : 1;
  }
  for (std::ptrdiff_t i = 0; i < below; ++i) put(to.below++, first + lower[i], values[lower[i]]);
  for (std::ptrdiff_t i = 0; i < rest; ++i) {
    const Key value = values[others[i]];
    put(value == pivot ? to.equal++ : to.above++, first + others[i], value);
  }
}

/// Calls put(target, position, key) for all elements that go to a target below `count`.
template <class Key, class Put>
void split(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, bool shares, const Put& put) {
  Key pivot;
  find_ranks(row, {&rank, 1}, &pivot, shares);
  const std::ptrdiff_t n = row.length;
  with_keys(row, [&](const auto& keys) {
    std::vector<Starts> starts(static_cast<std::size_t>((n + piece - 1) / piece));
    for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::int32_t below = 0, equal = 0;
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const Key key = keys(i);
        below += key < pivot ? 1 : 0;
        equal += key == pivot ? 1 : 0;
      }
      starts[static_cast<std::size_t>(begin / piece)] = {below, equal, end - begin - below - equal};
    });
    Starts next;
    for (const Starts& own : starts) {
      next.equal += own.below;
      next.above += own.below + own.equal;
    }
    for (Starts& own : starts) {
      const Starts counts = own;
      own = next;
      next = {next.below + counts.below, next.equal + counts.equal, next.above + counts.above};
    }
    for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      Starts to = starts[static_cast<std::size_t>(begin / piece)];
      for (std::ptrdiff_t first = begin; first < end; first += block) {
        split_block<Key>(keys, first, std::min(block, end - first), pivot, count <= rank + 1, to,
                         [&](std::ptrdiff_t target, std::ptrdiff_t at, Key key) {
                           if (target < count) put(target, at, key);
                         });
      }
    });
  });
}

/// The positions of the first few of a long row, as split() puts them: the row is read once, and what is not above a key of the sample is kept.
/// False where the sample misled.
template <class Key>
bool find_few(const KeyRow<Key>& row, std::ptrdiff_t count, std::int64_t* to, std::ptrdiff_t to_step, bool shares) {
  const std::ptrdiff_t n = row.length;
  const std::ptrdiff_t in_sample = count * sample_size / n;
  const std::ptrdiff_t last_in_sample = in_sample + slack(in_sample);
  if (n <= short_row || last_in_sample > sample_size / 64) return false;
  return with_keys(row, [&](const auto& keys) {
    const std::vector<Key> sample = sampled<Key>(keys, n);
    const Key limit = sample[static_cast<std::size_t>(last_in_sample)];
    if (sample[static_cast<std::size_t>(sample_size / 32)] <= limit) return false;  // which many elements equal
    std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>((n + piece - 1) / piece));
    for_pieces(n, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::vector<std::int64_t>& own = found[static_cast<std::size_t>(begin / piece)];
      for (std::ptrdiff_t first = begin; first < end; first += block) {
        const std::ptrdiff_t past = std::min(first + block, end);
        std::uint32_t taken = 0;
        for (std::ptrdiff_t i = first; i < past; ++i) taken += keys(i) <= limit ? 1 : 0;
        if (taken == 0) continue;
        for (std::ptrdiff_t i = first; i < past; ++i) {
          if (keys(i) <= limit) own.push_back(i);
        }
      }
    });
    std::vector<std::int64_t> positions;
    for (const std::vector<std::int64_t>& own : found) positions.insert(positions.end(), own.begin(), own.end());
    if (std::ssize(positions) < count) return false;
    std::vector<Key> values(positions.size());
    std::ranges::transform(positions, values.begin(), [&](std::int64_t at) { return keys(at); });
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
  });
}

}  // namespace

template <class Key>
void find_ranks(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares) {
  const std::ptrdiff_t n = row.length;
  with_keys(row, [&](const auto& keys) {
    if (n <= short_row) return find_in_short_row(keys, n, ranks, to);
    if (std::ssize(ranks) > few_ranks) return find_by_sorting(keys, n, ranks, to, shares);
    for (std::size_t i = 0; i < ranks.size();) {
      const Cut<Key> cut(keys, n, ranks[i], shares);
      const std::size_t first = i;
      while (i < ranks.size() && cut.find(ranks[i], to[i])) ++i;
      if (i == first) return find_in_copy(keys, n, ranks.subspan(i), to + i, shares);
    }
  });
}

template <class Key>
std::ptrdiff_t count_above(const KeyRow<Key>& row, Key limit, bool shares) {
  std::atomic<std::ptrdiff_t> total{0};
  with_keys(row, [&](const auto& keys) {
    for_pieces(row.length, shares, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::int32_t count = 0;
      for (std::ptrdiff_t i = begin; i < end; ++i) count += keys(i) > limit ? 1 : 0;
      total.fetch_add(count, std::memory_order_relaxed);
    });
  });
  return total;
}

template <class Key>
void split_positions(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, std::int64_t* to,
                     std::ptrdiff_t to_step, bool shares) {
  if (count == rank + 1 && find_few(row, count, to, to_step, shares)) return;
  split(row, rank, count, shares, [=](std::ptrdiff_t target, std::ptrdiff_t at, Key) { to[target * to_step] = at; });
}

template <class Key>
void split_elements(const KeyRow<Key>& row, std::ptrdiff_t rank, Key* to, std::ptrdiff_t to_step, bool shares) {
  const sorting::Order<Key> order = row.order;
  split(row, rank, row.length, shares, [=](std::ptrdiff_t target, std::ptrdiff_t, Key key) {
    sorting::store_bits(to + target * to_step, order.bits(key));
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
