module;
#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
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

template <ReduceOp Op, class C>
struct Folding {
  using Value = C;
  using Accumulator = accumulator_t<Op, C>;
  using A = Accumulator;

  [[gnu::always_inline]] static A identity() { return identity_of<Op, A>(); }
  [[gnu::always_inline]] static A lift(C value, C) { return static_cast<A>(value); }
  [[gnu::always_inline]] static A combine(A a, A b) { return combined<Op>(a, b); }
  [[gnu::always_inline]] static A merge(A a, A b) { return combine(a, b); }

  /// Sums of 8 and 16 bits are begun in the next wider type, of which a register holds more.
  static constexpr bool begins_narrow = Op == ReduceOp::sum && std::integral<C> && sizeof(C) <= 2;
  using Partial = std::conditional_t<begins_narrow, WiderOf<C>, A>;
  template <std::ptrdiff_t VectorBytes>
  static constexpr std::ptrdiff_t lanes = lanes_folded<Op, C, VectorBytes>();

  /// Rows that have fewer values than the vectors of the instruction set, in shorter ones or one by one.
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void fold_short_rows(A* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                                     std::ptrdiff_t n) {
    if constexpr (lanes<VectorBytes> > 16) {
      if (n >= 16) return fold_rows<Op, 16>(to, RowsInMemory<C>(from, stride), rows, n);
    }
    if constexpr (lanes<VectorBytes> > 8) {
      if (n >= 8) return fold_rows<Op, 8>(to, RowsInMemory<C>(from, stride), rows, n);
    }
    for (; rows > 0; --rows, ++to, from += stride) *to = combine(*to, fold_values<VectorBytes, Folding>(from, n, C(0)));
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(A& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    if constexpr (lanes<VectorBytes> > 0) {
      while (n >= lanes<VectorBytes>) {
        const std::ptrdiff_t some = std::min(n, most_in_lane * lanes<VectorBytes>);
        fold_rows<Op, lanes<VectorBytes>>(&to, RowsInMemory<C>(from, 0), 1, some);
        from += some;
        n -= some;
      }
      if (n == 0) return;
    }
    fold_short_rows<VectorBytes>(&to, from, 1, 0, n);
  }

  /// Rows of N values each, which a loop over them all reads by wide loads.
  template <std::ptrdiff_t N>
  [[gnu::always_inline]] static void fold_few(A* __restrict to, const C* __restrict from, std::ptrdiff_t rows) {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      Partial sum = Partial(from[r * N]);  // NOLINT(bugprone-signed-char-misuse): numbers of 8 bits, not characters
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
    if (n < lanes<VectorBytes>) return fold_short_rows<VectorBytes>(to, from, rows, stride, n);
    if constexpr (lanes<VectorBytes> > 0) {
      if (n <= most_in_lane * lanes<VectorBytes>)
        return fold_rows<Op, lanes<VectorBytes>>(to, RowsInMemory<C>(from, stride), rows, n);
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
  [[gnu::always_inline]] static void fold_few_columns(A* __restrict to, const C* __restrict from, std::ptrdiff_t stride,
                                                      std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = combine(to[i], static_cast<A>(in_tree<Rows>(from + i, stride)));
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(A* __restrict to, const C* __restrict from, std::ptrdiff_t rows,
                                             std::ptrdiff_t stride, std::ptrdiff_t n, std::ptrdiff_t) {
    if constexpr (lanes<VectorBytes> > 0) {
      if (n >= lanes<VectorBytes>)
        return fold_columns<Op, lanes<VectorBytes>>(to, RowsInMemory<C>(from, stride), rows, n);
    }
    for (; rows >= 8; rows -= 8, from += 8 * stride) fold_few_columns<8>(to, from, stride, n);
    if (rows >= 4) {
      fold_few_columns<4>(to, from, stride, n);
      rows -= 4, from += 4 * stride;
    }
    if (rows >= 2) {
      fold_few_columns<2>(to, from, stride, n);
      rows -= 2, from += 2 * stride;
    }
    if (rows == 1) fold_few_columns<1>(to, from, stride, n);
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
