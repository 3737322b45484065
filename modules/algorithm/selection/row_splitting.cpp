module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.memory;

// The key of the rank is found first. A pass counts what each piece of the row has of the three classes, and so where it goes; another puts it there.
namespace tessera::selecting {

namespace {

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
