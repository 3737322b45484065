module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Each row is run along by one thread, rows that lie side by side together.
namespace tessera::scanning {

namespace {

constexpr std::ptrdiff_t widest = 16;

template <class T>
bool is_nan(T value) {
  if constexpr (Floating<T>) return static_cast<double>(value) != static_cast<double>(value);
  return false;
}

/// The later of two elements if it is the more extreme one or NaN.
template <class T, bool IsMax>
[[gnu::always_inline]] inline T extreme(T earlier, T later) {
  return is_nan(later) || (IsMax ? earlier < later : later < earlier) ? later : earlier;  // nothing compares with NaN
}

template <class T, bool IsMax>
struct Extreme {
  static constexpr bool is_max = IsMax;
  T value;

  explicit Extreme(T first) : value(first) {}
  void take(T x) { value = extreme<T, IsMax>(value, x); }
  T result() const { return value; }
};

/// The sum of e^x as its largest exponent, and the sum of e^(x - largest).
template <class T>
struct Exponentials {
  double largest, sum = 1;

  explicit Exponentials(T first) : largest(static_cast<double>(first)) {}
  void take(T element) {
    const auto x = static_cast<double>(element);
    if (x == largest) {  // also where both are infinite
      sum += 1;
    } else if (x <= largest) {
      sum += std::exp(x - largest);
    } else {
      sum = sum * std::exp(largest - x) + 1;  // NaN from NaN
      largest = x;
    }
  }
  T result() const { return static_cast<T>(std::isinf(largest) && sum == sum ? largest : largest + std::log(sum)); }
};

/// Extreme values along elements without gaps, a vector at a time: each lane takes those 1, 2, 4, ... lanes before it, then the last of the
/// vector before.
template <class T, bool IsMax>
struct RunAlongVectors {
  using Vector [[gnu::vector_size(64)]] = T;
  static constexpr int lanes = 64 / static_cast<int>(sizeof(T));

  // Vectors are handed on by reference: as values they would be wider than what a caller without AVX-512 hands on.
  [[gnu::always_inline]] static void take_earlier(const Vector& earlier, Vector& later) {
    later = ((later != later) | (IsMax ? earlier < later : later < earlier)) ? later : earlier;
  }
  template <int Shift, int... Lane>
  [[gnu::always_inline]] static void take_lanes_before(Vector& v, std::integer_sequence<int, Lane...>) {
    const Vector before = __builtin_shufflevector(v, v, (Lane < Shift ? Lane : Lane - Shift)...);
    take_earlier(before, v);
  }
  template <int Shift = 1>
  [[gnu::always_inline]] static void run_along_lanes(Vector& v) {
    if constexpr (Shift < lanes) {
      take_lanes_before<Shift>(v, std::make_integer_sequence<int, lanes>{});
      run_along_lanes<2 * Shift>(v);
    }
  }

  [[gnu::always_inline]] static void run(const T* from, T* to, std::ptrdiff_t n) {
    T last = from[0];
    std::ptrdiff_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      Vector v;
      std::memcpy(&v, from + i, sizeof v);
      run_along_lanes(v);
      const Vector before = Vector{} + last;
      take_earlier(before, v);
      last = v[lanes - 1];
      std::memcpy(to + i, &v, sizeof v);
    }
    for (; i < n; ++i) to[i] = last = extreme<T, IsMax>(last, from[i]);
  }
};

/// Extreme values of rows side by side.
template <class T, bool IsMax>
struct RunSideBySide {
  [[gnu::always_inline]] static void run(const T* from, std::ptrdiff_t from_step, T* to, std::ptrdiff_t to_step,
                                         std::ptrdiff_t n) {
    T last[widest];
    for (std::ptrdiff_t row = 0; row < widest; ++row) last[row] = from[row];
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      for (std::ptrdiff_t row = 0; row < widest; ++row) {
        last[row] = extreme<T, IsMax>(last[row], from[j * from_step + row]);
        to[j * to_step + row] = last[row];
      }
    }
  }
};

/// Runs along rows of which each has a state of its own.
template <class T, class State>
void run_with_states(const rows::Tiling& tiling, const rows::Tile& tile, const T* x, T* y, std::byte* scratch) {
  auto* const states = reinterpret_cast<State*>(scratch);
  for (std::ptrdiff_t j = 0; j < tiling.length(); ++j) {
    for (std::ptrdiff_t row = 0; row < tile.rows; ++row) {
      const T element = x[row * tiling.from_gap()];
      if (j == 0) {
        ::new (states + row) State(element);
      } else {
        states[row].take(element);
      }
      y[row * tiling.to_gap()] = states[row].result();
    }
    x += tiling.from_step();
    y += tiling.to_step();
  }
}

template <class T, class State>
void run_along(const rows::Call& call) {
  const rows::Tiling tiling(call, widest);
  const auto* const from = static_cast<const T*>(call.from.data);
  auto* const to = static_cast<T*>(call.to.data);
  rows::for_each_tile(
      tiling, widest * static_cast<std::ptrdiff_t>(sizeof(State)), [&](const rows::Tile& tile, std::byte* scratch) {
        const T* const x = from + tile.from;
        T* const y = to + tile.to;
        if constexpr (requires { State::is_max; } && std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          constexpr bool is_max = State::is_max;
          if (tile.rows == 1 && tiling.from_step() == 1 && tiling.to_step() == 1)
            return rows::Compiled<RunAlongVectors<T, is_max>>::best()(x, y, tiling.length());
          if (tile.rows == widest && tiling.from_gap() == 1 && tiling.to_gap() == 1)
            return rows::Compiled<RunSideBySide<T, is_max>>::best()(x, tiling.from_step(), y, tiling.to_step(),
                                                                    tiling.length());
        }
        run_with_states<T, State>(tiling, tile, x, y, scratch);
      });
}

}  // namespace

void run_along_rows(const rows::Call& call, Running operation) {
  if (std::ranges::find(call.shape, 0) != call.shape.end()) return;
  core::with_element(call.dtype, [&]<class T>() {
    if constexpr (!Complex<T>) {
      if (operation == Running::max) return run_along<T, Extreme<T, true>>(call);
      if (operation == Running::min) return run_along<T, Extreme<T, false>>(call);
      if constexpr (Floating<T>) run_along<T, Exponentials<T>>(call);
    }
  });
}

}  // namespace tessera::scanning
