module;
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers that find the position of the largest or smallest value; the first of equals, the first NaN before all.
namespace tessera::plan {

namespace {

template <ReduceOp Op, class C>
[[gnu::always_inline]] bool better(C value, C best) {
  return Op == ReduceOp::argmax ? is_larger(value, best) : is_smaller(value, best);
}

template <ReduceOp Op, class C>
struct Searching {
  using Value = C;
  using Accumulator = Best<C>;

  [[gnu::always_inline]] static Accumulator identity() { return {C(0), -1}; }
  [[gnu::always_inline]] static Accumulator merge(Accumulator a, Accumulator b) {
    return b.index >= 0 && (a.index < 0 || better<Op>(b.value, a.value)) ? b : a;
  }

  [[gnu::always_inline]] static C ahead(C a, C b) { return better<Op>(b, a) ? b : a; }

  /// The extreme value alone, which vectorises; the first value stands for "none yet".
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static C extreme(const C* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = lane_count<VectorBytes, C>();
    C lane[lanes];
    for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = from[0];
    std::ptrdiff_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = ahead(lane[k], from[i + k]);
    }
    for (std::ptrdiff_t k = 0; i < n; ++i, ++k) lane[k] = ahead(lane[k], from[i]);
    for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2) {
      for (std::ptrdiff_t k = 0; k < half; ++k) lane[k] = ahead(lane[k], lane[k + half]);
    }
    return lane[0];
  }

  [[gnu::always_inline]] static bool matches(C value, C found) {
    return (value == found) | ((found != found) & (value != value));
  }

  /// Where `found`, which is among the values, is first; a NaN is found as any NaN.
  [[gnu::always_inline]] static std::ptrdiff_t position(const C* from, std::ptrdiff_t n, C found) {
    constexpr std::ptrdiff_t step = 64;
    std::ptrdiff_t i = 0;
    for (; i + step <= n; i += step) {
      int here = 0;
      for (std::ptrdiff_t k = 0; k < step; ++k) here |= matches(from[i + k], found) ? 1 : 0;
      if (here != 0) break;
    }
    while (!matches(from[i], found)) ++i;
    return i;
  }

  /// Finds the extreme value of a part first, then its position if it is better than the one so far.
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(Accumulator& best, const C* from, std::ptrdiff_t n, std::ptrdiff_t first) {
    for (std::ptrdiff_t start = 0; start < n; start += block_elements) {
      const std::ptrdiff_t count = std::min(block_elements, n - start);
      const C found = extreme<VectorBytes>(from + start, count);
      if (best.index >= 0 && !better<Op>(found, best.value)) continue;
      const std::ptrdiff_t at = start + position(from + start, count, found);
      best = {from[at], first + at};
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(Accumulator* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    fold_tiles<Searching, lane_count<VectorBytes, C>()>(to, from, rows, stride, n, first);
  }

  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void tile(Accumulator* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t first) {
    using Row = std::conditional_t<sizeof(C) == 8, std::int64_t, std::int32_t>;
    C value[Step];
    Row row[Step];
    for (std::ptrdiff_t k = 0; k < n; ++k) value[k] = from[k], row[k] = 0;
    for (std::ptrdiff_t r = 1; r < rows; ++r) {
      const C* later = from + r * stride;
      for (std::ptrdiff_t k = 0; k < n; ++k) {
        const bool replaces = better<Op>(later[k], value[k]);
        value[k] = replaces ? later[k] : value[k];
        row[k] = replaces ? static_cast<Row>(r) : row[k];
      }
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = merge(to[k], {value[k], first + row[k]});
  }
};

template <class C>
const Reducer* reducer_of(ReduceOp) {
  return nullptr;  // complex numbers have no order
}

template <Real C>
const Reducer* reducer_of(ReduceOp op) {
  if (op == ReduceOp::argmin) return ReducerOf<Searching<ReduceOp::argmin, C>>::chosen();
  return ReducerOf<Searching<ReduceOp::argmax, C>>::chosen();
}

}  // namespace

const Reducer* searching_reducer(ReduceOp op, DType dtype) {
  return with_compute_type(dtype, [op]<class C>() { return reducer_of<C>(op); });
}

}  // namespace tessera::plan
