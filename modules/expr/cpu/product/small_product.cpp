module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Products from registers: a few rows by a few vectors of columns are summed at a time, from columns of b that lie side by side. Integers have loops of
// their own.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t inner_block = 256;    // products summed before the result is stored
constexpr std::ptrdiff_t panel_bytes = 32768;  // of b's columns, packed: the L1 cache holds most of them
constexpr int row_block = 4;
constexpr std::ptrdiff_t most_extent = 16;        // of real matrices of any layout,
constexpr std::ptrdiff_t most_side_by_side = 64;  // and of those that are read as they lie,
constexpr std::ptrdiff_t most_read = 65536;       // from b so many bytes

/// A part of a product: `inner` factors for each element of the result.
template <class T>
struct Panel {
  const T* a;
  std::ptrdiff_t a_row, a_column;
  const T* b;
  std::ptrdiff_t b_row;  // its columns lie side by side
  T* c;
  std::ptrdiff_t c_row;
  std::ptrdiff_t rows, inner;
  bool adds;  // to what is in c
};

/// `Rows` rows by `Vectors` vectors of `Bytes` bytes.
template <class T, int Rows, int Vectors, int Bytes>
[[gnu::always_inline]] inline void multiply_block(const Panel<T>& p, const T* a, T* c) {
  using Vector [[gnu::vector_size(Bytes)]] = T;
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  Vector sums[Rows][Vectors] = {};
  for (std::ptrdiff_t k = 0; k < p.inner; ++k) {
    Vector columns[Vectors];
    for (int v = 0; v < Vectors; ++v) std::memcpy(&columns[v], p.b + k * p.b_row + v * lanes, sizeof(Vector));
    for (int r = 0; r < Rows; ++r) {
      const T factor = a[r * p.a_row + k * p.a_column];
      for (int v = 0; v < Vectors; ++v) sums[r][v] += factor * columns[v];
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      T* to = c + r * p.c_row + v * lanes;
      if (p.adds) {
        Vector before;
        std::memcpy(&before, to, sizeof(Vector));
        sums[r][v] += before;
      }
      std::memcpy(to, &sums[r][v], sizeof(Vector));
    }
  }
}

template <class T, int Vectors, int Bytes>
[[gnu::always_inline]] inline void multiply_columns(const Panel<T>& p) {
  std::ptrdiff_t i = 0;
  for (; i + row_block <= p.rows; i += row_block)
    multiply_block<T, row_block, Vectors, Bytes>(p, p.a + i * p.a_row, p.c + i * p.c_row);
  if (i + 2 <= p.rows) {
    multiply_block<T, 2, Vectors, Bytes>(p, p.a + i * p.a_row, p.c + i * p.c_row);
    i += 2;
  }
  if (i < p.rows) multiply_block<T, 1, Vectors, Bytes>(p, p.a + i * p.a_row, p.c + i * p.c_row);
}

/// Calls of multiply_columns(): in one function with all widths, preparing their loops takes longer than a small product.
template <class T, int Vectors, int Bytes>
struct Columns {
  [[gnu::noinline]] static void baseline(const Panel<T>& p) { multiply_columns<T, Vectors, Bytes>(p); }
  [[gnu::noinline, gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const Panel<T>& p) {
    multiply_columns<T, Vectors, Bytes>(p);
  }
  [[gnu::noinline, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const Panel<T>& p) {
    multiply_columns<T, Vectors, Bytes>(p);
  }
};

template <class T, device::Isa Isa, int Vectors, int Bytes>
[[gnu::always_inline]] inline void call_columns(const Panel<T>& p) {
  using Calls = Columns<T, Vectors, Bytes>;
  if constexpr (Isa == device::Isa::avx512) {
    Calls::avx512(p);
  } else if constexpr (Isa == device::Isa::avx2) {
    Calls::avx2(p);
  } else {
    Calls::baseline(p);
  }
}

/// The columns that are left, in vectors half as wide each time.
template <class T, device::Isa Isa, int Bytes>
[[gnu::always_inline]] inline void multiply_rest(Panel<T>& p, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  if (columns >= lanes) {
    call_columns<T, Isa, 1, Bytes>(p);
    p.b += lanes;
    p.c += lanes;
    columns -= lanes;
  }
  if constexpr (lanes > 1) multiply_rest<T, Isa, Bytes / 2>(p, columns);
}

template <class T, device::Isa Isa, int Bytes>
[[gnu::always_inline]] inline void multiply_panel(Panel<T> p, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t lanes = 2 * Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  for (; columns >= lanes; columns -= lanes) {
    call_columns<T, Isa, 2, Bytes>(p);
    p.b += lanes;
    p.c += lanes;
  }
  multiply_rest<T, Isa, Bytes>(p, columns);
}

/// Columns [first, first + columns) of rows [from, from + inner) of b, side by side in `to`.
template <class T>
[[gnu::always_inline]] inline void pack_columns(const TiledProduct& product, const T* b, std::ptrdiff_t from,
                                                std::ptrdiff_t inner, std::ptrdiff_t first, std::ptrdiff_t columns,
                                                T* to) {
  b += from * product.b_row + first * product.b_column;
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t k = 0; k < inner; ++k) to[k * columns + j] = b[k * product.b_row + j * product.b_column];
  }
}

