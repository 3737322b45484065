module;
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
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
  const bool ahead = Op == ReduceOp::argmax ? value > best : value < best;
  if constexpr (std::floating_point<C>) return ahead || (value != value && best == best);
  return ahead;
}

template <ReduceOp Op, class C>
struct Searching {
  using Value = C;
  using Accumulator = Best<C>;

  [[gnu::always_inline]] static Accumulator identity() { return {C(0), -1}; }
  [[gnu::always_inline]] static Accumulator merge(Accumulator a, Accumulator b) {
    return b.index >= 0 && (a.index < 0 || better<Op>(b.value, a.value)) ? b : a;
  }

  /// The extreme value alone, which vectorises; the first value stands for "none yet".
  struct Extreme {
    using Value = C;
    using Accumulator = C;
    [[gnu::always_inline]] static C lift(C value, C) { return value; }
    [[gnu::always_inline]] static C combine(C a, C b) { return better<Op>(b, a) ? b : a; }
  };

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static C extreme(const C* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = 4 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(C));
    C lane[lanes];
    for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = from[0];
    std::ptrdiff_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = Extreme::combine(lane[k], from[i + k]);
    }
    for (std::ptrdiff_t k = 0; i < n; ++i, ++k) lane[k] = Extreme::combine(lane[k], from[i]);
    for (std::ptrdiff_t k = 1; k < lanes; ++k) lane[0] = Extreme::combine(lane[0], lane[k]);
    return lane[0];
  }

  /// Finds the extreme value of a part first, then its position if it is better than the one so far.
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(Accumulator& best, const C* from, std::ptrdiff_t n, std::ptrdiff_t first) {
    for (std::ptrdiff_t start = 0; start < n; start += block_elements) {
      const std::ptrdiff_t end = std::min(n, start + block_elements);
      const C found = extreme<VectorBytes>(from + start, end - start);
      if (best.index >= 0 && !better<Op>(found, best.value)) continue;
      std::ptrdiff_t i = start;
      while (!(from[i] == found || (found != found && from[i] != from[i]))) ++i;
      best = {from[i], first + i};
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(Accumulator* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    constexpr std::ptrdiff_t step = 2 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(C));
    for (std::ptrdiff_t start = 0; start < n; start += step) {
      const std::ptrdiff_t width = std::min(step, n - start);
      C value[step];
      std::int64_t row[step];
      for (std::ptrdiff_t k = 0; k < width; ++k) value[k] = from[start + k], row[k] = 0;
      for (std::ptrdiff_t r = 1; r < rows; ++r) {
        const C* later = from + r * stride + start;
        for (std::ptrdiff_t k = 0; k < width; ++k) {
          const bool replaces = better<Op>(later[k], value[k]);
          value[k] = replaces ? later[k] : value[k];
          row[k] = replaces ? r : row[k];
        }
      }
      for (std::ptrdiff_t k = 0; k < width; ++k)
        to[start + k] = merge(to[start + k], {value[k], first + row[k]});
    }
  }
};

template <class C>
const Reducer* reducer_of(ReduceOp op) {
  if (op == ReduceOp::argmin) return ReducerOf<Searching<ReduceOp::argmin, C>>::chosen();
  return ReducerOf<Searching<ReduceOp::argmax, C>>::chosen();
}

}  // namespace

const Reducer* searching_reducer(ReduceOp op, DType dtype) {
  switch (dtype) {
    case DType::boolean: return reducer_of<bool>(op);
    case DType::int8: return reducer_of<std::int8_t>(op);
    case DType::int16: return reducer_of<std::int16_t>(op);
    case DType::int32: return reducer_of<std::int32_t>(op);
    case DType::int64: return reducer_of<std::int64_t>(op);
    case DType::uint8: return reducer_of<std::uint8_t>(op);
    case DType::uint16: return reducer_of<std::uint16_t>(op);
    case DType::uint32: return reducer_of<std::uint32_t>(op);
    case DType::uint64: return reducer_of<std::uint64_t>(op);
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return reducer_of<float>(op);
    case DType::float64: return reducer_of<double>(op);
    case DType::complex64:
    case DType::complex128: return nullptr;
  }
  return nullptr;
}

}  // namespace tessera::plan
