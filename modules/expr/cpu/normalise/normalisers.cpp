module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The arithmetic of softmax, log_softmax and standardise on rows, parts of rows and columns.
namespace tessera::plan {

namespace {

template <class C>
[[gnu::always_inline]] inline bool is_finite(C value) {
  return value - value == 0;
}

template <class C>
[[gnu::always_inline]] inline C larger(C b, C a) {
  return is_larger(b, a) ? b : a;
}

/// Writes e^(value - shift) and returns the sum, in lanes that start afresh every 16 values as in fold_values.
template <std::ptrdiff_t lanes, class C>
[[gnu::always_inline]] inline C write_exponentials(const C* from, C* to, std::ptrdiff_t n, C shift, Ahead ahead) {
  constexpr std::ptrdiff_t chunk = 16 * lanes;
  C total[lanes] = {};
  std::ptrdiff_t i = 0;
  while (i + lanes <= n) {
    const std::ptrdiff_t end = n - i < chunk ? n : i + chunk;
    C lane[lanes] = {};
    for (; i + lanes <= end; i += lanes) {
      if (ahead.from != 0) fetch<lanes>(from + ahead.from + i, to + ahead.to + i);
      C block[lanes];
      for (std::ptrdiff_t k = 0; k < lanes; ++k) block[k] = math::exp(from[i + k] - shift);
      for (std::ptrdiff_t k = 0; k < lanes; ++k) lane[k] += block[k];
      std::memcpy(to + i, block, sizeof block);
    }
    for (std::ptrdiff_t k = 0; k < lanes; ++k) total[k] += lane[k];
  }
  if (i < n) {
    C rest[lanes];
    const std::ptrdiff_t left = n - i;
    for (std::ptrdiff_t k = 0; k < lanes; ++k) rest[k] = k < left ? from[i + k] : -std::numeric_limits<C>::infinity();
    for (std::ptrdiff_t k = 0; k < lanes; ++k) rest[k] = math::exp(rest[k] - shift);
    for (std::ptrdiff_t k = 0; k < lanes; ++k) total[k] += rest[k];
    std::copy_n(rest, left, to + i);
  }
  for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2) {
    for (std::ptrdiff_t k = 0; k < half; ++k) total[k] += total[k + half];
  }
  return total[0];
}

template <class C>
struct Largest {
  using Value = C;
  using Accumulator = C;
  [[gnu::always_inline]] static C identity() { return -std::numeric_limits<C>::infinity(); }
  [[gnu::always_inline]] static C lift(C value, C) { return value; }
  [[gnu::always_inline]] static C combine(C a, C b) { return larger(b, a); }
};

template <class C>
struct ExponentialSum {
  using Value = C;
  using Accumulator = C;
  [[gnu::always_inline]] static C identity() { return 0; }
  [[gnu::always_inline]] static C lift(C value, C shift) { return math::exp(value - shift); }
  [[gnu::always_inline]] static C combine(C a, C b) { return a + b; }
};

/// Both kinds of softmax. `Logarithm`: log_softmax, which leaves values as they are until the last step.
template <class C, bool Logarithm>
struct Softmax {
  using Value = C;
  static constexpr bool changes_values = !Logarithm;
  struct Part {
    C largest;
    C sum;
    Affine<C> affine;
  };

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void part(Part& part, const C* from, C* to, std::ptrdiff_t n, Ahead ahead) {
    part.largest = fold_values<VectorBytes, Largest<C>>(from, n, C(0));
    const C shift = is_finite(part.largest) ? part.largest : C(0);
    if constexpr (Logarithm) {
      part.sum = fold_values<VectorBytes, ExponentialSum<C>>(from, n, shift);
    } else {
      constexpr std::ptrdiff_t lanes = lane_count<VectorBytes, C>();
      part.sum = n < lanes ? write_exponentials<few_lanes>(from, to, n, shift, {0, 0})
                           : write_exponentials<lanes>(from, to, n, shift, ahead);
    }
  }

  [[gnu::always_inline]] static Affine<C> affine_of(C largest, double sum, C part_largest) {
    constexpr C none = std::numeric_limits<C>::quiet_NaN();
    if constexpr (Logarithm) return {largest, 1, is_finite(largest) ? static_cast<C>(std::log(sum)) : none};
    if (!is_finite(largest)) return {0, none, 0};
    const C scale = part_largest == largest ? C(1) : std::exp(part_largest - largest);
    return {0, static_cast<C>(static_cast<double>(scale) / sum), 0};
  }

  [[gnu::always_inline]] static void finalize(Part* parts, std::ptrdiff_t count, double) {
    C largest = parts[0].largest;
    for (std::ptrdiff_t p = 1; p < count; ++p) largest = larger(parts[p].largest, largest);
    double sum = 0;
    for (std::ptrdiff_t p = 0; p < count; ++p) {
      if (is_finite(parts[p].largest)) {
        const C scale = parts[p].largest == largest ? C(1) : std::exp(parts[p].largest - largest);
        sum += static_cast<double>(parts[p].sum) * static_cast<double>(scale);
      }
    }
    for (std::ptrdiff_t p = 0; p < count; ++p) parts[p].affine = affine_of(largest, sum, parts[p].largest);
  }

