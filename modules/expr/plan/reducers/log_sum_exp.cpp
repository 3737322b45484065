module;
#include <algorithm>
#include <cstddef>
#include <limits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers for logsumexp, in one pass over the operand: a block in the L1 cache gives its largest value and the sum of
// exponentials relative to it; merging rescales the smaller one. M. Milakov, N. Gimelshein, "Online normalizer calculation for
// softmax" (2018).
namespace tessera::plan {

namespace {

/// What is taken from exponents: infinities and NaN are left to the exponential.
template <class C>
[[gnu::always_inline]] C shift_of(C largest) {
  return largest - largest == 0 ? largest : C(0);
}

template <class C>
struct ExponentialsOf {
  using Value = C;
  using Accumulator = Exponentials<C>;

  [[gnu::always_inline]] static Accumulator identity() { return {-std::numeric_limits<C>::infinity(), 0}; }
  [[gnu::always_inline]] static Accumulator merge(Accumulator a, Accumulator b) {
    const C largest = is_larger(b.largest, a.largest) ? b.largest : a.largest;
    const C shift = shift_of(largest);
    return {largest, a.sum * math::exp(a.largest - shift) + b.sum * math::exp(b.largest - shift)};
  }

  struct Largest {
    using Value = C;
    using Accumulator = C;
    [[gnu::always_inline]] static C identity() { return -std::numeric_limits<C>::infinity(); }
    [[gnu::always_inline]] static C lift(C value, C) { return value; }
    [[gnu::always_inline]] static C combine(C a, C b) { return is_larger(b, a) ? b : a; }
  };
  struct Sum {
    using Value = C;
    using Accumulator = C;
    [[gnu::always_inline]] static C identity() { return 0; }
    [[gnu::always_inline]] static C lift(C value, C shift) { return math::exp(value - shift); }
    [[gnu::always_inline]] static C combine(C a, C b) { return a + b; }
  };

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(Accumulator& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    for (std::ptrdiff_t start = 0; start < n; start += block_elements) {
      const std::ptrdiff_t count = std::min(block_elements, n - start);
      const C largest = fold_values<VectorBytes, Largest>(from + start, count, C(0));
      to = merge(to, {largest, fold_values<VectorBytes, Sum>(from + start, count, shift_of(largest))});
    }
  }

  /// As merge, through arrays of one part each, over which the compiler vectorises.
  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void merge_tile(Accumulator* to, const C* later_largest, const C* later_sum,
                                                std::ptrdiff_t n) {
    C largest[Step], sum[Step];
    for (std::ptrdiff_t k = 0; k < n; ++k) largest[k] = to[k].largest, sum[k] = to[k].sum;
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      const Accumulator merged = merge({largest[k], sum[k]}, {later_largest[k], later_sum[k]});
      largest[k] = merged.largest;
      sum[k] = merged.sum;
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = {largest[k], sum[k]};
  }

  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void merge_some(Accumulator* to, const Accumulator* from, std::ptrdiff_t n) {
    C largest[Step], sum[Step];
    for (std::ptrdiff_t k = 0; k < n; ++k) largest[k] = from[k].largest, sum[k] = from[k].sum;
    merge_tile<Step>(to, largest, sum, n);
  }

  [[gnu::always_inline]] static void merge_all(Accumulator* to, const Accumulator* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t step = 64;
    std::ptrdiff_t start = 0;
    for (; start + step <= n; start += step) merge_some<step>(to + start, from + start, step);
    for (; start < n; ++start) to[start] = merge(to[start], from[start]);
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(Accumulator* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    fold_tiles<ExponentialsOf, lane_count<VectorBytes, C>()>(to, from, rows, stride, n, first);
  }

  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void tile(Accumulator* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t) {
    C largest[Step], shift[Step], sum[Step] = {};
    for (std::ptrdiff_t k = 0; k < n; ++k) largest[k] = from[k];
    for (std::ptrdiff_t r = 1; r < rows; ++r) {
      for (std::ptrdiff_t k = 0; k < n; ++k)
        largest[k] = is_larger(from[r * stride + k], largest[k]) ? from[r * stride + k] : largest[k];
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) shift[k] = shift_of(largest[k]);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t k = 0; k < n; ++k) sum[k] += math::exp(from[r * stride + k] - shift[k]);
    }
    merge_tile<Step>(to, largest, sum, n);
  }
};

}  // namespace

const Reducer* exponentials_reducer(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return ReducerOf<ExponentialsOf<float>>::chosen();
    case DType::float64: return ReducerOf<ExponentialsOf<double>>::chosen();
    default: return nullptr;
  }
}

}  // namespace tessera::plan
