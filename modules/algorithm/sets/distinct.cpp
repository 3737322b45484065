module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Finding different elements: where there are few, in a table that stays in the cache; otherwise by sorting keys, with positions if those are
// asked for, and looking where they change.
namespace tessera::sets {

/// Reaches into results that are being found.
struct Findings {
  Distinct& to;

  template <class T>
  static memory::Allocation room(std::ptrdiff_t count) {
    return memory::Allocation(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(T)));
  }
  template <class Key>
  Key* make_keys(std::ptrdiff_t count) const {
    to.count_ = count;
    to.keys_ = room<Key>(count);
    return static_cast<Key*>(to.keys_.data());
  }
  std::int64_t* make_counts() const {
    to.counts_ = room<std::int64_t>(to.count_);
    return static_cast<std::int64_t*>(to.counts_.data());
  }
  std::int64_t* make_positions() const {
    to.positions_ = room<std::int64_t>(to.count_);
    return static_cast<std::int64_t*>(to.positions_.data());
  }
};

namespace {

constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 16;
constexpr std::ptrdiff_t long_vector = std::ptrdiff_t{1} << 17;  // from which threads may share sorting

/// Numbers different keys in the order in which they come, as long as there are few.
template <class Key>
class Numbering {
 public:
  static constexpr std::uint32_t most = 1u << 14;

  Numbering() : slots_(std::size_t{1} << bits) {}

  /// The number of a key, or `most` if it is one too many.
  [[gnu::always_inline]] std::uint32_t number(Key key) {
    std::size_t at = (std::uint64_t{key} * 0x9e3779b97f4a7c15u) >> (64 - bits);
    for (;; at = (at + 1) & ((std::size_t{1} << bits) - 1)) {
      Slot& slot = slots_[at];
      if (slot.number != 0 && slot.key == key) return slot.number - 1;
      if (slot.number == 0) return add(slot, key);
    }
  }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  static constexpr int bits = 15;
  struct Slot {
    Key key;
    std::uint32_t number = 0;  // from 1 on
  };

  [[gnu::noinline]] std::uint32_t add(Slot& slot, Key key) {
    if (keys_.size() == most) return most;
    keys_.push_back(key);
    slot = {key, static_cast<std::uint32_t>(keys_.size())};
    return slot.number - 1;
  }

  std::vector<Slot> slots_;
  std::vector<Key> keys_;
};

/// Whether there are few different elements, whose results are there then.
template <class Key>
bool find_few(const sorting::MergedKeys<Key>& values, std::ptrdiff_t n, const Wanted& wanted,
              const Findings& findings) {
  constexpr std::uint32_t most = Numbering<Key>::most;
  Numbering<Key> numbering;
  std::vector<std::int64_t> counts, firsts;
  if (!wanted.counts && !wanted.positions && wanted.inverse == nullptr) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (numbering.number(values[i]) == most) return false;
    }
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const std::uint32_t number = numbering.number(values[i]);
      if (number == most) return false;
      if (number == counts.size()) {
        counts.push_back(0);
        firsts.push_back(i);
      }
      ++counts[number];
      if (wanted.inverse != nullptr) wanted.inverse[i] = number;
    }
  }
  const std::vector<Key>& keys = numbering.keys();
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t number) { return keys[number]; });
  const auto in_order = [&](const auto& from, auto* to) {
    for (const std::uint32_t number : order) *to++ = from[number];
  };
  in_order(keys, findings.make_keys<Key>(std::ssize(keys)));
  if (wanted.counts) in_order(counts, findings.make_counts());
  if (wanted.positions) in_order(firsts, findings.make_positions());
  if (wanted.inverse == nullptr) return true;
  std::vector<std::int64_t> rank(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int64_t>(i);
  rows::for_each_piece(n, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) wanted.inverse[i] = rank[static_cast<std::size_t>(wanted.inverse[i])];
  });
  return true;
}

