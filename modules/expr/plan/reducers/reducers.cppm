module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:reducers;
import tessera.standard;
import tessera.core;
import tessera.device;
import :conversion;
import :plan;
import :folding;
import :log_sum_exp;
import :moments;
import :norms;
import :searching;

// The arithmetic of reductions, per operation and element type: what is accumulated, and tables of loops over it.
namespace tessera::plan {

template <ReduceOp Op, class C>
struct AccumulatorOf {
  using type = C;
};
template <ReduceOp Op, class C>
  requires(Op == ReduceOp::sum || Op == ReduceOp::product || Op == ReduceOp::mean)
struct AccumulatorOf<Op, C> : WideAccumulator<C> {};
template <ReduceOp Op, class C>
  requires(Op == ReduceOp::argmin || Op == ReduceOp::argmax)
struct AccumulatorOf<Op, C> {
  using type = Best<C>;
};
template <ReduceOp Op, class C>
  requires(Op == ReduceOp::variance || Op == ReduceOp::deviation)
struct AccumulatorOf<Op, C> {
  using type = Moments;
};
template <class C>
struct AccumulatorOf<ReduceOp::log_sum_exp, C> {
  using type = Exponentials<C>;
};
template <class C>
struct AccumulatorOf<ReduceOp::norm, C> {
  using type = std::conditional_t<sizeof(part_t<C>) == sizeof(double), ScaledSquares, Squares>;
};

/// Type in which values of compute type C are accumulated: 64 bits for sums and products of integers.
template <ReduceOp Op, class C>
using accumulator_t = typename AccumulatorOf<Op, C>::type;

/// The reducer for values of the compute type of `dtype`, for the CPU at hand. Throws DTypeError where the operation has no
/// meaning, as an order of complex numbers.
const Reducer& reducer(ReduceOp op, DType dtype);

/// What `body` returns for the type in which elements of `dtype` are computed, its template argument.
template <class Body>
auto with_compute_type(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::boolean: return body.template operator()<bool>();
    case DType::int8: return body.template operator()<std::int8_t>();
    case DType::int16: return body.template operator()<std::int16_t>();
    case DType::int32: return body.template operator()<std::int32_t>();
    case DType::int64: return body.template operator()<std::int64_t>();
    case DType::uint8: return body.template operator()<std::uint8_t>();
    case DType::uint16: return body.template operator()<std::uint16_t>();
    case DType::uint32: return body.template operator()<std::uint32_t>();
    case DType::uint64: return body.template operator()<std::uint64_t>();
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: break;
    case DType::float64: return body.template operator()<double>();
    case DType::complex64: return body.template operator()<std::complex<float>>();
    case DType::complex128: return body.template operator()<std::complex<double>>();
  }
  return body.template operator()<float>();
}

/// Independent lanes of accumulators of type A: four vectors' worth, and from AVX2 on at least 64, which is also where the
/// compiler keeps a loop over them for its vectoriser instead of unrolling it into scalars.
template <std::ptrdiff_t VectorBytes, class A>
constexpr std::ptrdiff_t lane_count() {
  constexpr std::ptrdiff_t lanes = 4 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(A));
  return VectorBytes > 16 && lanes < 64 && sizeof(A) <= 8 ? 64 : lanes;
}

/// Lanes for fewer values than lane_count.
inline constexpr std::ptrdiff_t few_lanes = 8;

/// b replaces a as the largest value (or the smallest); the first NaN does, and stays.
template <class C>
[[gnu::always_inline]] inline bool is_larger(C b, C a) {
  if constexpr (std::floating_point<C>) return !(b <= a) && a == a;
  return b > a;
}
template <class C>
[[gnu::always_inline]] inline bool is_smaller(C b, C a) {
  if constexpr (std::floating_point<C>) return !(b >= a) && a == a;
  return b < a;
}

/// The values that are left of a whole number of lanes are combined by one masked load.
template <std::ptrdiff_t Lanes, class F>
inline constexpr bool masks_rest =
    Lanes >= 64 && sizeof(typename F::Accumulator) >= 4 && sizeof(typename F::Accumulator) == sizeof(typename F::Value);