template <class T, device::Isa Isa, int Bytes>
[[gnu::always_inline]] inline void multiply_in_loops(const TiledProduct& product, const T* a, const T* b, T* c,
                                                     std::ptrdiff_t c_row) {
  constexpr std::ptrdiff_t most_columns = panel_bytes / inner_block / static_cast<std::ptrdiff_t>(sizeof(T));
  const bool side_by_side = product.b_column == 1 || product.columns == 1;
  alignas(64) T packed[panel_bytes / sizeof(T)];
  std::ptrdiff_t from = 0;
  do {
    const std::ptrdiff_t inner = std::min(inner_block, product.inner - from);
    Panel<T> panel{a + from * product.a_column,
                   product.a_row,
                   product.a_column,
                   b + from * product.b_row,
                   product.b_row,
                   c,
                   c_row,
                   product.rows,
                   inner,
                   from > 0};
    if (side_by_side) {
      multiply_panel<T, Isa, Bytes>(panel, product.columns);
    } else {
      for (std::ptrdiff_t first = 0; first < product.columns; first += most_columns) {
        const std::ptrdiff_t columns = std::min(most_columns, product.columns - first);
        pack_columns(product, b, from, inner, first, columns, packed);
        panel.b = packed;
        panel.b_row = columns;
        panel.c = c + first;
        multiply_panel<T, Isa, Bytes>(panel, columns);
      }
    }
    from += inner_block;
  } while (from < product.inner);
}

template <class T, device::Isa Isa, int Bytes>
[[gnu::always_inline]] inline void multiply_all(const TiledProduct& product, void* c, std::ptrdiff_t c_row,
                                                const Repetition& repetition) {
  const T* a = static_cast<const T*>(product.a);
  const T* b = static_cast<const T*>(product.b);
  for (std::ptrdiff_t i = 0; i < repetition.count; ++i)
    multiply_in_loops<T, Isa, Bytes>(product, a + i * repetition.a, b + i * repetition.b,
                                     static_cast<T*>(c) + i * repetition.c, c_row);
}

/// How some columns are cut: pairs of vectors, of which the last may overlap what lies before it.
struct ColumnCut {
  std::span<const MicroKernel> kernels;  // by rows less one
  std::ptrdiff_t first, second, next;    // of the vectors, and where the columns after them begin
};

/// The next vectors of `columns`, from `first` on. Columns that fill no vector are the last ones of a narrower pair, or with them those before
/// them: what is computed twice is the same twice.
[[gnu::always_inline]] inline ColumnCut cut_columns(const ProductKernels& kernels, std::ptrdiff_t first,
                                                    std::ptrdiff_t columns) {
  const std::ptrdiff_t left = columns - first, lanes = kernels.lanes();
  if (left >= 2 * lanes) return {kernels.widths[0].any, first, lanes, first + 2 * lanes};
  if (left > lanes) return {kernels.widths[0].any, first, left - lanes, columns};
  if (columns >= lanes) return {kernels.widths[1].any, columns - lanes, 0, columns};
  const int log = std::max(static_cast<int>(std::bit_width(static_cast<std::size_t>(columns))) - 1, 0);
  const std::ptrdiff_t width = std::ptrdiff_t{1} << log;
  const NarrowKernels& narrow = kernels.narrow[static_cast<std::size_t>(log)];
  return {columns == width ? narrow.one : narrow.two, 0, columns - width, columns};
}