  [[gnu::always_inline]] static void begin(const ColumnState& state, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      static_cast<C*>(state.largest)[k] = Largest<C>::identity();
      state.sum[k] = 0;
    }
  }

  template <std::ptrdiff_t Width>
  [[gnu::always_inline]] static void observe(const ColumnState& state, const C* from, std::ptrdiff_t stride,
                                             std::ptrdiff_t rows, std::ptrdiff_t first, std::ptrdiff_t n) {
    C largest[Width];
    std::copy_n(static_cast<C*>(state.largest) + first, n, largest);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      const C* row = from + r * stride + first;
      for (std::ptrdiff_t k = 0; k < n; ++k) largest[k] = larger(row[k], largest[k]);
    }
    std::copy_n(largest, n, static_cast<C*>(state.largest) + first);
  }

  template <std::ptrdiff_t Width>
  [[gnu::always_inline]] static void change(const ColumnState& state, const C* from, std::ptrdiff_t from_stride, C* to,
                                            std::ptrdiff_t to_stride, std::ptrdiff_t rows, std::ptrdiff_t first,
                                            std::ptrdiff_t n) {
    C shift[Width], sum[Width] = {}, block[Width];
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      const C largest = static_cast<C*>(state.largest)[first + k];
      shift[k] = is_finite(largest) ? largest : C(0);
    }
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      const C* row = from + r * from_stride + first;
      for (std::ptrdiff_t k = 0; k < n; ++k) block[k] = math::exp(row[k] - shift[k]);
      for (std::ptrdiff_t k = 0; k < n; ++k) sum[k] += block[k];
      if constexpr (!Logarithm) std::copy_n(block, n, to + r * to_stride + first);
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) state.sum[first + k] += static_cast<double>(sum[k]);
  }

  [[gnu::always_inline]] static Affine<C> finalized(const ColumnState& state, std::ptrdiff_t k, double) {
    const C largest = static_cast<C*>(state.largest)[k];
    return affine_of(largest, state.sum[k], largest);
  }
};

template <class C>
struct Standardise {
  using Value = C;
  static constexpr bool changes_values = false;
  struct Part {
    Moments moments;
    Affine<C> affine;
  };

  static const Reducer& reducer() { return *moments_reducer(dtype_of<C>); }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void part(Part& part, const C* from, C*, std::ptrdiff_t n, Ahead) {
    part.moments = {0, 0, 0};
    reducer().row(&part.moments, from, n, 0);
  }

  [[gnu::always_inline]] static Affine<C> affine_of(const Moments& moments, double epsilon) {
    const double factor = 1 / std::sqrt(moments.squares / moments.count + epsilon);
    return {static_cast<C>(moments.mean), static_cast<C>(factor), 0};
  }

  static void finalize(Part* parts, std::ptrdiff_t count, double epsilon) {
    Moments all = parts[0].moments;
    for (std::ptrdiff_t p = 1; p < count; ++p) reducer().merge(&all, &parts[p].moments, 1);
    for (std::ptrdiff_t p = 0; p < count; ++p) parts[p].affine = affine_of(all, epsilon);
  }

  [[gnu::always_inline]] static void begin(const ColumnState& state, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k) state.moments[k] = {0, 0, 0};
  }
  template <std::ptrdiff_t Width>
  [[gnu::always_inline]] static void observe(const ColumnState& state, const C* from, std::ptrdiff_t stride,
                                             std::ptrdiff_t rows, std::ptrdiff_t first, std::ptrdiff_t n) {
    reducer().columns(state.moments + first, from + first, rows, stride, n, 0);
  }
  template <std::ptrdiff_t Width>
  [[gnu::always_inline]] static void change(const ColumnState&, const C*, std::ptrdiff_t, C*, std::ptrdiff_t,
                                            std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t) {}
  [[gnu::always_inline]] static Affine<C> finalized(const ColumnState& state, std::ptrdiff_t k, double epsilon) {
    return affine_of(state.moments[k], epsilon);
  }
};

template <class C>
const Normaliser& normaliser_of(NormaliseOp op) {
  if (op == NormaliseOp::softmax) return NormaliserOf<Softmax<C, false>>::chosen();
  if (op == NormaliseOp::log_softmax) return NormaliserOf<Softmax<C, true>>::chosen();
  return NormaliserOf<Standardise<C>>::chosen();
}

}  // namespace

const Normaliser& normaliser(NormaliseOp op, DType dtype) {
  return dtype == DType::float64 ? normaliser_of<double>(op) : normaliser_of<float>(op);
}

}  // namespace tessera::plan