/// Combines n values in independent lanes, which the compiler keeps in vectors, and the lanes in a tree. Lanes start afresh
/// every 16 values, so that rounding errors do not grow with n before they are merged.
template <std::ptrdiff_t Lanes, class F>
[[gnu::always_inline]] inline typename F::Accumulator fold_in_lanes(const typename F::Value* from, std::ptrdiff_t n,
                                                                    typename F::Value parameter) {
  using A = typename F::Accumulator;
  constexpr std::ptrdiff_t chunk = 16 * Lanes;
  A total[Lanes];
  for (std::ptrdiff_t k = 0; k < Lanes; ++k) total[k] = F::identity();
  std::ptrdiff_t i = 0;
  while (i + Lanes <= n) {
    const std::ptrdiff_t end = n - i < chunk ? n : i + chunk;
    A lane[Lanes];
    for (std::ptrdiff_t k = 0; k < Lanes; ++k) lane[k] = F::identity();
    for (; i + Lanes <= end; i += Lanes) {
      for (std::ptrdiff_t k = 0; k < Lanes; ++k) lane[k] = F::combine(lane[k], F::lift(from[i + k], parameter));
    }
    for (std::ptrdiff_t k = 0; k < Lanes; ++k) total[k] = F::combine(total[k], lane[k]);
  }
  if constexpr (masks_rest<Lanes, F>) {
    const std::ptrdiff_t left = n - i;
    A lane[Lanes];
    for (std::ptrdiff_t k = 0; k < Lanes; ++k) lane[k] = k < left ? F::lift(from[i + k], parameter) : F::identity();
    for (std::ptrdiff_t k = 0; k < Lanes; ++k) total[k] = F::combine(total[k], lane[k]);
  } else {
    for (std::ptrdiff_t k = 0; i < n; ++i, ++k) total[k] = F::combine(total[k], F::lift(from[i], parameter));
  }
  for (std::ptrdiff_t half = Lanes / 2; half > 0; half /= 2) {
    for (std::ptrdiff_t k = 0; k < half; ++k) total[k] = F::combine(total[k], total[k + half]);
  }
  return total[0];
}

/// Folds n values of `F`, which has the types Value and Accumulator and the functions identity(), lift(value, parameter) and
/// combine(a, b); few values in few lanes.
template <std::ptrdiff_t VectorBytes, class F>
[[gnu::always_inline]] inline typename F::Accumulator fold_values(const typename F::Value* from, std::ptrdiff_t n,
                                                                  typename F::Value parameter) {
  constexpr std::ptrdiff_t lanes = lane_count<VectorBytes, typename F::Accumulator>();
  if constexpr (lanes > few_lanes) {
    constexpr std::ptrdiff_t enough = masks_rest<lanes, F> ? lanes / 2 : lanes;
    if (n < enough) return fold_in_lanes<few_lanes, F>(from, n, parameter);
  }
  return fold_in_lanes<lanes, F>(from, n, parameter);
}

/// Folds `rows` rows of n values side by side, in tiles of `Width` columns by Loops::tile, where a constant width is inlined for
/// all columns but the last few.
template <class Loops, std::ptrdiff_t Width>
[[gnu::always_inline]] inline void fold_tiles(typename Loops::Accumulator* to, const typename Loops::Value* from,
                                              std::ptrdiff_t rows, std::ptrdiff_t stride, std::ptrdiff_t n,
                                              std::ptrdiff_t first) {
  std::ptrdiff_t start = 0;
  for (; start + Width <= n; start += Width)
    Loops::template tile<Width>(to + start, from + start, rows, stride, Width, first);
  if (start < n) Loops::template tile<Width>(to + start, from + start, rows, stride, n - start, first);
}

/// The loops of `Loops`, compiled for each instruction set. It has the types Value and Accumulator, the functions
/// identity() and merge(to, later) of single accumulators (and merge_all if that is faster), and the templates row<VectorBytes>, columns<VectorBytes>
/// and, where many short rows are folded faster together, rows<VectorBytes>.
template <class Loops>
struct ReducerOf {
  using A = typename Loops::Accumulator;
  using C = typename Loops::Value;

