module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Reducing rows by their labels. Wide rows are shared by columns, narrow ones in parts by rows, whose number depends on the sizes alone: each
// result is added up in one order, whatever the number of threads.
namespace tessera::counting {

namespace {

constexpr std::ptrdiff_t part = std::ptrdiff_t{1} << 17;  // elements from which rows are worth a part of their own
constexpr std::ptrdiff_t most_parts = 8;
constexpr std::ptrdiff_t columns_per_task = 256;
constexpr std::ptrdiff_t block = 4096;        // rows whose labels are looked at together, and then taken
constexpr std::ptrdiff_t ways = 4;            // tables, because a label that comes again would wait for its sum
constexpr std::ptrdiff_t short_table = 1024;  // of which there are so many

/// What elements are accumulated in, and the results of sums and means.
template <class T>
struct Sums {
  using State = std::uint64_t;
  using Sum = std::conditional_t<kind_of<T> == Kind::unsigned_integer, std::uint64_t, std::int64_t>;
  using Mean = double;
};
template <Floating T>
struct Sums<T> {
  using State = double;
  using Sum = T;
  using Mean = T;
};
template <Complex T>
struct Sums<T> {
  using State = std::complex<double>;
  using Sum = T;
  using Mean = T;
};

template <class To, class From>
To converted(From value) {
  if constexpr (Complex<To>) {
    using Part = typename To::value_type;
    return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
  } else {
    return static_cast<To>(value);
  }
}

template <class T, class State>
struct Adding {
  static State none() { return State(0); }
  static void take(State& state, const T& value) {
    if constexpr (Complex<T>) {
      state += State(value.real(), value.imag());
    } else {
      state += static_cast<State>(value);
    }
  }
  static void merge(State& state, const State& later) { state += later; }
};

template <class T>
bool is_nan(T value) {
  if constexpr (Floating<T>) return static_cast<double>(value) != static_cast<double>(value);
  return false;
}

/// The smallest or largest; NaN if one is NaN.
template <class T, bool IsMax>
struct Extreme {
  static T none() {
    if constexpr (Floating<T>) {
      const double infinity = std::numeric_limits<double>::infinity();
      return static_cast<T>(IsMax ? -infinity : infinity);
    } else {
      return IsMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
  }
  static void take(T& state, const T& value) {
    if (is_nan(value) || (IsMax ? state < value : value < state)) state = value;
  }
  static void merge(T& state, const T& later) { take(state, later); }
};

/// Whether there are segments for the labels of [begin, end).
bool fit(const Segments& s, std::ptrdiff_t begin, std::ptrdiff_t end) {
  return largest_label(s.labels + begin, end - begin) < static_cast<std::uint64_t>(s.count);
}

/// Takes rows into `to`, columns [first, last).
template <class T, class State, class Way>
void take_rows(const Segments& s, std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t first, std::ptrdiff_t last,
               State* to, const Way& way) {
  const T* const values = static_cast<const T*>(s.values.data);
  for (std::ptrdiff_t row = begin; row < end; ++row) {
    State* const own = to + s.labels[row] * s.width;
    for (std::ptrdiff_t i = first; i < last; ++i) way.take(own[i], values[row * s.width + i]);
  }
}

/// Takes single elements in turn into `ways` tables.
template <class T, class State, class Way>
void take_elements(const Segments& s, std::ptrdiff_t begin, std::ptrdiff_t end, State* const (&to)[ways],
                   const Way& way) {
  const T* const values = static_cast<const T*>(s.values.data);
  std::ptrdiff_t i = begin;
  for (; i + ways <= end; i += ways) {
    way.take(to[0][s.labels[i]], values[i]);
    way.take(to[1][s.labels[i + 1]], values[i + 1]);
    way.take(to[2][s.labels[i + 2]], values[i + 2]);
    way.take(to[3][s.labels[i + 3]], values[i + 3]);
  }
  for (; i < end; ++i) way.take(to[0][s.labels[i]], values[i]);
}

/// Accumulates all rows in `states`, of which there are `count` rows, one after another. False if a row has a label of no segment.
template <class T, class State, class Way>
bool accumulate(const Segments& s, State* states, const Way& way) {
  const std::ptrdiff_t width = s.width, size = s.count * width;
  if (width >= 2 * columns_per_task) {
    if (!fit(s, 0, s.rows)) return false;
    std::fill_n(states, size, way.none());
    rows::for_each_piece(width, columns_per_task, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      take_rows<T>(s, 0, s.rows, first, last, states, way);
    });
    return true;
  }
  const std::ptrdiff_t parts = std::clamp<std::ptrdiff_t>(s.rows * width / std::max(part, 4 * size), 1, most_parts);
  const bool in_turn = width == 1 && size <= short_table && s.rows >= std::max(block, ways * size);
  const std::ptrdiff_t tables = in_turn ? ways : 1;  // of each part
  const memory::Allocation memory(CpuPlace{}, (parts * tables - 1) * size * static_cast<std::ptrdiff_t>(sizeof(State)));
  const auto table = [&](std::ptrdiff_t index) {
    return index == 0 ? states : static_cast<State*>(memory.data()) + (index - 1) * size;
  };
  std::vector<std::uint8_t> fits(static_cast<std::size_t>(parts), 1);
  parallel_for(parts, [&](std::ptrdiff_t index) {
    State* own[ways];
    for (std::ptrdiff_t way_index = 0; way_index < ways; ++way_index)
      own[way_index] = table(index * tables + way_index % tables);
    for (std::ptrdiff_t i = 0; i < tables; ++i) std::fill_n(own[i], size, way.none());
    const std::ptrdiff_t begin = s.rows / parts * index, end = index + 1 == parts ? s.rows : begin + s.rows / parts;
    for (std::ptrdiff_t first = begin; first < end; first += block) {
      const std::ptrdiff_t past = std::min(first + block, end);
      if (!fit(s, first, past)) {
        fits[static_cast<std::size_t>(index)] = 0;
        return;
      }
      if (width == 1) {
        take_elements<T>(s, first, past, own, way);
      } else {
        take_rows<T>(s, first, past, 0, width, own[0], way);
      }
    }
  });
  if (std::ranges::count(fits, 0) != 0) return false;
  for (std::ptrdiff_t index = 1; index < parts * tables; ++index) {
    const State* const other = table(index);
    for (std::ptrdiff_t i = 0; i < size; ++i) way.merge(states[i], other[i]);
  }
  return true;
}

template <class T>
bool add_up(const Segments& s, void* to) {
  using State = typename Sums<T>::State;
  using Sum = typename Sums<T>::Sum;
  using Mean = typename Sums<T>::Mean;
  const std::ptrdiff_t size = s.count * s.width;
  const memory::Allocation memory(CpuPlace{}, size * static_cast<std::ptrdiff_t>(sizeof(State)));
  auto* const sums = static_cast<State*>(memory.data());
  if (!accumulate<T>(s, sums, Adding<T, State>{})) return false;
  if (s.op == SegmentOp::sum) {
    for (std::ptrdiff_t i = 0; i < size; ++i) static_cast<Sum*>(to)[i] = converted<Sum>(sums[i]);
    return true;
  }
  const memory::Allocation counts_memory(CpuPlace{}, s.count * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
  auto* const counts = static_cast<std::int64_t*>(counts_memory.data());
  std::fill_n(counts, s.count, std::int64_t{0});
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) ++counts[s.labels[row]];
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const std::int64_t rows_of_segment = counts[i / s.width];
    const auto count = static_cast<double>(rows_of_segment);
    if constexpr (std::is_same_v<State, std::uint64_t>) {
      static_cast<Mean*>(to)[i] = static_cast<double>(static_cast<Sum>(sums[i])) / count;
    } else {
      static_cast<Mean*>(to)[i] = converted<Mean>(sums[i] / count);
    }
  }
  return true;
}

}  // namespace

