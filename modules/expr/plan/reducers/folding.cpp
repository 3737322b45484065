module;
#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers whose accumulator is one number: sums, products, minima, maxima, any, all.
namespace tessera::plan {

namespace {

/// The largest or smallest of numbers none of which is NaN, an instruction for each vector. Of equal ones, as zeros are, the first.
template <ReduceOp Op, class C>
struct OrderedExtreme {
  using Value = C;
  using Accumulator = C;

  [[gnu::always_inline]] static C identity() { return identity_of<Op, C>(); }
  [[gnu::always_inline]] static C combine(C a, C b) {
    combine_ordered_lanes<Op>(a, b);
    return a;
  }
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    combine_ordered_lanes<Op>(a, b);
  }
};

/// Whether a NaN was among the numbers.
template <class Vector>
class NanWatch {
 public:
  [[gnu::always_inline]] void see(const Vector& numbers) { seen_ |= numbers != numbers; }
  [[gnu::always_inline]] bool has_seen_any() const { return __builtin_reduce_or(seen_) != 0; }

 private:
  decltype(Vector{} != Vector{}) seen_{};
};

/// Rows of some hundred values and more: four vectors beside each other, and what is left, at least one vector, as a short row.
template <std::ptrdiff_t Lanes, class F, class Watch = Unwatched>
[[gnu::always_inline]] typename F::Accumulator fold_in_vectors(const typename F::Value* from, std::ptrdiff_t n,
                                                               Watch&& watch = {}) {
  using A = typename F::Accumulator;
  using Values [[gnu::vector_size(Lanes * sizeof(typename F::Value))]] = typename F::Value;
  using Vector [[gnu::vector_size(Lanes * sizeof(A))]] = A;
  Vector total[4];
  for (std::ptrdiff_t v = 0; v < 4; ++v) {
    Values values;
    std::memcpy(&values, from + v * Lanes, sizeof values);
    total[v] = __builtin_convertvector(values, Vector);
    watch.see(total[v]);
  }
  std::ptrdiff_t i = 4 * Lanes;
  for (; i + 5 * Lanes <= n; i += 4 * Lanes) {
    for (std::ptrdiff_t v = 0; v < 4; ++v) {
      Values values;
      std::memcpy(&values, from + i + v * Lanes, sizeof values);
      const Vector next = __builtin_convertvector(values, Vector);
      watch.see(next);
      F::combine_lanes(total[v], next);
    }
  }
  F::combine_lanes(total[0], total[1]);
  F::combine_lanes(total[2], total[3]);
  F::combine_lanes(total[0], total[2]);
  combine_halves<F, static_cast<int>(Lanes / 2)>(total[0], std::make_index_sequence<static_cast<std::size_t>(Lanes)>());
  return F::combine(A(total[0][0]), fold_in_vector<Lanes, F>(from + i, n - i, watch));
}

template <ReduceOp Op, class C>
struct Folding {
  using Value = C;
  using Accumulator = accumulator_t<Op, C>;
  using A = Accumulator;

  [[gnu::always_inline]] static A identity() { return identity_of<Op, A>(); }
  [[gnu::always_inline]] static A lift(C value, C) { return static_cast<A>(value); }
  [[gnu::always_inline]] static A combine(A a, A b) { return combined<Op>(a, b); }
  [[gnu::always_inline]] static A merge(A a, A b) { return combine(a, b); }

  /// The same of all lanes of two vectors.
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    plan::combine_lanes<Op, A>(a, b);
  }

