module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Bisection without a branch. The searches of a group of values run beside each other, so that the cache misses of one are waited for together
// with those of the others. Of keys that are spread over their range a directory leaves a few to bisect.
namespace tessera::searching {

namespace {

constexpr std::ptrdiff_t group = 16;
constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 13;  // values that one task looks for
constexpr std::ptrdiff_t copied_piece = std::ptrdiff_t{1} << 16;

template <bool Right, class Key>
[[gnu::always_inline]] inline bool is_before(Key element, Key value) {
  return Right ? element <= value : element < value;
}

/// Each step is a comparison and a conditional move. Vectors of 64-bit numbers would be slower without AVX-512: they are kept out by a value that
/// the compiler does not look through.
template <bool Right, class Sorted, class Key>
[[gnu::always_inline]] inline void search_group(const Sorted& sorted, std::ptrdiff_t n, const Key (&values)[group],
                                                std::int64_t (&found)[group]) {
  for (std::int64_t& at : found) at = 0;
  for (std::ptrdiff_t left = n; left > 1;) {
    const std::ptrdiff_t half = left / 2;
#pragma clang loop unroll(full)
    for (std::ptrdiff_t g = 0; g < group; ++g) {
      const std::int64_t at = found[g], next = at + half;
      std::int64_t chosen = is_before<Right>(sorted[next - 1], values[g]) ? next : at;
      asm("" : "+r"(chosen));
      found[g] = chosen;
    }
    left -= half;
  }
  for (std::ptrdiff_t g = 0; g < group && n > 0; ++g) found[g] += is_before<Right>(sorted[found[g]], values[g]) ? 1 : 0;
}

template <bool Right, class Sorted, class Key>
void search_all(const Sorted& sorted, std::ptrdiff_t n, const sorting::MergedKeys<Key>& values, std::ptrdiff_t count,
                std::int64_t* to) {
  rows::for_each_piece(count, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Key keys[group];
    std::int64_t found[group];
    for (std::ptrdiff_t first = begin; first < end; first += group) {
      const std::ptrdiff_t size = std::min(group, end - first);
      for (std::ptrdiff_t g = 0; g < group; ++g) keys[g] = values[first + std::min(g, size - 1)];
      search_group<Right>(sorted, n, keys, found);
      std::copy_n(found, size, to + first);
    }
  });
}

template <class Sorted, class Key>
void search_side(const Sorted& sorted, std::ptrdiff_t n, const sorting::MergedKeys<Key>& values, std::ptrdiff_t count,
                 SearchSide side, std::int64_t* to) {
  if (side == SearchSide::right) return search_all<true>(sorted, n, values, count, to);
  search_all<false>(sorted, n, values, count, to);
}

template <class Key>
memory::Allocation keys_of(const rows::Vector& values) {
  const sorting::MergedKeys<Key> from(values);
  memory::Allocation memory(CpuPlace{}, values.size * static_cast<std::ptrdiff_t>(sizeof(Key)));
  Key* const keys = static_cast<Key*>(memory.data());
  rows::for_each_piece(values.size, copied_piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) keys[i] = from[i];
  });
  return memory;
}

/// Where the sorted keys with the same leading digits start: it leaves a few elements to bisect, where keys are spread over their range.
template <class Key>
class Directory {
 public:
  /// Keys that are in no order find something wrong, and nothing that is not there.
  Directory(const Key* keys, std::ptrdiff_t n) : keys_(keys), n_(n) {
    if (n < fewest || n > std::ptrdiff_t{std::numeric_limits<std::int32_t>::max()} || keys[n - 1] < keys[0]) return;
    first_ = keys[0];
    const auto range = static_cast<Key>(keys[n - 1] - first_);
    const int wanted = std::min(digits_of(static_cast<std::uint64_t>(n)) + 3, most_bits);
    shift_ = std::max(0, digits_of(range) - wanted);
    buckets_ = static_cast<std::uint64_t>(range >> shift_) + 1;
    starts_.assign(buckets_ + 2, 0);
    for (std::ptrdiff_t i = 0; i < n; ++i) ++starts_[bucket(keys[i])];
    std::int32_t longest = 0, before = 0;
    for (std::int32_t& start : starts_) {
      longest = std::max(longest, start);
      before += std::exchange(start, before);
    }
    steps_ = digits_of(static_cast<std::uint64_t>(longest));
    is_useful_ = 2 * steps_ + 1 < digits_of(static_cast<std::uint64_t>(n));
  }

  bool is_useful() const { return is_useful_; }

