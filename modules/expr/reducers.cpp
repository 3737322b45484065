module;
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers for every element type. Sums run in lanes that are added in a tree, so that the compiler vectorises them and
// the rounding error grows with the logarithm of a block's length.
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

/// value replaces best in a search for the largest (or smallest); the first NaN wins and stays.
template <ReduceOp Op, class C>
[[gnu::always_inline]] bool better(C value, C best) {
  const bool ahead = Op == ReduceOp::maximum || Op == ReduceOp::argmax ? value > best : value < best;
  if constexpr (std::floating_point<C>) return ahead || (value != value && best == best);
  return ahead;
}

template <ReduceOp Op, class A>
[[gnu::always_inline]] A combine(A a, A b) {
  if constexpr (Op == ReduceOp::sum) {
    return wrapping_add(a, b);
  } else if constexpr (Op == ReduceOp::product) {
    return wrapping_multiply(a, b);
  } else {
    return better<Op>(b, a) ? b : a;
  }
}

template <ReduceOp Op, class A>
constexpr A identity() {
  if constexpr (Op == ReduceOp::sum) return A(0);
  if constexpr (Op == ReduceOp::product) return A(1);
  if constexpr (Op == ReduceOp::maximum) {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  if constexpr (Op == ReduceOp::minimum) {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
  }
}

/// Sums, products, minima and maxima.
template <ReduceOp Op, class C>
struct Folding {
  using A = accumulator_t<Op, C>;

  static void clear(void* accumulators, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<A*>(accumulators)[i] = identity<Op, A>();
  }

  static void merge(void* accumulators, const void* later, std::ptrdiff_t n) {
    A* to = static_cast<A*>(accumulators);
    const A* from = static_cast<const A*>(later);
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = combine<Op>(to[i], from[i]);
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row_body(void* accumulator, const void* values, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = 4 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(A));
    const C* from = static_cast<const C*>(values);
    A lane[lanes];
    for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = identity<Op, A>();
    std::ptrdiff_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] = combine<Op>(lane[k], static_cast<A>(from[i + k]));
    }
    for (std::ptrdiff_t k = 0; i < n; ++i, ++k) lane[k] = combine<Op>(lane[k], static_cast<A>(from[i]));
    for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2) {
      for (std::ptrdiff_t k = 0; k < half; ++k) lane[k] = combine<Op>(lane[k], lane[k + half]);
    }
    A* to = static_cast<A*>(accumulator);
    *to = combine<Op>(*to, lane[0]);
  }
  [[gnu::always_inline]] static void columns_body(void* accumulators, const void* values, std::ptrdiff_t n) {
    A* to = static_cast<A*>(accumulators);
    const C* from = static_cast<const C*>(values);
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = combine<Op>(to[i], static_cast<A>(from[i]));
  }

  static void row_baseline(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t) { row_body<16>(a, v, n); }
  [[gnu::target("avx2,fma")]] static void row_avx2(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t) {
    row_body<32>(a, v, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void row_avx512(void* a, const void* v,
                                                                                   std::ptrdiff_t n, std::ptrdiff_t) {
    row_body<64>(a, v, n);
  }
  static void columns_baseline(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t) { columns_body(a, v, n); }
  [[gnu::target("avx2,fma")]] static void columns_avx2(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t) {
    columns_body(a, v, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void columns_avx512(void* a, const void* v,
                                                                                       std::ptrdiff_t n,
                                                                                       std::ptrdiff_t) {
    columns_body(a, v, n);
  }

  static const Reducer& chosen() {
    static constexpr Reducer table[] = {
        {sizeof(C), sizeof(A), clear, row_baseline, columns_baseline, merge},
        {sizeof(C), sizeof(A), clear, row_avx2, columns_avx2, merge},
        {sizeof(C), sizeof(A), clear, row_avx512, columns_avx512, merge},
    };
    return table[static_cast<int>(device::isa())];
  }
};

/// Positions of the largest or smallest value; the first of equals.
template <ReduceOp Op, class C>
struct Searching {
  using A = Best<C>;
  static constexpr ReduceOp extreme = Op == ReduceOp::argmax ? ReduceOp::maximum : ReduceOp::minimum;

  static void clear(void* accumulators, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<A*>(accumulators)[i] = {C(0), -1};
  }

  static void take(A& best, C value, std::int64_t index) {
    if (best.index < 0 || better<Op>(value, best.value)) best = {value, index};
  }

  /// Finds the extreme value first (vectorised), then its first position.
  static void row(void* accumulator, const void* values, std::ptrdiff_t n, std::ptrdiff_t first) {
    const C* from = static_cast<const C*>(values);
    C found = from[0];
    Folding<extreme, C>::chosen().row(&found, values, n, first);
    std::ptrdiff_t i = 0;
    while (!(from[i] == found || (found != found && from[i] != from[i]))) ++i;
    take(*static_cast<A*>(accumulator), from[i], first + i);
  }

  static void columns(void* accumulators, const void* values, std::ptrdiff_t n, std::ptrdiff_t first) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      take(static_cast<A*>(accumulators)[i], static_cast<const C*>(values)[i], first);
  }

  static void merge(void* accumulators, const void* later, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const A& other = static_cast<const A*>(later)[i];
      if (other.index >= 0) take(static_cast<A*>(accumulators)[i], other.value, other.index);
    }
  }

  static const Reducer& chosen() {
    static constexpr Reducer table{sizeof(C), sizeof(A), clear, row, columns, merge};
    return table;
  }
};

template <class C>
const Reducer& reducer_of(ReduceOp op) {
  if (op == ReduceOp::sum) return Folding<ReduceOp::sum, C>::chosen();
  if (op == ReduceOp::product) return Folding<ReduceOp::product, C>::chosen();
  if constexpr (Real<C>) {
    if (op == ReduceOp::minimum) return Folding<ReduceOp::minimum, C>::chosen();
    if (op == ReduceOp::maximum) return Folding<ReduceOp::maximum, C>::chosen();
    if (op == ReduceOp::argmin) return Searching<ReduceOp::argmin, C>::chosen();
    if (op == ReduceOp::argmax) return Searching<ReduceOp::argmax, C>::chosen();
  }
  throw DTypeError(to_string(Failure{.operation = "reduction", .problem = "complex numbers have no order"}));
}

}  // namespace

const Reducer& reducer(ReduceOp op, DType dtype) {
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
    case DType::complex64: return reducer_of<std::complex<float>>(op);
    case DType::complex128: return reducer_of<std::complex<double>>(op);
  }
  return reducer_of<float>(op);
}

}  // namespace tessera::plan
