module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:combining;
import tessera.standard;
import tessera.core;
import :plan;
import :reducers;

// How a reduction combines two values, or all lanes of two vectors, into one: sums, products, extremes, any and all.
namespace tessera::plan {

/// In which sums and products of T wrap.
template <class T>
struct Wrapping {
  using type = T;
};
template <std::signed_integral T>
struct Wrapping<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using WrappingOf = typename Wrapping<T>::type;

/// The integer of twice the size, of the same sign.
template <class C>
using WiderOf =
    std::conditional_t<sizeof(C) == 1, std::conditional_t<std::signed_integral<C>, std::int16_t, std::uint16_t>,
                       std::conditional_t<std::signed_integral<C>, std::int32_t, std::uint32_t>>;

template <class A>
[[gnu::always_inline]] inline A wrapping_add(A a, A b) {
  if constexpr (std::signed_integral<A>) {
    return static_cast<A>(static_cast<std::make_unsigned_t<A>>(a) + static_cast<std::make_unsigned_t<A>>(b));
  } else {
    return a + b;
  }
}

template <class A>
[[gnu::always_inline]] inline A wrapping_multiply(A a, A b) {
  if constexpr (std::signed_integral<A>) {
    return static_cast<A>(static_cast<std::make_unsigned_t<A>>(a) * static_cast<std::make_unsigned_t<A>>(b));
  } else {
    return a * b;
  }
}

/// What combines with any value to that value.
template <ReduceOp Op, class A>
constexpr A identity_of() {
  if constexpr (Op == ReduceOp::product || Op == ReduceOp::all) return A(1);
  using Limits = std::numeric_limits<A>;
  if constexpr (Op == ReduceOp::maximum) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  if constexpr (Op == ReduceOp::minimum) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  return A(0);
}

/// Of two accumulators; the first NaN is the extreme of all that follow.
template <ReduceOp Op, class A>
[[gnu::always_inline]] inline A combined(A a, A b) {
  if constexpr (Op == ReduceOp::product) return wrapping_multiply(a, b);
  if constexpr (Op == ReduceOp::any) return static_cast<bool>(a | b);
  if constexpr (Op == ReduceOp::all) return static_cast<bool>(a & b);
  if constexpr (Op == ReduceOp::minimum) return is_smaller(b, a) ? b : a;
  if constexpr (Op == ReduceOp::maximum) return is_larger(b, a) ? b : a;
  if constexpr (Op == ReduceOp::sum || Op == ReduceOp::mean) return wrapping_add(a, b);
}

/// The same of all lanes of two vectors of A.
template <ReduceOp Op, class A, class Vector>
[[gnu::always_inline]] inline void combine_lanes(Vector& a, const Vector& b) {
  if constexpr (Op == ReduceOp::minimum || Op == ReduceOp::maximum) {
    const auto keeps = Op == ReduceOp::minimum ? b >= a : b <= a;
    if constexpr (std::floating_point<A>) {
      a = (keeps | (a != a)) ? a : b;
    } else {
      a = keeps ? a : b;
    }
  } else {
    using Number [[gnu::vector_size(sizeof(Vector))]] = WrappingOf<A>;
    const auto x = __builtin_bit_cast(Number, a), y = __builtin_bit_cast(Number, b);
    a = __builtin_bit_cast(Vector, Op == ReduceOp::product ? x * y : x + y);
  }
}

/// The larger or smaller lanes of vectors without NaN, by an instruction for each vector. Of equal ones, as zeros are, the first.
template <ReduceOp Op, class Vector>
[[gnu::always_inline]] inline void combine_ordered_lanes(Vector& a, const Vector& b) {
  a = (Op == ReduceOp::minimum ? b < a : b > a) ? b : a;
}

}  // namespace tessera::plan
