module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Counting labels: a table is made for what a sample says, and made larger if a label does not fit. Each thread has a table of its own; short
// tables are kept four times, because a label that comes again would wait for its count to be written.
namespace tessera::counting {

namespace {

constexpr std::ptrdiff_t block = 4096;  // labels that are looked at together, and then counted
constexpr std::ptrdiff_t part = std::ptrdiff_t{1} << 17;
constexpr std::ptrdiff_t most_parts = 8;
constexpr std::ptrdiff_t short_table = 4096;
constexpr std::ptrdiff_t ways = 4;

template <class T>
using Bits = std::make_unsigned_t<T>;

/// A label that is not negative, as an index.
template <class T>
[[gnu::always_inline]] inline std::ptrdiff_t index_of(T label) {
  return static_cast<std::ptrdiff_t>(static_cast<Bits<T>>(label));
}

/// All bits that are set in some label: a power of two is above it if it is above all of them.
template <class T>
std::uint64_t all_bits(const T* labels, std::ptrdiff_t n) {
  Bits<T> bits = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) bits = static_cast<Bits<T>>(bits | static_cast<Bits<T>>(labels[i]));
  return bits;
}

template <class T>
[[noreturn]] void throw_label(const T* labels, std::ptrdiff_t n, std::uint64_t limit, const rows::Argument& argument) {
  std::ptrdiff_t at = 0;
  while (at + 1 < n && static_cast<std::uint64_t>(labels[at]) < limit) ++at;
  const bool is_negative = std::is_signed_v<T> && labels[at] < T(0);
  throw IndexError(to_string(Failure{.operation = argument.operation,
                                     .problem = std::string(argument.name) + ": label " + std::to_string(labels[at]) +
                                                " at position " + std::to_string(at) +
                                                (is_negative ? " is negative" : " needs more counts than memory holds"),
                                     .advice = "labels count from 0",
                                     .where = argument.where}));
}

/// A table for all labels. Throws IndexError for one that no table can hold.
template <class T>
std::ptrdiff_t table_size(const T* labels, std::ptrdiff_t n, const rows::Argument& argument) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 40;
  const std::ptrdiff_t pieces = (n + part - 1) / part;
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(pieces));
  rows::for_each_piece(n, part, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const std::uint64_t found = all_bits(labels + begin, end - begin);
    bits[static_cast<std::size_t>(begin / part)] = found;
  });
  std::uint64_t together = 0;
  for (const std::uint64_t some : bits) together |= some;
  constexpr auto top = static_cast<std::uint64_t>(static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1)));
  if (std::is_signed_v<T> && (together & top) != 0) throw_label(labels, n, top, argument);
  if (together >= limit) throw_label(labels, n, limit, argument);
  return static_cast<std::ptrdiff_t>(std::bit_ceil(together + 1));
}

template <class T>
std::ptrdiff_t sampled_table_size(const T* labels, std::ptrdiff_t n) {
  std::uint64_t bits = 255;
  const std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, n / 1024);
  for (std::ptrdiff_t i = 0; i < n; i += step) bits |= static_cast<std::uint64_t>(labels[i]);
  return bits < (std::uint64_t{1} << 24) ? static_cast<std::ptrdiff_t>(std::bit_ceil(bits + 1)) : 256;
}

/// Counts labels into `ways` tables of a power of two. Returns false as soon as one is too large.
template <class T>
bool count_labels(const T* labels, std::ptrdiff_t n, std::ptrdiff_t size, bool is_short, std::int64_t* counts) {
  const std::ptrdiff_t second = is_short ? size : 0, third = 2 * second, fourth = 3 * second;
  for (std::ptrdiff_t first = 0; first < n; first += block) {
    const T* const some = labels + first;
    const std::ptrdiff_t count = std::min(block, n - first);
    if (all_bits(some, count) >= static_cast<std::uint64_t>(size)) return false;
    std::ptrdiff_t i = 0;
    for (; i + ways <= count; i += ways) {
      ++counts[index_of(some[i])];
      ++counts[second + index_of(some[i + 1])];
      ++counts[third + index_of(some[i + 2])];
      ++counts[fourth + index_of(some[i + 3])];
    }
    for (; i < count; ++i) ++counts[index_of(some[i])];
  }
  return true;
}