  template <bool Right>
  [[gnu::always_inline]] void search(const Key (&values)[group], std::int64_t (&found)[group]) const {
    std::int64_t left[group];
    for (std::ptrdiff_t g = 0; g < group; ++g) {
      const bool is_below = values[g] < first_;
      const std::uint64_t at = bucket(values[g]);
      const std::int64_t start = is_below ? 0 : starts_[at], end = is_below ? 0 : starts_[at + 1];
      found[g] = start;
      left[g] = end - start;
    }
    for (int step = 0; step < steps_; ++step) {
#pragma clang loop vectorize(disable) unroll(full)
      for (std::ptrdiff_t g = 0; g < group; ++g) {
        const std::int64_t half = left[g] / 2, at = std::min<std::int64_t>(found[g] + half, n_ - 1);
        const bool goes = left[g] > 0 && is_before<Right>(keys_[at], values[g]);
        std::int64_t next = goes ? found[g] + half + 1 : found[g];
        asm("" : "+r"(next));
        found[g] = next;
        left[g] = goes ? left[g] - half - 1 : half;
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t fewest = 64;
  static constexpr int most_bits = 22;

  static int digits_of(std::uint64_t number) { return static_cast<int>(std::bit_width(number)); }

  /// Values above the last key have a bucket of their own, behind all others.
  [[gnu::always_inline]] std::uint64_t bucket(Key key) const {
    return std::min<std::uint64_t>(static_cast<std::uint64_t>(static_cast<Key>(key - first_) >> shift_), buckets_);
  }

  const Key* keys_;
  std::ptrdiff_t n_;
  Key first_{};
  int shift_ = 0, steps_ = 0;
  std::uint64_t buckets_ = 0;
  std::vector<std::int32_t> starts_;
  bool is_useful_ = false;
};

template <bool Right, class Key>
void search_directory(const Directory<Key>& directory, const sorting::MergedKeys<Key>& values, std::ptrdiff_t count,
                      std::int64_t* to) {
  rows::for_each_piece(count, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Key keys[group];
    std::int64_t found[group];
    for (std::ptrdiff_t first = begin; first < end; first += group) {
      const std::ptrdiff_t size = std::min(group, end - first);
      for (std::ptrdiff_t g = 0; g < group; ++g) keys[g] = values[first + std::min(g, size - 1)];
      directory.template search<Right>(keys, found);
      std::copy_n(found, size, to + first);
    }
  });
}

template <class Key>
void search_keys(const Key* sorted, std::ptrdiff_t n, const sorting::MergedKeys<Key>& values, std::ptrdiff_t count,
                 SearchSide side, std::int64_t* to) {
  const Directory<Key> directory(sorted, n);
  if (!directory.is_useful()) return search_side<const Key*, Key>(sorted, n, values, count, side, to);
  if (side == SearchSide::right) return search_directory<true>(directory, values, count, to);
  search_directory<false>(directory, values, count, to);
}

double value_at(const rows::Vector& values, std::ptrdiff_t i) {
  return core::with_element(values.dtype, [&]<class T>() -> double {
    if constexpr (Complex<T>) {
      return 0;
    } else {
      return static_cast<double>(static_cast<const T*>(values.data)[i]);
    }
  });
}

[[noreturn]] void throw_no_order(const rows::Vector& edges, std::ptrdiff_t at, const rows::Argument& argument) {
  rows::throw_value(argument,
                    "the edges neither ascend nor descend: edge " + std::to_string(at) + " is " +
                        rows::text_of(value_at(edges, at)) + " after " + rows::text_of(value_at(edges, at - 1)),
                    "sort them first");
}

template <class Key>
void find_bins_of(const rows::Vector& edges, const rows::Vector& values, SearchSide side, std::int64_t* to,
                  const rows::Argument& argument) {
  const memory::Allocation memory = keys_of<Key>(edges);
  Key* const keys = static_cast<Key*>(memory.data());
  const std::ptrdiff_t n = edges.size;
  const bool descends = n > 1 && keys[0] > keys[n - 1];
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    if (descends ? keys[i] > keys[i - 1] : keys[i] < keys[i - 1]) throw_no_order(edges, i, argument);
  }
  if (descends) std::reverse(keys, keys + n);
  search_keys(static_cast<const Key*>(keys), n, sorting::MergedKeys<Key>(values), values.size, side, to);
  if (!descends) return;
  for (std::ptrdiff_t i = 0; i < values.size; ++i) to[i] = n - to[i];
}

}  // namespace

void search(const rows::Vector& sorted, const rows::Vector& values, SearchSide side, std::int64_t* to) {
  sorting::with_key(sorted.dtype, [&]<class Key>(Key) {
    const sorting::MergedKeys<Key> wanted(values);
    constexpr std::ptrdiff_t worth_copying = 4;  // elements a value, below which all are made keys first
    if (sorted.size > worth_copying * values.size) {
      return search_side(sorting::MergedKeys<Key>(sorted), sorted.size, wanted, values.size, side, to);
    }
    const memory::Allocation keys = keys_of<Key>(sorted);
    search_keys(static_cast<const Key*>(keys.data()), sorted.size, wanted, values.size, side, to);
  });
}

void find_bins(const rows::Vector& edges, const rows::Vector& values, SearchSide side, std::int64_t* to,
               const rows::Argument& argument) {
  sorting::with_key(edges.dtype, [&]<class Key>(Key) { find_bins_of<Key>(edges, values, side, to, argument); });
}

}  // namespace tessera::searching
