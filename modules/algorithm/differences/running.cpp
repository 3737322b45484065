module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

template <class T, bool IsMax>
struct Extreme {
  T value;

  explicit Extreme(T first) : value(first) {}
  void take(T x) {
    if (is_nan(x) || (IsMax ? value < x : x < value)) value = x;  // nothing compares with NaN
  }
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

template <class T, class State>
void run_along(const rows::Call& call) {
  const rows::Tiling tiling(call, widest);
  const auto* const from = static_cast<const T*>(call.from.data);
  auto* const to = static_cast<T*>(call.to.data);
  rows::for_each_tile(tiling, widest * static_cast<std::ptrdiff_t>(sizeof(State)),
                      [&](const rows::Tile& tile, std::byte* scratch) {
                        auto* const states = reinterpret_cast<State*>(scratch);
                        const T* x = from + tile.from;
                        T* y = to + tile.to;
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
