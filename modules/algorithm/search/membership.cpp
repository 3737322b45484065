module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Whether elements are among others: by a table of all keys where they are short, by hashing otherwise.
namespace tessera::searching {

namespace {

constexpr std::ptrdiff_t group = 16;
constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 14;

/// A set of keys with open addressing, at most half full; a small one is at most an eighth full, so that what is not there is mostly seen at once.
template <class Key>
class KeySet {
 public:
  KeySet(const sorting::MergedKeys<Key>& keys, std::ptrdiff_t count) {
    constexpr std::ptrdiff_t small = 1 << 14;
    const std::uint64_t room = count < small ? 8 : 2;
    const auto slots = std::bit_ceil(room * static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(count, 2)));
    shift_ = 64 - std::countr_zero(slots);
    mask_ = slots - 1;
    memory_ = memory::Allocation(CpuPlace{}, static_cast<std::ptrdiff_t>(slots * sizeof(Key)));
    Key* const table = static_cast<Key*>(memory_.data());
    std::fill_n(table, slots, empty);
    for (std::ptrdiff_t i = 0; i < count; ++i) insert(table, keys, keys[i]);
  }

  std::uint64_t slot(Key key) const { return (std::uint64_t{key} * 0x9e3779b97f4a7c15u) >> shift_; }
  const Key* at(std::uint64_t slot) const { return static_cast<const Key*>(memory_.data()) + slot; }
  bool contains(Key key, std::uint64_t slot) const {
    while (*at(slot) != key && *at(slot) != empty) slot = (slot + 1) & mask_;
    return key == empty ? has_last_ : *at(slot) == key;
  }

 private:
  static constexpr Key empty = static_cast<Key>(~Key{0});  // that is NaN, which is not in a set, or the largest integer

  void insert(Key* table, const sorting::MergedKeys<Key>& keys, Key key) {
    if (key == empty) {
      has_last_ = !keys.is_nan(key);
      return;
    }
    std::uint64_t to = slot(key);
    while (table[to] != key && table[to] != empty) to = (to + 1) & mask_;
    table[to] = key;
  }

  memory::Allocation memory_;
  std::uint64_t mask_;
  int shift_;
  bool has_last_ = false;
};

/// Bytes and pairs of bytes: a flag for each.
template <class Key>
void look_up(const sorting::MergedKeys<Key>& values, std::ptrdiff_t count, const sorting::MergedKeys<Key>& among,
             std::ptrdiff_t others, bool* to) {
  std::vector<std::uint8_t> is_there(std::size_t{1} << (8 * sizeof(Key)), 0);
  for (std::ptrdiff_t i = 0; i < others; ++i) {
    const Key key = among[i];
    if (!among.is_nan(key)) is_there[key] = 1;
  }
  rows::for_each_piece(count, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) to[i] = is_there[values[i]] != 0;
  });
}

template <class Key>
void hash(const sorting::MergedKeys<Key>& values, std::ptrdiff_t count, const sorting::MergedKeys<Key>& among,
          std::ptrdiff_t others, bool* to) {
  const KeySet<Key> set(among, others);
  rows::for_each_piece(count, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Key keys[group];
    std::uint64_t slots[group];
    for (std::ptrdiff_t first = begin; first < end; first += group) {
      const std::ptrdiff_t size = std::min(group, end - first);
      for (std::ptrdiff_t g = 0; g < size; ++g) {
        keys[g] = values[first + g];
        slots[g] = set.slot(keys[g]);
        __builtin_prefetch(set.at(slots[g]));
      }
      for (std::ptrdiff_t g = 0; g < size; ++g) to[first + g] = set.contains(keys[g], slots[g]);
    }
  });
}

}  // namespace

void find_members(const rows::Vector& values, const rows::Vector& among, bool* to) {
  sorting::with_key(values.dtype, [&]<class Key>(Key) {
    const sorting::MergedKeys<Key> wanted(values), others(among);
    if constexpr (sizeof(Key) <= 2) {
      look_up(wanted, values.size, others, among.size, to);
    } else {
      hash(wanted, values.size, others, among.size, to);
    }
  });
}

}  // namespace tessera::searching