  /// Sums of 8 and 16 bits are begun in the next wider type, of which a register holds more; as many values as surely fit.
  static constexpr bool begins_narrow = Op == ReduceOp::sum && std::integral<C> && sizeof(C) <= 2;
  using Partial = std::conditional_t<begins_narrow, WiderOf<C>, A>;
  static constexpr std::ptrdiff_t most_narrow = sizeof(C) == 1 ? 256 : 65536;

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static A sum_narrow(const C* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = 4 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(Partial));
    A total = 0;
    std::ptrdiff_t i = 0;
    while (i + lanes <= n) {
      const std::ptrdiff_t end = std::min(n, i + most_narrow * lanes);
      Partial lane[lanes] = {};
      for (; i + lanes <= end; i += lanes) {
        for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = static_cast<Partial>(lane[k] + from[i + k]);
      }
      for (std::ptrdiff_t k = 0; k < lanes; ++k) total += static_cast<A>(lane[k]);
    }
    for (; i < n; ++i) total += static_cast<A>(from[i]);
    return total;
  }

  static constexpr bool is_extreme_of_floating =
      (Op == ReduceOp::minimum || Op == ReduceOp::maximum) && std::floating_point<C>;

  template <std::ptrdiff_t Lanes, bool IsLong>
  [[gnu::always_inline]] static bool fold_in_ordered_lanes(A& extreme, const C* from, std::ptrdiff_t n) {
    using Ordered = OrderedExtreme<Op, C>;
    using Vector [[gnu::vector_size(Lanes * sizeof(C))]] = C;
    NanWatch<Vector> watch;
    extreme = IsLong ? fold_in_vectors<Lanes, Ordered>(from, n, watch) : fold_in_vector<Lanes, Ordered>(from, n, watch);
    return !watch.has_seen_any();
  }

  /// A row of 8 floating numbers or more as if none were NaN; whether none is, which makes `extreme` right.
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static bool fold_ordered(A& extreme, const C* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = VectorBytes / static_cast<std::ptrdiff_t>(sizeof(C));
    if (n >= 64 && n >= 5 * lanes) return fold_in_ordered_lanes<lanes, true>(extreme, from, n);
    return n >= 16 ? fold_in_ordered_lanes<16, false>(extreme, from, n)
                   : fold_in_ordered_lanes<8, false>(extreme, from, n);
  }

  /// The values of one row.
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static A fold(const C* from, std::ptrdiff_t n) {
    if constexpr (is_extreme_of_floating) {
      A extreme;
      if (n >= 8 && fold_ordered<VectorBytes>(extreme, from, n)) [[likely]]
        return extreme;
    }
    if constexpr (std::is_arithmetic_v<C> && !std::same_as<C, bool>) {
      if (n >= 16 && n < 64) return fold_in_vector<16, Folding>(from, n);
      if (n >= 8 && n < 64) return fold_in_vector<8, Folding>(from, n);
    }
    if constexpr (std::is_arithmetic_v<C> && !std::same_as<C, bool> && !begins_narrow) {
      constexpr std::ptrdiff_t lanes = VectorBytes / static_cast<std::ptrdiff_t>(sizeof(A));
      constexpr std::ptrdiff_t most = 64 * lanes;  // beyond them the rounding errors of a lane would grow
      if (n >= 64 && n <= most)
        return n >= 5 * lanes ? fold_in_vectors<lanes, Folding>(from, n) : fold_in_vector<lanes, Folding>(from, n);
    }
    if constexpr (begins_narrow) {
      return sum_narrow<VectorBytes>(from, n);
    } else {
      return fold_values<VectorBytes, Folding>(from, n, C(0));
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(A& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    to = combine(to, fold<VectorBytes>(from, n));
  }

  /// Rows of N values each, which a loop over them all reads by wide loads.
  template <std::ptrdiff_t N>
  [[gnu::always_inline]] static void fold_few(A* __restrict to, const C* __restrict from, std::ptrdiff_t rows) {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      Partial sum = Partial(from[r * N]);
      for (std::ptrdiff_t k = 1; k < N; ++k) {
        if constexpr (begins_narrow) sum = static_cast<Partial>(sum + from[r * N + k]);
        if constexpr (!begins_narrow) sum = combine(sum, A(from[r * N + k]));
      }
      to[r] = combine(to[r], static_cast<A>(sum));
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void rows(A* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t first) {
    if constexpr (std::is_arithmetic_v<C> && !std::same_as<C, bool>) {
      if (stride == n && n == 2) return fold_few<2>(to, from, rows);
      if (stride == n && n == 3) return fold_few<3>(to, from, rows);
      if (stride == n && n == 4) return fold_few<4>(to, from, rows);
    }
    for (std::ptrdiff_t r = 0; r < rows; ++r) row<VectorBytes>(to[r], from + r * stride, n, first);
  }

  /// Rows in a tree, so that an accumulator is read and written once for all of their values.
  template <std::ptrdiff_t Rows>
  [[gnu::always_inline]] static Partial in_tree(const C* x, std::ptrdiff_t s) {
    if constexpr (Rows == 1) {
      return Partial(x[0]);
    } else if constexpr (begins_narrow) {
      return static_cast<Partial>(in_tree<Rows / 2>(x, s) + in_tree<Rows / 2>(x + Rows / 2 * s, s));
    } else {
      return combine(in_tree<Rows / 2>(x, s), in_tree<Rows / 2>(x + Rows / 2 * s, s));
    }
  }

  template <std::ptrdiff_t Rows>
  [[gnu::always_inline]] static void fold_rows(A* __restrict to, const C* __restrict from, std::ptrdiff_t stride,
                                               std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = combine(to[i], static_cast<A>(in_tree<Rows>(from + i, stride)));
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(A* __restrict to, const C* __restrict from, std::ptrdiff_t rows,
                                             std::ptrdiff_t stride, std::ptrdiff_t n, std::ptrdiff_t) {
    for (; rows >= 8; rows -= 8, from += 8 * stride) fold_rows<8>(to, from, stride, n);
    if (rows >= 4) {
      fold_rows<4>(to, from, stride, n);
      rows -= 4, from += 4 * stride;
    }
    if (rows >= 2) {
      fold_rows<2>(to, from, stride, n);
      rows -= 2, from += 2 * stride;
    }
    if (rows == 1) fold_rows<1>(to, from, stride, n);
  }
};

template <class C>
const Reducer* reducer_of(ReduceOp op) {
  if (op == ReduceOp::sum) return ReducerOf<Folding<ReduceOp::sum, C>>::chosen();
  if (op == ReduceOp::product) return ReducerOf<Folding<ReduceOp::product, C>>::chosen();
  if constexpr (Real<C>) {
    if (op == ReduceOp::minimum) return ReducerOf<Folding<ReduceOp::minimum, C>>::chosen();
    if (op == ReduceOp::maximum) return ReducerOf<Folding<ReduceOp::maximum, C>>::chosen();
  }
  if constexpr (std::same_as<C, bool>) {
    if (op == ReduceOp::any) return ReducerOf<Folding<ReduceOp::any, C>>::chosen();
    if (op == ReduceOp::all) return ReducerOf<Folding<ReduceOp::all, C>>::chosen();
  }
  return nullptr;
}

}  // namespace

const Reducer* folding_reducer(ReduceOp op, DType dtype) {
  return with_compute_type(dtype, [op]<class C>() { return reducer_of<C>(op); });
}

}  // namespace tessera::plan
