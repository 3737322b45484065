module;
// No system of Thrust's has threads here: they are the scheduler's.
#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_CPP
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include <version>
#ifdef _LIBCPP_VERSION
#define _VSTD std  // Thrust 1.17 spells libc++'s namespace so, which libc++ has given up
#endif
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#ifdef TESSERA_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Sorting on one thread: by Highway's quicksort in vectors (J. Wassenberg, M. Blacher, J. Giesen, P. Sanders, "Vectorized and performance-portable
// Quicksort", 2022) where the library is built with it, otherwise by Thrust's radix sort of its sequential system.
namespace tessera::sorting {

namespace {

/// Gives Thrust the memory that it would allocate otherwise: a piece as large as the keys and one as large as the positions.
class Spare {
 public:
  using value_type = char;

  Spare(void* first, std::ptrdiff_t first_bytes, void* second = nullptr, std::ptrdiff_t second_bytes = 0)
      : pieces_{{first, first_bytes}, {second, second_bytes}} {}

  char* allocate(std::ptrdiff_t bytes) {
    for (Piece& piece : pieces_) {
      if (piece.memory != nullptr && piece.bytes == bytes)
        return static_cast<char*>(std::exchange(piece.memory, nullptr));
    }
    return static_cast<char*>(::operator new(static_cast<std::size_t>(bytes)));
  }
  void deallocate(char* memory, std::ptrdiff_t bytes) {
    if (!is_own(memory)) ::operator delete(memory, static_cast<std::size_t>(bytes));
  }

 private:
  struct Piece {
    void* memory;
    std::ptrdiff_t bytes;
    void* start = memory;
  };
  bool is_own(const char* memory) const { return memory == pieces_[0].start || memory == pieces_[1].start; }

  Piece pieces_[2];
};

/// Counting all digits of fewer keys takes longer than comparing them.
template <class Key>
constexpr std::ptrdiff_t fewest = 64 * static_cast<std::ptrdiff_t>(sizeof(Key));

template <class T>
constexpr std::ptrdiff_t bytes_of(std::ptrdiff_t n) {
  return n * static_cast<std::ptrdiff_t>(sizeof(T));
}

/// By insertion, which keeps the order of equals.
template <class Key, class Position>
void sort_few_pairs(Key* keys, Position* positions, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    const Key key = keys[i];
    const Position position = positions[i];
    std::ptrdiff_t to = i;
    for (; to > 0 && key < keys[to - 1]; --to) {
      keys[to] = keys[to - 1];
      positions[to] = positions[to - 1];
    }
    keys[to] = key;
    positions[to] = position;
  }
}

constexpr std::ptrdiff_t few_pairs = 32;

#ifdef TESSERA_VQSORT

/// Writing some elements of a vector of 512 bits side by side takes Zen 4 over a hundred cycles, in which Highway partitions a vector of half the
/// width. It has known this since it has a target for Zen 4; before, this lowers its choice as long as keys of 32 bits are sorted, which other
/// threads may see: what they call meanwhile is correct, and uses narrower vectors.
class NarrowVectors {
 public:
  NarrowVectors() { hwy::GetChosenTarget().Update(supported() & ~std::int64_t{HWY_AVX3 | HWY_AVX3_DL}); }
  NarrowVectors(const NarrowVectors&) = delete;
  NarrowVectors& operator=(const NarrowVectors&) = delete;
  ~NarrowVectors() { hwy::GetChosenTarget().Update(supported()); }

  static bool are_faster() {
#ifdef HWY_AVX3_ZEN4
    return false;
#else
    static const bool is_zen4 = __builtin_cpu_is("amdfam19h") && __builtin_cpu_supports("avx512f");
    return is_zen4;
#endif
  }