  static void clear(void* accumulators, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<A*>(accumulators)[i] = Loops::identity();
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(void* to, const void* values, std::ptrdiff_t n, std::ptrdiff_t first) {
    Loops::template row<VectorBytes>(*static_cast<A*>(to), static_cast<const C*>(values), n, first);
  }
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void rows(void* to, const void* values, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t first) {
    A* accumulators = static_cast<A*>(to);
    const C* from = static_cast<const C*>(values);
    if constexpr (requires { Loops::template rows<VectorBytes>(accumulators, from, rows, stride, n, first); }) {
      Loops::template rows<VectorBytes>(accumulators, from, rows, stride, n, first);
    } else {
      for (std::ptrdiff_t r = 0; r < rows; ++r)
        Loops::template row<VectorBytes>(accumulators[r], from + r * stride, n, first);
    }
  }
  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(void* to, const void* values, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    Loops::template columns<VectorBytes>(static_cast<A*>(to), static_cast<const C*>(values), rows, stride, n, first);
  }
  [[gnu::always_inline]] static void merge(void* accumulators, const void* later, std::ptrdiff_t n) {
    A* to = static_cast<A*>(accumulators);
    const A* from = static_cast<const A*>(later);
    if constexpr (requires { Loops::merge_all(to, from, n); }) {
      Loops::merge_all(to, from, n);
    } else {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = Loops::merge(to[i], from[i]);
    }
  }

  template <std::ptrdiff_t VectorBytes>
  static constexpr std::ptrdiff_t lanes() {
    if constexpr (requires { Loops::template lanes<VectorBytes>; }) return Loops::template lanes<VectorBytes>;
    return 0;
  }

  static void row_baseline(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t f) { row<16>(a, v, n, f); }
  static void rows_baseline(void* a, const void* v, std::ptrdiff_t r, std::ptrdiff_t s, std::ptrdiff_t n,
                            std::ptrdiff_t f) {
    rows<16>(a, v, r, s, n, f);
  }
  static void columns_baseline(void* __restrict a, const void* __restrict v, std::ptrdiff_t r, std::ptrdiff_t s,
                               std::ptrdiff_t n, std::ptrdiff_t f) {
    columns<16>(a, v, r, s, n, f);
  }
  static void merge_baseline(void* a, const void* b, std::ptrdiff_t n) { merge(a, b, n); }

  [[gnu::target("avx2,fma")]] static void row_avx2(void* a, const void* v, std::ptrdiff_t n, std::ptrdiff_t f) {
    row<32>(a, v, n, f);
  }
  [[gnu::target("avx2,fma")]] static void rows_avx2(void* a, const void* v, std::ptrdiff_t r, std::ptrdiff_t s,
                                                    std::ptrdiff_t n, std::ptrdiff_t f) {
    rows<32>(a, v, r, s, n, f);
  }
  [[gnu::target("avx2,fma")]] static void columns_avx2(void* __restrict a, const void* __restrict v, std::ptrdiff_t r,
                                                       std::ptrdiff_t s, std::ptrdiff_t n, std::ptrdiff_t f) {
    columns<32>(a, v, r, s, n, f);
  }
  [[gnu::target("avx2,fma")]] static void merge_avx2(void* a, const void* b, std::ptrdiff_t n) { merge(a, b, n); }

  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void row_avx512(void* a, const void* v,
                                                                                   std::ptrdiff_t n, std::ptrdiff_t f) {
    row<64>(a, v, n, f);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void rows_avx512(void* a, const void* v,
                                                                                    std::ptrdiff_t r, std::ptrdiff_t s,
                                                                                    std::ptrdiff_t n,
                                                                                    std::ptrdiff_t f) {
    rows<64>(a, v, r, s, n, f);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void columns_avx512(
      void* __restrict a, const void* __restrict v, std::ptrdiff_t r, std::ptrdiff_t s, std::ptrdiff_t n,
      std::ptrdiff_t f) {
    columns<64>(a, v, r, s, n, f);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] static void merge_avx512(void* a, const void* b,
                                                                                     std::ptrdiff_t n) {
    merge(a, b, n);
  }

  static const Reducer* chosen() {
    static constexpr Reducer table[] = {
        {sizeof(C), sizeof(A), clear, row_baseline, rows_baseline, columns_baseline, merge_baseline, lanes<16>()},
        {sizeof(C), sizeof(A), clear, row_avx2, rows_avx2, columns_avx2, merge_avx2, lanes<32>()},
        {sizeof(C), sizeof(A), clear, row_avx512, rows_avx512, columns_avx512, merge_avx512, lanes<64>()},
    };
    return &table[static_cast<int>(device::isa())];
  }
};

}  // namespace tessera::plan
