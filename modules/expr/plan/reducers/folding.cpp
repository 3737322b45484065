module;
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers whose accumulator is one number: sums, products, minima, maxima, any, all.
namespace tessera::plan {

namespace {

template <class A>
[[gnu::always_inline]] A wrapping_add(A a, A b) {
  if constexpr (std::signed_integral<A>) {
    return static_cast<A>(static_cast<std::make_unsigned_t<A>>(a) + static_cast<std::make_unsigned_t<A>>(b));
  } else {
    return a + b;
  }
}

template <class A>
[[gnu::always_inline]] A wrapping_multiply(A a, A b) {
  if constexpr (std::signed_integral<A>) {
    return static_cast<A>(static_cast<std::make_unsigned_t<A>>(a) * static_cast<std::make_unsigned_t<A>>(b));
  } else {
    return a * b;
  }
}

template <ReduceOp Op, class A>
constexpr A identity_of() {
  if constexpr (Op == ReduceOp::sum || Op == ReduceOp::any) return A(0);
  if constexpr (Op == ReduceOp::product || Op == ReduceOp::all) return A(1);
  using Limits = std::numeric_limits<A>;
  if constexpr (Op == ReduceOp::maximum) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  if constexpr (Op == ReduceOp::minimum) return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <ReduceOp Op, class C>
struct Folding {
  using Value = C;
  using Accumulator = accumulator_t<Op, C>;
  using A = Accumulator;

  [[gnu::always_inline]] static A identity() { return identity_of<Op, A>(); }
  [[gnu::always_inline]] static A lift(C value, C) { return static_cast<A>(value); }
  [[gnu::always_inline]] static A combine(A a, A b) {
    if constexpr (Op == ReduceOp::sum) return wrapping_add(a, b);
    if constexpr (Op == ReduceOp::product) return wrapping_multiply(a, b);
    if constexpr (Op == ReduceOp::any) return static_cast<bool>(a | b);
    if constexpr (Op == ReduceOp::all) return static_cast<bool>(a & b);
    if constexpr (Op == ReduceOp::minimum) return is_smaller(b, a) ? b : a;
    if constexpr (Op == ReduceOp::maximum) return is_larger(b, a) ? b : a;
  }
  [[gnu::always_inline]] static A merge(A a, A b) { return combine(a, b); }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(A& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    to = combine(to, fold_values<VectorBytes, Folding>(from, n, C(0)));
  }

  /// Rows in a tree, so that an accumulator is read and written once for all of their values.
  template <std::ptrdiff_t Rows>
  [[gnu::always_inline]] static A in_tree(const C* x, std::ptrdiff_t s) {
    if constexpr (Rows == 1) {
      return A(x[0]);
    } else {
      return combine(in_tree<Rows / 2>(x, s), in_tree<Rows / 2>(x + Rows / 2 * s, s));
    }
  }

  template <std::ptrdiff_t Rows>
  [[gnu::always_inline]] static void fold_rows(A* __restrict to, const C* __restrict from, std::ptrdiff_t stride,
                                               std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = combine(to[i], in_tree<Rows>(from + i, stride));
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