 private:
  /// Asked for once: a virtual machine takes microseconds to answer.
  static std::int64_t supported() {
    static const std::int64_t targets = hwy::SupportedTargets();
    return targets;
  }
};

constexpr std::ptrdiff_t fewest_in_vectors = 40;  // Highway takes some 0.4 us for fewer
constexpr bool is_with_highway = true;
template <class Key>
void sort_in_vectors(Key* keys, std::ptrdiff_t n) {
  hwy::Sorter()(keys, static_cast<std::size_t>(n), hwy::SortAscending());
}
void sort_in_vectors(std::uint32_t* keys, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t most_at_once = 256;  // are not partitioned
  if (n <= most_at_once || !NarrowVectors::are_faster()) return sort_in_vectors<std::uint32_t>(keys, n);
  const NarrowVectors narrow;
  sort_in_vectors<std::uint32_t>(keys, n);
}

/// Keys of 32 bits with positions are sorted as numbers of 64 bits: of equal keys the positions ascend. False without memory for them.
bool sort_pairs_in_vectors(std::uint32_t* keys, std::uint32_t* positions, std::ptrdiff_t n) {
  const std::unique_ptr<std::uint64_t[]> both(new (std::nothrow) std::uint64_t[static_cast<std::size_t>(n)]);
  if (!both) return false;
  for (std::ptrdiff_t i = 0; i < n; ++i) both[i] = std::uint64_t{keys[i]} << 32 | positions[i];
  sort_in_vectors(both.get(), n);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(both[i] >> 32);
    positions[i] = static_cast<std::uint32_t>(both[i]);
  }
  return true;
}

#else

constexpr std::ptrdiff_t fewest_in_vectors = 0;
constexpr bool is_with_highway = false;

#endif

}  // namespace

bool has_vector_sort() { return is_with_highway; }

template <class Key>
void sort_keys(Key* keys, std::ptrdiff_t n, Key* spare) {
  if constexpr (is_with_highway && are_vector_keys<Key>) {
    if (n >= fewest_in_vectors) return sort_in_vectors(keys, n);
  }
  if (n < fewest<Key>) return std::sort(keys, keys + n);
  Spare memory(spare, bytes_of<Key>(n));
  thrust::sort(thrust::seq(memory), keys, keys + n);
}

template <class Key, class Position>
void sort_pairs(Key* keys, Position* positions, std::ptrdiff_t n, Key* spare, Position* spare_positions) {
  if (n < few_pairs) return sort_few_pairs(keys, positions, n);
  if constexpr (is_with_highway && are_vector_pairs<Key, Position>) {
    if (sort_pairs_in_vectors(keys, positions, n)) return;
  }
  Spare memory(spare, bytes_of<Key>(n), spare_positions, bytes_of<Position>(n));
  thrust::stable_sort_by_key(thrust::seq(memory), keys, keys + n, positions);
}

template void sort_keys(std::uint8_t*, std::ptrdiff_t, std::uint8_t*);
template void sort_keys(std::uint16_t*, std::ptrdiff_t, std::uint16_t*);
template void sort_keys(std::uint32_t*, std::ptrdiff_t, std::uint32_t*);
template void sort_keys(std::uint64_t*, std::ptrdiff_t, std::uint64_t*);

template void sort_pairs(std::uint8_t*, std::uint32_t*, std::ptrdiff_t, std::uint8_t*, std::uint32_t*);
template void sort_pairs(std::uint16_t*, std::uint32_t*, std::ptrdiff_t, std::uint16_t*, std::uint32_t*);
template void sort_pairs(std::uint32_t*, std::uint32_t*, std::ptrdiff_t, std::uint32_t*, std::uint32_t*);
template void sort_pairs(std::uint64_t*, std::uint32_t*, std::ptrdiff_t, std::uint64_t*, std::uint32_t*);
template void sort_pairs(std::uint8_t*, std::uint64_t*, std::ptrdiff_t, std::uint8_t*, std::uint64_t*);
template void sort_pairs(std::uint16_t*, std::uint64_t*, std::ptrdiff_t, std::uint16_t*, std::uint64_t*);
template void sort_pairs(std::uint32_t*, std::uint64_t*, std::ptrdiff_t, std::uint32_t*, std::uint64_t*);
template void sort_pairs(std::uint64_t*, std::uint64_t*, std::ptrdiff_t, std::uint64_t*, std::uint64_t*);

}  // namespace tessera::sorting
