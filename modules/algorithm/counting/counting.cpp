module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
constexpr std::ptrdiff_t short_table_of_sums = 1024;
constexpr std::ptrdiff_t ways = 4;

template <class T>
using Bits = std::make_unsigned_t<T>;

/// A label that is not negative, as an index.
template <class T>
[[gnu::always_inline]] inline std::ptrdiff_t index_of(T label) {
  return static_cast<std::ptrdiff_t>(static_cast<Bits<T>>(label));
}

/// A number that no table has room for, instead of one that stands for negative labels.
template <class T>
[[gnu::always_inline]] inline std::uint64_t unless_negative(Bits<T> bits) {
  constexpr auto sign = static_cast<Bits<T>>(std::is_signed_v<T> ? Bits<T>{1} << (8 * sizeof(T) - 1) : 0);
  return (bits & sign) != 0 ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t{bits};
}

/// All bits that are set in some label: a power of two is above it if it is above all of them.
template <class T>
struct AllBits {
  [[gnu::always_inline]] static std::uint64_t run(const T* labels, std::ptrdiff_t n) {
    Bits<T> bits = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) bits = static_cast<Bits<T>>(bits | static_cast<Bits<T>>(labels[i]));
    return unless_negative<T>(bits);
  }
};
template <class T>
std::uint64_t all_bits(const T* labels, std::ptrdiff_t n) {
  return rows::Compiled<AllBits<T>>::best()(labels, n);
}

/// The largest label; negative ones are above all others.
template <class T>
struct Largest {
  [[gnu::always_inline]] static std::uint64_t run(const T* labels, std::ptrdiff_t n) {
    Bits<T> largest = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) largest = std::max(largest, static_cast<Bits<T>>(labels[i]));
    return unless_negative<T>(largest);
  }
};

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
bool count_labels(const T* labels, std::ptrdiff_t n, std::ptrdiff_t size, bool is_short, std::uint32_t* counts) {
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

/// Adds weights to `ways` tables of a power of two. Returns one more than the largest label, or 0 as soon as one is too large.
template <class T>
std::ptrdiff_t add_weights(const T* labels, const double* weights, std::ptrdiff_t n, std::ptrdiff_t size, bool is_short,
                           double* sums) {
  const std::ptrdiff_t second = is_short ? size : 0, third = 2 * second, fourth = 3 * second;
  std::uint64_t largest = 0;
  for (std::ptrdiff_t first = 0; first < n; first += block) {
    const T* const some = labels + first;
    const double* const own = weights + first;
    const std::ptrdiff_t count = std::min(block, n - first);
    largest = std::max(largest, rows::Compiled<Largest<T>>::best()(some, count));
    if (largest >= static_cast<std::uint64_t>(size)) return 0;
    std::ptrdiff_t i = 0;
    for (; i + ways <= count; i += ways) {
      sums[index_of(some[i])] += own[i];
      sums[second + index_of(some[i + 1])] += own[i + 1];
      sums[third + index_of(some[i + 2])] += own[i + 2];
      sums[fourth + index_of(some[i + 3])] += own[i + 3];
    }
    for (; i < count; ++i) sums[index_of(some[i])] += own[i];
  }
  return static_cast<std::ptrdiff_t>(largest) + 1;
}

/// Writes the sums of the first `count` numbers of all tables.
template <class Number, class To>
void write_sums(const Number* tables, std::ptrdiff_t size, std::ptrdiff_t table_count, std::ptrdiff_t count, To* to) {
  for (std::ptrdiff_t first = 0; first < count; first += block) {
    const std::ptrdiff_t past = std::min(first + block, count);
    for (std::ptrdiff_t i = first; i < past; ++i) to[i] = To{tables[i]};
    for (std::ptrdiff_t table = 1; table < table_count; ++table) {
      for (std::ptrdiff_t i = first; i < past; ++i) to[i] += To{tables[table * size + i]};
    }
  }
}

}  // namespace

std::uint64_t largest_label(const std::int64_t* labels, std::ptrdiff_t n) {
  return rows::Compiled<Largest<std::int64_t>>::best()(labels, n);
}

memory::Allocation zeroed(std::ptrdiff_t bytes) {
  memory::Allocation memory(CpuPlace{}, bytes);
  std::memset(memory.data(), 0, static_cast<std::size_t>(bytes));
  return memory;
}

