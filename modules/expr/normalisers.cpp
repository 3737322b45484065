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

/// Distances to the row after this one, which is fetched into the cache while this one is computed.
struct Ahead {
  std::ptrdiff_t from, to;
};

template <std::ptrdiff_t Count, class C>
[[gnu::always_inline]] inline void fetch(const C* from, C* to) {
  constexpr std::ptrdiff_t line = 64 / static_cast<std::ptrdiff_t>(sizeof(C));
  for (std::ptrdiff_t k = 0; k < Count; k += line) {
    __builtin_prefetch(from + k);
    __builtin_prefetch(to + k, 1);
  }
}

/// Writes (value - shift) * factor - offset; a step goes through a local block, which can alias nothing.
template <std::ptrdiff_t VectorBytes, class C>
[[gnu::always_inline]] inline void apply(const Affine<C>& affine, const C* from, C* to, std::ptrdiff_t n,
                                         Ahead ahead = {0, 0}) {
  constexpr std::ptrdiff_t step = 4 * VectorBytes / static_cast<std::ptrdiff_t>(sizeof(C));
  const auto [shift, factor, offset] = affine;
  std::ptrdiff_t i = 0;
  for (; i + step <= n; i += step) {
    if (ahead.from != 0) fetch<step>(from + ahead.from + i, to + ahead.to + i);
    C block[step];
    for (std::ptrdiff_t k = 0; k < step; ++k) block[k] = (from[i + k] - shift) * factor - offset;
    std::memcpy(to + i, block, sizeof block);
  }
  for (; i < n; ++i) to[i] = (from[i] - shift) * factor - offset;
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

  [[gnu::always_inline]] static void settle(Part* parts, std::ptrdiff_t count, double) {
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

  [[gnu::always_inline]] static Affine<C> settled(const ColumnState& state, std::ptrdiff_t k, double) {
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

  static void settle(Part* parts, std::ptrdiff_t count, double epsilon) {
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
  [[gnu::always_inline]] static Affine<C> settled(const ColumnState& state, std::ptrdiff_t k, double epsilon) {
    return affine_of(state.moments[k], epsilon);
  }
};

/// The bodies of a Normaliser for vectors of so many bytes.
template <class F, std::ptrdiff_t VectorBytes>
struct Bodies {
  using C = typename F::Value;
  using Part = typename F::Part;
  static constexpr std::ptrdiff_t width = lane_count<VectorBytes, C>();

  [[gnu::always_inline]] static void rows(const void* from, std::ptrdiff_t from_stride, void* to,
                                          std::ptrdiff_t to_stride, std::ptrdiff_t rows, std::ptrdiff_t n,
                                          double epsilon) {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      const C* in = static_cast<const C*>(from) + r * from_stride;
      C* out = static_cast<C*>(to) + r * to_stride;
      Part part;
      const Ahead ahead{from_stride, to_stride};
      F::template part<VectorBytes>(part, in, out, n, ahead);
      F::settle(&part, 1, epsilon);
      if constexpr (F::changes_values) {
        apply<VectorBytes>(part.affine, out, out, n);
      } else {
        apply<VectorBytes>(part.affine, in, out, n, ahead);
      }
    }
  }

  [[gnu::always_inline]] static void part(void* part, const void* from, void* to, std::ptrdiff_t n) {
    F::template part<VectorBytes>(*static_cast<Part*>(part), static_cast<const C*>(from), static_cast<C*>(to), n,
                                  {0, 0});
  }

  [[gnu::always_inline]] static void finish(const void* part, const void* from, void* to, std::ptrdiff_t n) {
    apply<VectorBytes>(static_cast<const Part*>(part)->affine, static_cast<const C*>(from), static_cast<C*>(to), n);
  }

  [[gnu::always_inline]] static void observe(const ColumnState& state, const void* from, std::ptrdiff_t stride,
                                             std::ptrdiff_t rows, std::ptrdiff_t n) {
    std::ptrdiff_t first = 0;
    for (; first + width <= n; first += width)
      F::template observe<width>(state, static_cast<const C*>(from), stride, rows, first, width);
    if (first < n) F::template observe<width>(state, static_cast<const C*>(from), stride, rows, first, n - first);
  }

  [[gnu::always_inline]] static void change(const ColumnState& state, const void* from, std::ptrdiff_t from_stride,
                                            void* to, std::ptrdiff_t to_stride, std::ptrdiff_t rows, std::ptrdiff_t n) {
    const C* in = static_cast<const C*>(from);
    C* out = static_cast<C*>(to);
    std::ptrdiff_t first = 0;
    for (; first + width <= n; first += width)
      F::template change<width>(state, in, from_stride, out, to_stride, rows, first, width);
    if (first < n) F::template change<width>(state, in, from_stride, out, to_stride, rows, first, n - first);
  }

  [[gnu::always_inline]] static void finish_columns(const ColumnState& state, const void* from,
                                                    std::ptrdiff_t from_stride, void* to, std::ptrdiff_t to_stride,
                                                    std::ptrdiff_t rows, std::ptrdiff_t n) {
    const C* shift = static_cast<const C*>(state.shift);
    const C* factor = static_cast<const C*>(state.factor);
    const C* offset = static_cast<const C*>(state.offset);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      const C* in = static_cast<const C*>(from) + r * from_stride;
      C* out = static_cast<C*>(to) + r * to_stride;
      std::ptrdiff_t i = 0;
      for (; i + width <= n; i += width) {
        C block[width];
        for (std::ptrdiff_t k = 0; k < width; ++k)
          block[k] = (in[i + k] - shift[i + k]) * factor[i + k] - offset[i + k];
        std::memcpy(out + i, block, sizeof block);
      }
      for (; i < n; ++i) out[i] = (in[i] - shift[i]) * factor[i] - offset[i];
    }
  }
};

template <class F>
struct NormaliserOf {
  using C = typename F::Value;
  using Part = typename F::Part;
  using n_t = std::ptrdiff_t;

  static void settle(void* parts, n_t count, double epsilon) { F::settle(static_cast<Part*>(parts), count, epsilon); }
  static void begin(const ColumnState& state, n_t n) { F::begin(state, n); }
  static void settle_columns(const ColumnState& state, n_t n, double epsilon) {
    for (n_t k = 0; k < n; ++k) {
      const Affine<C> affine = F::settled(state, k, epsilon);
      static_cast<C*>(state.shift)[k] = affine.shift;
      static_cast<C*>(state.factor)[k] = affine.factor;
      static_cast<C*>(state.offset)[k] = affine.offset;
    }
  }

// The same functions for each instruction set.
#define TESSERA_BODIES(Name, bytes, target)                                                                         \
  struct Name {                                                                                                     \
    using B = Bodies<F, bytes>;                                                                                     \
    target static void rows(const void* f, n_t fs, void* t, n_t ts, n_t r, n_t n, double e) {                       \
      B::rows(f, fs, t, ts, r, n, e);                                                                               \
    }                                                                                                               \
    target static void part(void* p, const void* f, void* t, n_t n) { B::part(p, f, t, n); }                        \
    target static void finish(const void* p, const void* f, void* t, n_t n) { B::finish(p, f, t, n); }              \
    target static void observe(const ColumnState& s, const void* f, n_t fs, n_t r, n_t n) {                         \
      B::observe(s, f, fs, r, n);                                                                                   \
    }                                                                                                               \
    target static void change(const ColumnState& s, const void* f, n_t fs, void* t, n_t ts, n_t r, n_t n) {         \
      B::change(s, f, fs, t, ts, r, n);                                                                             \
    }                                                                                                               \
    target static void finish_columns(const ColumnState& s, const void* f, n_t fs, void* t, n_t ts, n_t r, n_t n) { \
      B::finish_columns(s, f, fs, t, ts, r, n);                                                                     \
    }                                                                                                               \
  }
  TESSERA_BODIES(Baseline, 16, );
  TESSERA_BODIES(Avx2, 32, [[gnu::target("avx2,fma")]]);
  TESSERA_BODIES(Avx512, 64, [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]]);
#undef TESSERA_BODIES

  template <class I>
  static constexpr Normaliser table_of = {sizeof(C),  sizeof(Part), F::changes_values, I::rows,
                                          I::part,    settle,       I::finish,         begin,
                                          I::observe, I::change,    settle_columns,    I::finish_columns};

  static const Normaliser& chosen() {
    switch (device::isa()) {
      case device::Isa::avx512: return table_of<Avx512>;
      case device::Isa::avx2: return table_of<Avx2>;
      case device::Isa::baseline: break;
    }
    return table_of<Baseline>;
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