template <class Number>
memory::Allocation zeroed(std::ptrdiff_t count) {
  memory::Allocation memory(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(Number)));
  std::fill_n(static_cast<Number*>(memory.data()), count, Number{0});
  return memory;
}

/// Adds tables behind the first to it.
template <class Number>
void add_tables(Number* tables, std::ptrdiff_t size, std::ptrdiff_t count) {
  for (std::ptrdiff_t table = 1; table < count; ++table) {
    for (std::ptrdiff_t i = 0; i < size; ++i) tables[i] += tables[table * size + i];
  }
}

/// The counts of all labels, or nothing if one is not below `size`.
template <class T>
memory::Allocation counted(const T* labels, std::ptrdiff_t n, std::ptrdiff_t size) {
  const bool is_short = size <= short_table;
  const std::ptrdiff_t own = is_short ? ways * size : size;
  const std::ptrdiff_t lanes = std::clamp<std::ptrdiff_t>(n / std::max(part, 4 * size), 1, num_threads());
  memory::Allocation memory = zeroed<std::int64_t>(lanes * own);
  auto* const counts = static_cast<std::int64_t*>(memory.data());
  std::vector<std::uint8_t> fits(static_cast<std::size_t>(lanes), 0);
  parallel_for(lanes, [&](std::ptrdiff_t lane) {
    const std::ptrdiff_t begin = n / lanes * lane, end = lane + 1 == lanes ? n : n / lanes * (lane + 1);
    fits[static_cast<std::size_t>(lane)] =
        count_labels(labels + begin, end - begin, size, is_short, counts + lane * own) ? 1 : 0;
  });
  if (std::ranges::count(fits, 0) != 0) return {};
  add_tables(counts, size, lanes * own / size);
  return memory;
}

template <class T>
memory::Allocation weighed(const T* labels, const double* weights, std::ptrdiff_t n, std::ptrdiff_t size) {
  const std::ptrdiff_t parts = std::clamp<std::ptrdiff_t>(n / std::max(part, 4 * size), 1, most_parts);
  memory::Allocation memory = zeroed<double>(parts * size);
  auto* const sums = static_cast<double*>(memory.data());
  parallel_for(parts, [&](std::ptrdiff_t index) {
    const std::ptrdiff_t begin = n / parts * index, end = index + 1 == parts ? n : n / parts * (index + 1);
    double* const own = sums + index * size;
    for (std::ptrdiff_t i = begin; i < end; ++i) own[index_of(labels[i])] += weights[i];
  });
  add_tables(sums, size, parts);
  return memory;
}

template <class T>
std::ptrdiff_t largest(const T* labels, std::ptrdiff_t n) {
  return static_cast<std::ptrdiff_t>(*std::max_element(labels, labels + n));
}

}  // namespace

LabelCounts::LabelCounts(const rows::Vector& vector, const double* weights, const rows::Argument& argument) {
  const std::ptrdiff_t n = vector.size;
  if (n == 0) return;
  core::with_element(vector.dtype, [&]<class T>() {
    if constexpr (Integer<T>) {
      const T* const labels = static_cast<const T*>(vector.data);
      if (weights != nullptr) {
        counts_ = weighed(labels, weights, n, table_size(labels, n, argument));
        size_ = largest(labels, n) + 1;
        return;
      }
      std::ptrdiff_t size = sampled_table_size(labels, n);
      counts_ = counted(labels, n, size);
      if (counts_.data() == nullptr) counts_ = counted(labels, n, size = table_size(labels, n, argument));
      const auto* const counts = static_cast<const std::int64_t*>(counts_.data());
      for (size_ = size; size_ > 0 && counts[size_ - 1] == 0;) --size_;
    }
  });
}

void LabelCounts::write(void* to, std::ptrdiff_t length) const {
  static_assert(sizeof(double) == sizeof(std::int64_t));
  const auto bytes = [](std::ptrdiff_t count) { return count * static_cast<std::ptrdiff_t>(sizeof(double)); };
  auto* const target = static_cast<std::byte*>(to);
  if (size_ > 0) std::copy_n(static_cast<const std::byte*>(counts_.data()), bytes(size_), target);
  std::fill_n(target + bytes(size_), bytes(length - size_), std::byte{0});
}

}  // namespace tessera::counting