/// Sorted keys, cut into pieces, and how many different ones start before each piece.
template <class Key>
class Changes {
 public:
  Changes(const Key* keys, std::ptrdiff_t n)
      : keys_(keys), n_(n), before_(static_cast<std::size_t>((n + piece - 1) / piece + 1), 0) {
    rows::for_each_piece(n, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::ptrdiff_t count = 0;
      for (std::ptrdiff_t i = begin; i < end; ++i) count += is_first(i) ? 1 : 0;
      before_[static_cast<std::size_t>(begin / piece + 1)] = count;
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }

  std::ptrdiff_t count() const { return before_.back(); }
  /// Calls body(i, number of the different key at i, whether it is the first of its like).
  template <class Body>
  void for_each(const Body& body) const {
    rows::for_each_piece(n_, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::ptrdiff_t number = before_[static_cast<std::size_t>(begin / piece)] - 1;
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const bool starts = is_first(i);
        number += starts ? 1 : 0;
        body(i, number, starts);
      }
    });
  }
  /// Writes the different keys in order. Without a branch on whether a key is the first of its like, all write, each piece its own alone.
  void write_keys(Key* found) const {
    rows::for_each_piece(n_, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::ptrdiff_t number = before_[static_cast<std::size_t>(begin / piece)] - 1;
      while (begin < end && !is_first(begin)) ++begin;
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        number += is_first(i) ? 1 : 0;
        found[number] = keys_[i];
      }
    });
  }

 private:
  [[gnu::always_inline]] bool is_first(std::ptrdiff_t i) const { return i == 0 || keys_[i] != keys_[i - 1]; }

  const Key* keys_;
  std::ptrdiff_t n_;
  std::vector<std::ptrdiff_t> before_;
};

/// From where each different key starts to how often it is there.
void make_counts(const Findings& findings, const std::int64_t* starts, std::ptrdiff_t count, std::ptrdiff_t n) {
  std::int64_t* const counts = findings.make_counts();
  for (std::ptrdiff_t i = 0; i < count; ++i) counts[i] = (i + 1 < count ? starts[i + 1] : n) - starts[i];
}

template <class Key>
void find_by_keys(const sorting::MergedKeys<Key>& values, std::ptrdiff_t n, const Wanted& wanted,
                  const Findings& findings) {
  const memory::Allocation memory = Findings::room<Key>(2 * n);
  Key* keys = static_cast<Key*>(memory.data());
  rows::for_each_piece(n, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) keys[i] = values[i];
  });
  if (n < long_vector) {
    sorting::sort_keys(keys, n, keys + n);
  } else {
    keys = sorting::sort_many_keys(keys, n, keys + n);
  }
  const Changes<Key> changes(keys, n);
  Key* const found = findings.make_keys<Key>(changes.count());
  if (!wanted.counts) return changes.write_keys(found);
  const memory::Allocation starts_memory = Findings::room<std::int64_t>(changes.count());
  auto* const starts = static_cast<std::int64_t*>(starts_memory.data());
  changes.for_each([&](std::ptrdiff_t i, std::ptrdiff_t number, bool is_first) {
    if (!is_first) return;
    found[number] = keys[i];
    starts[number] = i;
  });
  make_counts(findings, starts, changes.count(), n);
}

