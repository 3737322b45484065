module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
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

/// Accumulates all rows in `states`, of which there are `count` rows, one after another.
template <class T, class State, class Way>
void accumulate(const Segments& s, State* states, const Way& way) {
  const T* const values = static_cast<const T*>(s.values.data);
  const std::ptrdiff_t width = s.width, size = s.count * width;
  const auto take_rows = [&](State* to, std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t first,
                             std::ptrdiff_t last) {
    for (std::ptrdiff_t row = begin; row < end; ++row) {
      State* const own = to + s.labels[row] * width;
      for (std::ptrdiff_t i = first; i < last; ++i) way.take(own[i], values[row * width + i]);
    }
  };
  if (width >= 2 * columns_per_task) {
    std::fill_n(states, size, way.none());
    return rows::for_each_piece(width, columns_per_task, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      take_rows(states, 0, s.rows, first, last);
    });
  }
  const std::ptrdiff_t parts = std::clamp<std::ptrdiff_t>(s.rows * width / std::max(part, 4 * size), 1, most_parts);
  const memory::Allocation memory(CpuPlace{}, (parts - 1) * size * static_cast<std::ptrdiff_t>(sizeof(State)));
  auto* const others = static_cast<State*>(memory.data());
  parallel_for(parts, [&](std::ptrdiff_t index) {
    State* const own = index == 0 ? states : others + (index - 1) * size;
    std::fill_n(own, size, way.none());
    take_rows(own, s.rows / parts * index, index + 1 == parts ? s.rows : s.rows / parts * (index + 1), 0, width);
  });
  for (std::ptrdiff_t index = 0; index + 1 < parts; ++index) {
    for (std::ptrdiff_t i = 0; i < size; ++i) way.merge(states[i], others[index * size + i]);
  }
}

template <class T>
void add_up(const Segments& s, void* to) {
  using State = typename Sums<T>::State;
  using Sum = typename Sums<T>::Sum;
  using Mean = typename Sums<T>::Mean;
  const std::ptrdiff_t size = s.count * s.width;
  const memory::Allocation memory(CpuPlace{}, size * static_cast<std::ptrdiff_t>(sizeof(State)));
  auto* const sums = static_cast<State*>(memory.data());
  accumulate<T>(s, sums, Adding<T, State>{});
  if (s.op == SegmentOp::sum) {
    for (std::ptrdiff_t i = 0; i < size; ++i) static_cast<Sum*>(to)[i] = converted<Sum>(sums[i]);
    return;
  }
  const memory::Allocation counts_memory(CpuPlace{}, s.count * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
  auto* const counts = static_cast<std::int64_t*>(counts_memory.data());
  std::fill_n(counts, s.count, std::int64_t{0});
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) ++counts[s.labels[row]];
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const auto count = static_cast<double>(counts[i / s.width]);
    if constexpr (std::is_same_v<State, std::uint64_t>) {
      static_cast<Mean*>(to)[i] = static_cast<double>(static_cast<Sum>(sums[i])) / count;
    } else {
      static_cast<Mean*>(to)[i] = converted<Mean>(sums[i] / count);
    }
  }
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

void reduce(const Segments& s, void* to) {
  if (s.count * s.width == 0) return;
  core::with_element(s.values.dtype, [&]<class T>() {
    if (s.op == SegmentOp::sum || s.op == SegmentOp::mean) return add_up<T>(s, to);
    if constexpr (!Complex<T>) {
      if (s.op == SegmentOp::min) return accumulate<T>(s, static_cast<T*>(to), Extreme<T, false>{});
      accumulate<T>(s, static_cast<T*>(to), Extreme<T, true>{});
    }
  });
}

}  // namespace tessera::counting