/// Each thread has `ways` tables if they are short, otherwise one, and counts so few labels that 32 bits hold their number.
template <class T>
bool LabelCounts::count(const T* labels, std::ptrdiff_t n, std::ptrdiff_t size) {
  constexpr std::ptrdiff_t most = std::numeric_limits<std::uint32_t>::max();
  const bool is_short = size <= short_table;
  const std::ptrdiff_t own = is_short ? ways * size : size;
  const std::ptrdiff_t lanes =
      std::max(std::clamp<std::ptrdiff_t>(n / std::max(part, 4 * size), 1, num_threads()), (n - 1) / most + 1);
  memory_ = zeroed(lanes * own * static_cast<std::ptrdiff_t>(sizeof(std::uint32_t)));
  table_size_ = size;
  table_count_ = lanes * own / size;
  auto* const counts = static_cast<std::uint32_t*>(memory_.data());
  std::vector<std::uint8_t> fits(static_cast<std::size_t>(lanes), 0);
  parallel_for(lanes, [&](std::ptrdiff_t lane) {
    const std::ptrdiff_t begin = n / lanes * lane, end = lane + 1 == lanes ? n : n / lanes * (lane + 1);
    fits[static_cast<std::size_t>(lane)] =
        count_labels(labels + begin, end - begin, size, is_short, counts + lane * own) ? 1 : 0;
  });
  if (std::ranges::count(fits, 0) != 0) return false;
  const auto is_counted = [&](std::ptrdiff_t label) {
    for (std::ptrdiff_t table = 0; table < table_count_; ++table) {
      if (counts[table * size + label] != 0) return true;
    }
    return false;
  };
  for (size_ = size; size_ > 0 && !is_counted(size_ - 1);) --size_;
  return true;
}

/// The number of parts depends on the sizes alone, because the sums depend on it.
template <class T>
bool LabelCounts::weigh(const T* labels, const double* weights, std::ptrdiff_t n, std::ptrdiff_t size) {
  const bool is_short = size <= short_table_of_sums && n >= std::max(block, ways * size);
  const std::ptrdiff_t own = is_short ? ways * size : size;
  const std::ptrdiff_t parts = std::clamp<std::ptrdiff_t>(n / std::max(part, 4 * size), 1, most_parts);
  memory_ = zeroed(parts * own * static_cast<std::ptrdiff_t>(sizeof(double)));
  table_size_ = size;
  table_count_ = parts * own / size;
  auto* const sums = static_cast<double*>(memory_.data());
  std::vector<std::ptrdiff_t> sizes(static_cast<std::size_t>(parts), 0);
  parallel_for(parts, [&](std::ptrdiff_t index) {
    const std::ptrdiff_t begin = n / parts * index, end = index + 1 == parts ? n : n / parts * (index + 1);
    sizes[static_cast<std::size_t>(index)] =
        add_weights(labels + begin, weights + begin, end - begin, size, is_short, sums + index * own);
  });
  if (std::ranges::count(sizes, 0) != 0) return false;
  size_ = *std::ranges::max_element(sizes);
  return true;
}

LabelCounts::LabelCounts(const rows::Vector& vector, const double* weights, const rows::Argument& argument)
    : is_weighed_(weights != nullptr) {
  const std::ptrdiff_t n = vector.size;
  if (n == 0) return;
  core::with_element(vector.dtype, [&]<class T>() {
    if constexpr (Integer<T>) {
      const T* const labels = static_cast<const T*>(vector.data);
      const auto fit = [&](std::ptrdiff_t size) {
        return weights == nullptr ? count(labels, n, size) : weigh(labels, weights, n, size);
      };
      if (!fit(sampled_table_size(labels, n))) fit(table_size(labels, n, argument));
    }
  });
}

void LabelCounts::write(void* to, std::ptrdiff_t length) const {
  const auto write_as = [&]<class Number, class To>(const Number* tables, To* target) {
    write_sums(tables, table_size_, table_count_, size_, target);
    std::fill(target + size_, target + length, To{0});
  };
  if (is_weighed_) return write_as(static_cast<const double*>(memory_.data()), static_cast<double*>(to));
  write_as(static_cast<const std::uint32_t*>(memory_.data()), static_cast<std::int64_t*>(to));
}

}  // namespace tessera::counting
