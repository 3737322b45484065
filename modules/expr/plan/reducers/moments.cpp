module;
#include <algorithm>
#include <cstddef>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers for variances, in one pass over the operand: the moments of a block that is in the L1 cache are found in two
// passes, and blocks are merged. T. Chan, G. Golub, R. LeVeque, "Algorithms for computing the sample variance" (1983).
namespace tessera::plan {

namespace {

template <class C>
struct MomentsOf {
  using Value = C;
  using Accumulator = Moments;

  [[gnu::always_inline]] static Moments identity() { return {0, 0, 0}; }
  [[gnu::always_inline]] static Moments merge(Moments a, Moments b) {
    const double count = a.count + b.count;
    const double share = count > 0 ? b.count / count : 0;
    const double distance = b.mean - a.mean;
    return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
  }

  struct Sum {
    using Value = C;
    using Accumulator = C;
    [[gnu::always_inline]] static C identity() { return 0; }
    [[gnu::always_inline]] static C lift(C value, C) { return value; }
    [[gnu::always_inline]] static C combine(C a, C b) { return a + b; }
  };
  struct Distances : Sum {
    [[gnu::always_inline]] static C lift(C value, C from) { return value - from; }
  };
  struct Squares : Sum {
    [[gnu::always_inline]] static C lift(C value, C from) { return (value - from) * (value - from); }
  };

  /// The moments of n values whose distances from `centre`, a rounded mean, have these sums.
  [[gnu::always_inline]] static Moments around(C centre, C distances, C squares, double n) {
    const auto left = static_cast<double>(distances);
    const double around_mean = static_cast<double>(squares) - left * left / n;
    return {n, static_cast<double>(centre) + left / n, around_mean < 0 ? 0 : around_mean};
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(Moments& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    for (std::ptrdiff_t start = 0; start < n; start += block_elements) {
      const std::ptrdiff_t count = std::min(block_elements, n - start);
      const C* part = from + start;
      const C centre = fold_values<VectorBytes, Sum>(part, count, C(0)) / static_cast<C>(count);
      const C distances = fold_values<VectorBytes, Distances>(part, count, centre);
      const C squares = fold_values<VectorBytes, Squares>(part, count, centre);
      to = merge(to, around(centre, distances, squares, static_cast<double>(count)));
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(Moments* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    fold_tiles<MomentsOf, lane_count<VectorBytes, C>()>(to, from, rows, stride, n, first);
  }

  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void tile(Moments* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t) {
    const C share = C(1) / static_cast<C>(rows);
    C centre[Step] = {}, distances[Step] = {}, squares[Step] = {};
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t k = 0; k < n; ++k) centre[k] += from[r * stride + k] * share;
    }
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t k = 0; k < n; ++k) {
        const C distance = from[r * stride + k] - centre[k];
        distances[k] += distance;
        squares[k] += distance * distance;
      }
    }
    for (std::ptrdiff_t k = 0; k < n; ++k)
      to[k] = merge(to[k], around(centre[k], distances[k], squares[k], static_cast<double>(rows)));
  }
};

}  // namespace

const Reducer* moments_reducer(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return ReducerOf<MomentsOf<float>>::chosen();
    case DType::float64: return ReducerOf<MomentsOf<double>>::chosen();
    default: return nullptr;
  }
}

}  // namespace tessera::plan
