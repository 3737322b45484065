module;
#include <cstddef>
#include <cstring>
export module tessera.expr:normaliser_loops;
import tessera.core;
import tessera.device;
import :plan;
import :reducers;
import :normalisers;
import :normalising;

// The loops of normalisations over rows, parts of rows and columns, compiled for each instruction set. What they compute is the
// affair of their argument, as Softmax.
namespace tessera::plan {

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
      F::finalize(&part, 1, epsilon);
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

  static void finalize(void* parts, n_t count, double epsilon) {
    F::finalize(static_cast<Part*>(parts), count, epsilon);
  }
  static void begin(const ColumnState& state, n_t n) { F::begin(state, n); }
  static void finalize_columns(const ColumnState& state, n_t n, double epsilon) {
    for (n_t k = 0; k < n; ++k) {
      const Affine<C> affine = F::finalized(state, k, epsilon);
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
                                          I::part,    finalize,     I::finish,         begin,
                                          I::observe, I::change,    finalize_columns,  I::finish_columns};

  static const Normaliser& chosen() {
    switch (device::isa()) {
      case device::Isa::avx512: return table_of<Avx512>;
      case device::Isa::avx2: return table_of<Avx2>;
      case device::Isa::baseline: break;
    }
    return table_of<Baseline>;
  }
};

}  // namespace tessera::plan