void require_labels(const Segments& s, bool are_unsigned, const rows::Argument& argument) {
  for (std::ptrdiff_t i = 0; i < s.rows; ++i) {
    const std::int64_t label = s.labels[i];
    if (label >= 0 && label < s.count) continue;
    const std::string text = are_unsigned ? std::to_string(static_cast<std::uint64_t>(label)) : std::to_string(label);
    throw IndexError(to_string(Failure{.operation = argument.operation,
                                       .problem = std::string(argument.name) + ": label " + text + " at position " +
                                                  std::to_string(i) + " is not in [0, " + std::to_string(s.count) + ")",
                                       .advice = "the number of segments is the last argument",
                                       .where = argument.where}));
  }
}

bool reduce(const Segments& s, void* to) {
  if (s.count * s.width == 0) return s.rows == 0 || (s.count > 0 && fit(s, 0, s.rows));
  return core::with_element(s.values.dtype, [&]<class T>() -> bool {
    if (s.op == SegmentOp::sum || s.op == SegmentOp::mean) return add_up<T>(s, to);
    if constexpr (!Complex<T>) {
      if (s.op == SegmentOp::min) return accumulate<T>(s, static_cast<T*>(to), Extreme<T, false>{});
      return accumulate<T>(s, static_cast<T*>(to), Extreme<T, true>{});
    } else {
      return true;
    }
  });
}

}  // namespace tessera::counting

namespace tessera {

void require_segments(std::ptrdiff_t labels, std::ptrdiff_t slices, std::ptrdiff_t count,
                      const rows::Argument& argument) {
  if (count < 0) {
    throw ShapeError(to_string(Failure{.operation = argument.operation,
                                       .problem = "the number of segments is " + std::to_string(count),
                                       .advice = "it is 0 or more",
                                       .where = argument.where}));
  }
  if (labels == slices) return;
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = "there are " + std::to_string(labels) + " labels for " +
                                                std::to_string(slices) + " slices along the first axis",
                                     .advice = "a slice has one label",
                                     .where = argument.where}));
}

}  // namespace tessera