/// Rows of a strip, at most. Half of what two vectors of registers hold is enough to keep the processor busy, and is read and written line after line:
/// of many products that come from memory, it fetches ahead what goes on so, and not rows that are read side by side.
[[gnu::always_inline]] inline std::ptrdiff_t strip_rows(const ProductKernels& kernels, std::ptrdiff_t columns) {
  const auto most = static_cast<std::ptrdiff_t>(cut_columns(kernels, 0, columns).kernels.size());
  return most > 8 && columns > kernels.lanes() ? most / 2 : most;
}

/// Of real matrices, strip by strip: the sums of each element are one chain.
template <class T>
[[gnu::always_inline]] inline void multiply_strips(const ProductKernels& kernels, const SmallFactors& factors) {
  const auto* const a = static_cast<const T*>(factors.a);
  const auto* const b = static_cast<const T*>(factors.b);
  auto* const c = static_cast<T*>(factors.c);
  StripProduct
      strip;  // its fields one by one: what is written in pieces and read as one takes longer than a small product
  strip.a_row = factors.a_row;
  strip.a_column = factors.a_column;
  strip.b_row = factors.b_row;
  strip.depth = factors.inner;
  strip.c_row = factors.c_row;
  strip.adds = false;
  std::ptrdiff_t strips = 1;
  const std::ptrdiff_t most = strip_rows(kernels, factors.columns);
  for (std::ptrdiff_t covered = most; covered < factors.rows; covered += most) ++strips;
  for (std::ptrdiff_t from = 0; strips > 0; --strips) {
    const std::ptrdiff_t rows = strips == 1 ? factors.rows - from : (factors.rows - from) / strips;
    strip.a = a + from * factors.a_row;
    T* const c_strip = c + from * factors.c_row;
    for (std::ptrdiff_t first = 0; first < factors.columns;) {
      const ColumnCut cut = cut_columns(kernels, first, factors.columns);
      strip.b = b + cut.first;
      strip.second = cut.second;
      strip.c = c_strip + cut.first;
      cut.kernels[static_cast<std::size_t>(rows - 1)](strip);
      first = cut.next;
    }
    from += rows;
  }
}

template <class T>
const ProductKernels& kernels_of() {
  return product_kernels(std::is_same_v<T, float> ? DType::float32 : DType::float64);
}

/// As multiply_all() for integers, by the micro-kernels of larger products. Columns that do not lie side by side are packed.
template <class T>
void multiply_real(const TiledProduct& p, void* c, std::ptrdiff_t c_row, const Repetition& repetition) {
  const ProductKernels& kernels = kernels_of<T>();
  const bool side_by_side = p.b_column == 1 || p.columns == 1;
  alignas(64) T packed[most_extent * most_extent];
  for (std::ptrdiff_t i = 0; i < repetition.count; ++i) {
    const T* b = static_cast<const T*>(p.b) + i * repetition.b;
    if (!side_by_side) pack_columns(p, std::exchange(b, packed), 0, p.inner, 0, p.columns, packed);
    multiply_strips<T>(kernels, {.a = static_cast<const T*>(p.a) + i * repetition.a,
                                 .b = b,
                                 .c = static_cast<T*>(c) + i * repetition.c,
                                 .rows = p.rows,
                                 .columns = p.columns,
                                 .inner = p.inner,
                                 .a_column = p.a_column,
                                 .a_row = p.a_row,
                                 .c_row = c_row,
                                 .b_row = side_by_side ? p.b_row : p.columns});
  }
}

