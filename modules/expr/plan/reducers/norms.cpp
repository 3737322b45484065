module;
#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reducers for 2-norms that neither overflow nor vanish: squares of floats are summed in double; doubles are scaled by a
// power of two, block by block, where their squares would leave the range.
namespace tessera::plan {

namespace {

/// Complex values are taken as twice as many reals.
template <class C>
inline constexpr std::ptrdiff_t parts_of = std::is_same_v<part_t<C>, C> ? 1 : 2;

template <class C>
struct SquaresOf {
  using Value = C;
  using Accumulator = Squares;
  using Real = part_t<C>;

  [[gnu::always_inline]] static Squares identity() { return {0}; }
  [[gnu::always_inline]] static Squares merge(Squares a, Squares b) { return {a.sum + b.sum}; }

  struct Sum {
    using Value = Real;
    using Accumulator = double;
    [[gnu::always_inline]] static double identity() { return 0; }
    [[gnu::always_inline]] static double lift(Real value, Real) {
      return static_cast<double>(value) * static_cast<double>(value);
    }
    [[gnu::always_inline]] static double combine(double a, double b) { return a + b; }
  };

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(Squares& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    to.sum += fold_values<VectorBytes, Sum>(reinterpret_cast<const Real*>(from), n * parts_of<C>, Real(0));
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(Squares* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                             std::ptrdiff_t n, std::ptrdiff_t first) {
    fold_tiles<SquaresOf, lane_count<VectorBytes, double>()>(to, from, rows, stride, n, first);
  }

  template <std::ptrdiff_t Step>
  [[gnu::always_inline]] static void tile(Squares* to, const C* from, std::ptrdiff_t rows, std::ptrdiff_t stride,
                                          std::ptrdiff_t n, std::ptrdiff_t) {
    const Real* parts = reinterpret_cast<const Real*>(from);
    constexpr std::ptrdiff_t p = parts_of<C>;
    double sum[Step] = {};
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t k = 0; k < n; ++k) {
        for (std::ptrdiff_t part = 0; part < p; ++part)
          sum[k] += Sum::lift(parts[(r * stride + k) * p + part], Real(0));
      }
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) to[k].sum += sum[k];
  }
};

/// A power of two by which values of this size are divided before they are squared; 1 in the middle of the range.
[[gnu::always_inline]] inline double scale_of(double largest) {
  if (!(largest < 0x1p+480)) return largest - largest == 0 ? 0x1p+600 : 1.0;
  return largest > 0x1p-400 ? 1.0 : 0x1p-600;
}

template <class C>
struct ScaledSquaresOf {
  using Value = C;
  using Accumulator = ScaledSquares;

  [[gnu::always_inline]] static ScaledSquares identity() { return {0x1p-600, 0}; }
  [[gnu::always_inline]] static ScaledSquares merge(ScaledSquares a, ScaledSquares b) {
    const double scale = std::max(a.scale, b.scale);
    const double x = a.scale / scale;
    const double y = b.scale / scale;
    return {scale, a.sum * x * x + b.sum * y * y};
  }

  struct Largest {
    using Value = double;
    using Accumulator = double;
    [[gnu::always_inline]] static double identity() { return 0; }
    [[gnu::always_inline]] static double lift(double value, double) { return __builtin_elementwise_abs(value); }
    [[gnu::always_inline]] static double combine(double a, double b) { return b > a ? b : a; }
  };
  struct Sum {
    using Value = double;
    using Accumulator = double;
    [[gnu::always_inline]] static double identity() { return 0; }
    [[gnu::always_inline]] static double lift(double value, double factor) { return value * factor * (value * factor); }
    [[gnu::always_inline]] static double combine(double a, double b) { return a + b; }
  };

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void row(ScaledSquares& to, const C* from, std::ptrdiff_t n, std::ptrdiff_t) {
    const double* parts = reinterpret_cast<const double*>(from);
    const std::ptrdiff_t all = n * parts_of<C>;
    for (std::ptrdiff_t start = 0; start < all; start += block_elements) {
      const std::ptrdiff_t count = std::min(block_elements, all - start);
      const double scale = scale_of(fold_values<VectorBytes, Largest>(parts + start, count, 0.0));
      to = merge(to, {scale, fold_values<VectorBytes, Sum>(parts + start, count, 1.0 / scale)});
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void columns(ScaledSquares* to, const C* from, std::ptrdiff_t rows,
                                             std::ptrdiff_t stride, std::ptrdiff_t n, std::ptrdiff_t) {
    const double* parts = reinterpret_cast<const double*>(from);
    constexpr std::ptrdiff_t p = parts_of<C>;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      double largest = 0;
      for (std::ptrdiff_t r = 0; r < rows; ++r) {
        for (std::ptrdiff_t part = 0; part < p; ++part)
          largest = Largest::combine(largest, Largest::lift(parts[(r * stride + i) * p + part], 0));
      }
      const double scale = scale_of(largest);
      double sum = 0;
      for (std::ptrdiff_t r = 0; r < rows; ++r) {
        for (std::ptrdiff_t part = 0; part < p; ++part)
          sum += Sum::lift(parts[(r * stride + i) * p + part], 1.0 / scale);
      }
      to[i] = merge(to[i], {scale, sum});
    }
  }
};

}  // namespace

const Reducer* norm_reducer(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return ReducerOf<SquaresOf<float>>::chosen();
    case DType::float64: return ReducerOf<ScaledSquaresOf<double>>::chosen();
    case DType::complex64: return ReducerOf<SquaresOf<std::complex<float>>>::chosen();
    case DType::complex128: return ReducerOf<ScaledSquaresOf<std::complex<double>>>::chosen();
    default: return nullptr;
  }
}

}  // namespace tessera::plan