template <class Key, class Position>
void find_by_pairs(const sorting::MergedKeys<Key>& values, std::ptrdiff_t n, const Wanted& wanted,
                   const Findings& findings) {
  const memory::Allocation keys_memory = Findings::room<Key>(2 * n), positions_memory = Findings::room<Position>(2 * n);
  Key* const keys = static_cast<Key*>(keys_memory.data());
  auto* const positions = static_cast<Position*>(positions_memory.data());
  rows::for_each_piece(n, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) keys[i] = values[i];
    std::iota(positions + begin, positions + end, static_cast<Position>(begin));
  });
  sorting::Pairs<Key, Position> sorted{keys, positions};
  if (n < long_vector) {
    sorting::sort_pairs(keys, positions, n, keys + n, positions + n);
  } else {
    sorted = sorting::sort_many_pairs<Key, Position>(sorted, n, {keys + n, positions + n});
  }
  const Changes<Key> changes(sorted.keys, n);
  const memory::Allocation starts_memory = Findings::room<std::int64_t>(changes.count());
  auto* const starts = static_cast<std::int64_t*>(starts_memory.data());
  Key* const found = findings.make_keys<Key>(changes.count());
  std::int64_t* const firsts = wanted.positions ? findings.make_positions() : nullptr;
  changes.for_each([&](std::ptrdiff_t i, std::ptrdiff_t number, bool is_first) {
    if (wanted.inverse != nullptr) wanted.inverse[sorted.positions[i]] = number;
    if (!is_first) return;
    found[number] = sorted.keys[i];
    starts[number] = i;
    if (firsts != nullptr) firsts[number] = static_cast<std::int64_t>(sorted.positions[i]);
  });
  if (wanted.counts) make_counts(findings, starts, changes.count(), n);
}

template <class Key>
void find(const rows::Vector& vector, const Wanted& wanted, const Findings& findings) {
  const sorting::MergedKeys<Key> values(vector);
  const std::ptrdiff_t n = vector.size;
  if (find_few(values, n, wanted, findings)) return;
  if (!wanted.positions && wanted.inverse == nullptr) return find_by_keys(values, n, wanted, findings);
  if (n <= std::ptrdiff_t{std::numeric_limits<std::uint32_t>::max()})
    return find_by_pairs<Key, std::uint32_t>(values, n, wanted, findings);
  find_by_pairs<Key, std::uint64_t>(values, n, wanted, findings);
}

}  // namespace

Distinct::Distinct(const rows::Vector& values, const Wanted& wanted) : dtype_(values.dtype) {
  sorting::with_key(dtype_, [&]<class Key>(Key) { find<Key>(values, wanted, Findings{*this}); });
}

void Distinct::write_values(void* to) const {
  sorting::with_key(dtype_, [&]<class Key>(Key) {
    const auto* const keys = static_cast<const Key*>(keys_.data());
    auto* const values = static_cast<Key*>(to);
    const sorting::MergedKeys<Key> elements({dtype_, nullptr, 0});
    rows::for_each_piece(count_, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) sorting::store_bits(values + i, elements.bits(keys[i]));
    });
  });
}

void Distinct::write_counts(std::int64_t* to) const {
  std::copy_n(static_cast<const std::int64_t*>(counts_.data()), count_, to);
}

void Distinct::write_positions(std::int64_t* to) const {
  std::copy_n(static_cast<const std::int64_t*>(positions_.data()), count_, to);
}

std::ptrdiff_t find_distinct(const Slices& slices, std::int64_t* order, std::int64_t* inverse, std::int64_t* counts) {
  return sorting::with_key(slices.values.dtype, [&]<class Key>(Key) -> std::ptrdiff_t {
    const sorting::MergedKeys<Key> elements(slices.values);
    const std::ptrdiff_t length = slices.length;
    const memory::Allocation memory = Findings::room<Key>(slices.values.size);
    Key* const keys = static_cast<Key*>(memory.data());
    rows::for_each_piece(slices.values.size, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) keys[i] = elements[i];
    });
    std::vector<std::int64_t> sorted(static_cast<std::size_t>(slices.count));
    std::iota(sorted.begin(), sorted.end(), std::int64_t{0});
    const auto row = [&](std::int64_t at) { return keys + at * length; };
    std::ranges::sort(sorted, [&](std::int64_t a, std::int64_t b) {
      const auto [x, y] = std::mismatch(row(a), row(a) + length, row(b));
      return x == row(a) + length ? a < b : *x < *y;
    });
    std::ptrdiff_t found = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || !std::equal(row(sorted[i]), row(sorted[i]) + length, row(sorted[i - 1]))) {
        order[found] = sorted[i];
        counts[found++] = 0;
      }
      ++counts[found - 1];
      inverse[sorted[i]] = found - 1;
    }
    return found;
  });
}

}  // namespace tessera::sets