/// Reals that fit the registers and the L1 cache as they lie, or of which b does beside so few products for each element that tiles and panels would take as
/// long. One row or one column has loops of its own from some length on.
bool may_be_read(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner, std::ptrdiff_t b_row,
                 std::ptrdiff_t item) {
  constexpr std::ptrdiff_t short_depth = 31, most_products = std::ptrdiff_t{1} << 19;
  const std::ptrdiff_t most_of_b = std::max(columns, inner);
  if (std::max(rows, most_of_b) <= most_extent) return true;
  if (most_of_b > most_side_by_side || std::min(rows, columns) <= 1 || std::abs(b_row) * inner > most_read / item)
    return false;
  return rows <= most_side_by_side || (inner <= short_depth && rows * columns * inner <= most_products);
}

template <class T>
bool multiply_apart_of(const SmallFactors& f) {
  constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(T));
  const bool forwards = (f.a_row | f.a_column | f.b_row) >= 0 && (f.c_row >= f.columns || f.rows == 1);
  if (std::min({f.rows, f.columns, f.inner}) <= 0 || !forwards || blas::is_chosen()) return false;
  const bool small = may_be_read(f.rows, f.columns, f.inner, f.b_row, item);
  if (!small && f.rows > 1 && f.columns > 1) return false;
  const auto* const a = static_cast<const T*>(f.a);
  const auto* const b = static_cast<const T*>(f.b);
  const auto* const c = static_cast<const T*>(f.c);
  const T* const a_end = a + (f.rows - 1) * f.a_row + (f.inner - 1) * f.a_column + 1;
  const T* const b_end = b + (f.inner - 1) * f.b_row + f.columns;
  const T* const c_end = c + (f.rows - 1) * f.c_row + f.columns;
  if ((a < c_end && c < a_end) || (b < c_end && c < b_end)) return false;
  if (!small) return multiply_vector_alone(T(), f);
  multiply_strips<T>(kernels_of<T>(), f);
  return true;
}

template <class T>
struct Loops {
  static void baseline(const TiledProduct& product, void* c, std::ptrdiff_t c_row, const Repetition& repetition) {
    multiply_all<T, device::Isa::baseline, 16>(product, c, c_row, repetition);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const TiledProduct& product, void* c, std::ptrdiff_t c_row,
                                                             const Repetition& repetition) {
    multiply_all<T, device::Isa::avx2, 32>(product, c, c_row, repetition);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const TiledProduct& product, void* c, std::ptrdiff_t c_row, const Repetition& repetition) {
    multiply_all<T, device::Isa::avx512, 64>(product, c, c_row, repetition);
  }
};

template <class T>
MultiplyMatrices loops_of() {
  switch (device::isa()) {
    case device::Isa::avx512: return Loops<T>::avx512;
    case device::Isa::avx2: return Loops<T>::avx2;
    case device::Isa::baseline: break;
  }
  return Loops<T>::baseline;
}

}  // namespace

MultiplyMatrices small_product(DType dtype) {
  switch (dtype) {
    case DType::int8:
    case DType::uint8: return loops_of<std::uint8_t>();  // products of signed integers have the same bits
    case DType::int16:
    case DType::uint16: return loops_of<std::uint16_t>();
    case DType::int32:
    case DType::uint32: return loops_of<std::uint32_t>();
    case DType::int64:
    case DType::uint64: return loops_of<std::uint64_t>();
    case DType::float32: return multiply_real<float>;
    case DType::float64: return multiply_real<double>;
    default: return nullptr;
  }
}

bool is_small_product(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner) {
  const bool real = dtype == DType::float32 || dtype == DType::float64;
  return real && std::max({rows, columns, inner}) <= most_extent;
}

bool is_small_product(const TiledProduct& p) {
  const bool real = p.dtype == DType::float32 || p.dtype == DType::float64;
  if (!real || p.a_loop != nullptr || p.b_loop != nullptr) return false;
  return is_small_product(p.dtype, p.rows, p.columns, p.inner) ||
         (p.b_column == 1 && may_be_read(p.rows, p.columns, p.inner, p.b_row, item_size(p.dtype)));
}

bool multiply_apart(float, const SmallFactors& factors) { return multiply_apart_of<float>(factors); }
bool multiply_apart(double, const SmallFactors& factors) { return multiply_apart_of<double>(factors); }

}  // namespace tessera::plan
