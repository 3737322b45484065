module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
module tessera.expr;
import :lanes;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Inner products of several rows at a time with one vector, and sums of several columns at a time.
namespace tessera::plan {

namespace {

/// Vectors v of length `count`, `stride` elements apart, times x, `step` apart.
template <class T>
struct VectorTask {
  const T* matrix;
  std::ptrdiff_t stride;
  std::ptrdiff_t vectors, count;
  const T* x;
  std::ptrdiff_t step;
  T* y;
  std::ptrdiff_t y_step;
};

// Memory is read fastest in few long streams: a row of 8000 floats in two pieces of L1's size takes a tenth longer than as a whole, while the vector
// or the sums beside it come from L2, an eighth of what is read.
constexpr std::ptrdiff_t x_bytes = 65536;  // of x, side by side
constexpr std::ptrdiff_t sums_bytes = 65536;

/// How many rows or columns of `count` elements are read at once: memory gives most to twelve, and those whose elements all fall into the same eight
/// places of an L1 cache drive out each other.
template <class T>
int streams_of(std::ptrdiff_t count, std::ptrdiff_t stride) {
  constexpr std::ptrdiff_t long_row = 4096;  // bytes
  if (count * static_cast<std::ptrdiff_t>(sizeof(T)) < long_row) return 8;
  return stride * static_cast<std::ptrdiff_t>(sizeof(T)) % 4096 == 0 ? 4 : 12;
}

template <class T>
constexpr int parts_of = Complex<T> ? 2 : 1;

// Vectors go by reference: by value, a function without a target has no registers for them.

/// sum += row * factor, whose real and imaginary parts change places.
template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void add_crossed(Vector& sum, const Vector& row, const Vector& factor,
                                               std::index_sequence<Lane...>) {
  sum += row * __builtin_shufflevector(factor, factor, (static_cast<int>(Lane) ^ 1)...);
}

/// As the definition says: the library's product of complex numbers asks for infinities.
template <class T>
[[gnu::always_inline]] inline T product_of(const T& a, const T& b) {
  if constexpr (parts_of<T> == 1) {
    return a * b;
  } else {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
}

/// The sum of the lanes, of which every second one counts with the other sign.
template <int Lanes, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline auto alternating_sum(const Vector& v, std::index_sequence<Lane...>) {
  constexpr Vector signs = {(Lane % 2 == 0 ? 1 : -1)...};
  return sum_of_lanes<Lanes>(v * signs);
}

/// The sum of an inner product's lanes: `straight` of real parts by real parts and imaginary by imaginary, `crossed` of the others.
template <class T, int Lanes, class Vector>
[[gnu::always_inline]] inline T sum_of(const Vector& straight, const Vector& crossed) {
  if constexpr (parts_of<T> == 1) {
    return sum_of_lanes<Lanes>(straight);
  } else {
    return {alternating_sum<Lanes>(straight, std::make_index_sequence<Lanes>()), sum_of_lanes<Lanes>(crossed)};
  }
}

/// `Rows` inner products with `count` contiguous elements of x, a vector of them or more, added to y. Where there are registers enough a long one
/// is two chains of sums, so that a row alone does not wait for every addition; the order depends on `count` only.
template <class T, int Rows, int Bytes>
[[gnu::always_inline]] inline void add_inner_products(const T* matrix, std::ptrdiff_t stride, const T* x,
                                                      std::ptrdiff_t count, T* y, std::ptrdiff_t y_step, bool adds) {
  using Real = part_t<T>;
  using Vector [[gnu::vector_size(Bytes)]] = Real;
  constexpr int parts = parts_of<T>;
  constexpr int lanes = Bytes / static_cast<int>(sizeof(Real));
  constexpr std::ptrdiff_t step = lanes / parts;
  Vector sums[Rows][parts] = {};
  const auto add = [&](Vector(&to)[Rows][parts], int r, const Vector& row,
                       const Vector& factor) __attribute__((always_inline)) {
    to[r][0] += row * factor;
    if constexpr (parts == 2)
      add_crossed(to[r][1], row, factor, std::make_index_sequence<static_cast<std::size_t>(lanes)>());
  };
  const auto add_step = [&](Vector(&to)[Rows][parts], std::ptrdiff_t k) __attribute__((always_inline)) {
    Vector factor, row;
    std::memcpy(&factor, x + k, sizeof(Vector));
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      std::memcpy(&row, matrix + r * stride + k, sizeof(Vector));
      add(to, r, row, factor);
    }
  };
  std::ptrdiff_t k = 0;
  if constexpr (parts == 1 && Bytes == 64) {
    constexpr std::ptrdiff_t long_row = 16 * step;
    if (count >= long_row) {
      Vector others[Rows][parts] = {};
      for (; k + 2 * step <= count; k += 2 * step) {
        add_step(sums, k);
        add_step(others, k + step);
      }
      for (int r = 0; r < Rows; ++r) sums[r][0] += others[r][0];
    }
  }
  for (; k + step <= count; k += step) add_step(sums, k);
  if (k < count) {
    const LastVector<Vector, Real> last(count * parts, (count - k) * parts);
    Vector factor, row;
    last.load(factor, x);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      last.load(row, matrix + r * stride);
      add(sums, r, row, factor);
    }
  }
  T results[Rows];
  const auto fold = [&]<int First, int Number>() __attribute__((always_inline)) {
    if constexpr (parts == 1 && Number > 1 && Number <= lanes) {
      Vector rows[Number];
      for (int r = 0; r < Number; ++r) rows[r] = sums[First + r][0];
      fold_rows<lanes, Number, 1>(rows, std::make_index_sequence<static_cast<std::size_t>(lanes)>());
      std::memcpy(results + First, &rows[0], Number * sizeof(T));
    } else {
      for (int r = First; r < First + Number; ++r) results[r] = sum_of<T, lanes>(sums[r][0], sums[r][parts - 1]);
    }
  };
  constexpr int even = Rows < 8 ? Rows : 8;
  fold.template operator()<0, even>();
  if constexpr (Rows > even) fold.template operator()<even, Rows - even>();
  if (y_step == 1 && !adds) {
    std::memcpy(y, results, sizeof(results));
    return;
  }
  for (int r = 0; r < Rows; ++r) y[r * y_step] = adds ? y[r * y_step] + results[r] : results[r];
}

/// Rows of `Count` elements without gaps: the compiler sees which elements of how many rows a vector has.
template <class T, int Count>
[[gnu::always_inline]] inline void multiply_dense_rows(const VectorTask<T>& task) {
  T x[Count];
  for (int k = 0; k < Count; ++k) x[k] = task.x[k * task.step];
  const T* const matrix = task.matrix;
  T* const y = task.y;
  for (std::ptrdiff_t i = 0; i < task.vectors; ++i) {
    T sum = product_of(matrix[i * Count], x[0]);
    for (int k = 1; k < Count; ++k) sum += product_of(matrix[i * Count + k], x[k]);
    y[i] = sum;
  }
}

/// Rows that fill no vector.
template <class T>
[[gnu::always_inline]] inline void multiply_short_rows(const VectorTask<T>& task) {
  if (task.stride == task.count && task.y_step == 1) {
    if (task.count == 1) return multiply_dense_rows<T, 1>(task);
    if constexpr (sizeof(T) == 4) {
      if (task.count == 2) return multiply_dense_rows<T, 2>(task);
      return multiply_dense_rows<T, 3>(task);
    }
  }
  for (std::ptrdiff_t i = 0; i < task.vectors; ++i) {
    const T* row = task.matrix + i * task.stride;
    T sum = product_of(row[0], task.x[0]);
    for (std::ptrdiff_t k = 1; k < task.count; ++k) sum += product_of(row[k], task.x[k * task.step]);
    task.y[i * task.y_step] = sum;
  }
}

/// The vectors are rows: an inner product each. Rows of less than two vectors come in fewer numbers together if these are not `Whole` ones.
template <class T, int Bytes, bool Whole = true>
[[gnu::always_inline]] inline void multiply_rows(const VectorTask<T>& task) {
  constexpr std::ptrdiff_t x_elements = x_bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr std::ptrdiff_t step = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  if (task.count < step) {
    if constexpr (Bytes > 16) {
      return multiply_rows<T, Bytes / 2, false>(task);
    } else {
      return multiply_short_rows(task);
    }
  }
  T packed[x_elements];
  for (std::ptrdiff_t first = 0; first < task.count;) {
    const std::ptrdiff_t rest = task.count - first;
    // What is left for the last piece fills a vector.
    const std::ptrdiff_t count =
        rest > x_elements && rest < x_elements + step ? rest - step : std::min(x_elements, rest);
    const int streams = streams_of<T>(count, task.stride);
    const T* x = task.x + first * task.step;
    if (task.step != 1) {
      for (std::ptrdiff_t k = 0; k < count; ++k) packed[k] = x[k * task.step];
      x = packed;
    }
    std::ptrdiff_t i = 0;
    const auto add = [&]<int Rows>() __attribute__((always_inline)) {
      for (; i + Rows <= task.vectors; i += Rows)
        add_inner_products<T, Rows, Bytes>(task.matrix + i * task.stride + first, task.stride, x, count,
                                           task.y + i * task.y_step, task.y_step, first > 0);
    };
    constexpr int rows = parts_of<T> == 2 ? 4 : 8;
    if constexpr (Whole) {
      if (streams == 12) add.template operator()<rows / 2 * 3>();
    }
    if (streams >= 8) add.template operator()<rows>();
    if constexpr (Whole) {
      add.template operator()<4>();
      add.template operator()<rows / 4>();
    }
    add.template operator()<1>();
    first += count;
  }
}

/// Sums for `elements` results, in parts, take `Columns` columns, each times its element of x.
template <class T, int Columns, int Bytes>
[[gnu::always_inline]] inline void add_columns(const T* columns, std::ptrdiff_t stride, const T* x, std::ptrdiff_t step,
                                               std::ptrdiff_t elements, part_t<T>* const* sums) {
  using Real = part_t<T>;
  constexpr int parts = parts_of<T>;
  Real factors[Columns][parts];
  const Real* from[Columns];
  for (int c = 0; c < Columns; ++c) {
    std::memcpy(factors[c], x + c * step, sizeof(T));
    from[c] = reinterpret_cast<const Real*>(columns + c * stride);
  }
  const std::ptrdiff_t reals = elements * parts;
  std::ptrdiff_t i = 0;
  const auto add = [&]<int Width>() __attribute__((always_inline)) {
    using Vector [[gnu::vector_size(Width)]] = Real;
    constexpr std::ptrdiff_t lanes = Width / static_cast<std::ptrdiff_t>(sizeof(Real));
    for (; i + lanes <= reals; i += lanes) {
      Vector sum[parts];
      for (int part = 0; part < parts; ++part) std::memcpy(&sum[part], sums[part] + i, sizeof(Vector));
      for (int c = 0; c < Columns; ++c) {
        Vector column;
        std::memcpy(&column, from[c] + i, sizeof(Vector));
        for (int part = 0; part < parts; ++part) sum[part] += factors[c][part] * column;
      }
      for (int part = 0; part < parts; ++part) std::memcpy(sums[part] + i, &sum[part], sizeof(Vector));
    }
  };
  add.template operator()<Bytes>();
  if constexpr (Bytes > 32) add.template operator()<32>();
  if constexpr (Bytes > 16) add.template operator()<16>();
  for (; i < reals; ++i) {
    for (int c = 0; c < Columns; ++c) {
      for (int part = 0; part < parts; ++part) sums[part][i] += factors[c][part] * from[c][i];
    }
  }
}

/// Sums for `Vectors` vectors of results of all columns from `from` to `end`, which stay in registers. The vectors lie side by side from `first` on,
/// but for the last one, which begins at `last`.
template <class T, int Vectors, int Bytes>
[[gnu::always_inline]] inline void sum_columns(const VectorTask<T>& task, std::ptrdiff_t from, std::ptrdiff_t end,
                                               std::ptrdiff_t first, std::ptrdiff_t last, T* sums) {
  using Vector [[gnu::vector_size(Bytes)]] = T;
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  Vector sum[Vectors] = {};
  const T* column = task.matrix + from * task.stride;
  const T* x = task.x + from * task.step;
  for (std::ptrdiff_t k = from; k < end; ++k, column += task.stride, x += task.step) {
#pragma clang loop unroll(full)
    for (int v = 0; v < Vectors; ++v) {
      Vector elements;
      std::memcpy(&elements, column + (v + 1 < Vectors ? first + v * lanes : last), sizeof(Vector));
      sum[v] += *x * elements;
    }
  }
  std::memcpy(sums + first, sum, (Vectors - 1) * sizeof(Vector));
  std::memcpy(sums + last, &sum[Vectors - 1], sizeof(Vector));
}

/// The sums of columns that a few vectors hold, in the order of add_columns(). The last vector overlaps the one before it where there are not enough
/// results for another. Columns of less than two vectors need no more if these are not `Whole` ones.
template <class T, int Bytes, bool Whole = true>
[[gnu::always_inline]] inline void sum_short_columns(const VectorTask<T>& task, std::ptrdiff_t from, std::ptrdiff_t end,
                                                     T* sums) {
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr int most = Whole ? 8 : 2;
  const std::ptrdiff_t count = task.count;
  if (count < lanes) {
    if constexpr (Bytes > 16) return sum_short_columns<T, Bytes / 2, false>(task, from, end, sums);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      T sum = 0;
      for (std::ptrdiff_t k = from; k < end; ++k) sum += task.x[k * task.step] * task.matrix[k * task.stride + i];
      sums[i] = sum;
    }
    return;
  }
  std::ptrdiff_t i = 0;
  for (; i + most * lanes < count; i += most * lanes)
    sum_columns<T, most, Bytes>(task, from, end, i, i + (most - 1) * lanes, sums);
  const auto sum_rest = [&]<int... Fewer>(std::integer_sequence<int, Fewer...>) __attribute__((always_inline)) {
    const auto vectors = static_cast<int>((count - i + lanes - 1) / lanes);
    ((vectors == Fewer + 1 ? sum_columns<T, Fewer + 1, Bytes>(task, from, end, i, count - lanes, sums) : void()), ...);
  };
  sum_rest(std::make_integer_sequence<int, most>());
}

constexpr std::ptrdiff_t short_column_bytes = 2048;

/// In parts of `depth` columns, straight into the result where that is one part of numbers side by side.
template <class T, int Bytes>
[[gnu::always_inline]] inline void multiply_short_columns_by(const VectorTask<T>& task, std::ptrdiff_t depth) {
  T sums[short_column_bytes / sizeof(T)];
  for (std::ptrdiff_t from = 0; from < task.vectors; from += depth) {
    T* const to = from == 0 && task.y_step == 1 ? task.y : sums;
    sum_short_columns<T, Bytes>(task, from, std::min(task.vectors, from + depth), to);
    if (to != sums) continue;
    for (std::ptrdiff_t i = 0; i < task.count; ++i) {
      T& y = task.y[i * task.y_step];
      y = from == 0 ? sums[i] : y + sums[i];
    }
  }
}

constexpr std::ptrdiff_t page = 4096;

/// Where in `room`, which has a page more than they need, sums stand in their pages a quarter of one away from the columns beside them: a processor
/// that compares positions in pages only takes the element after the next for the sum that it has just written, and waits, half as long again.
template <class Real>
Real* away_from(const void* columns, Real* room) {
  const auto distance = (reinterpret_cast<std::uintptr_t>(columns) - reinterpret_cast<std::uintptr_t>(room)) % page;
  const std::uintptr_t bytes = (distance + page / 4) % page / 64 * 64;
  return reinterpret_cast<Real*>(reinterpret_cast<std::byte*>(room) + bytes);
}

/// The vectors are columns. They are read in order, while the sums for a part of the results stay in a cache.
template <class T, int Bytes>
[[gnu::always_inline]] inline void multiply_columns_by(const VectorTask<T>& task) {
  using Real = part_t<T>;
  constexpr int parts = parts_of<T>;
  constexpr std::ptrdiff_t short_columns = short_column_bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr std::ptrdiff_t most = sums_bytes / static_cast<std::ptrdiff_t>(sizeof(T)) / parts;
  const std::ptrdiff_t depth = depth_of_sums(sizeof(T));
  if constexpr (parts == 1) {
    if (task.count <= short_columns) return multiply_short_columns_by<T, Bytes>(task, depth);
  }
  for (std::ptrdiff_t from = 0; from < task.vectors; from += depth) {
    const std::ptrdiff_t end = std::min(task.vectors, from + depth);
    for (std::ptrdiff_t first = 0; first < task.count; first += most) {
      const std::ptrdiff_t elements = std::min(most, task.count - first);
      alignas(64) Real room[parts][sums_bytes / sizeof(T) + page / sizeof(Real)];
      Real* sums[parts];
      for (int part = 0; part < parts; ++part) {
        sums[part] = away_from(task.matrix + from * task.stride + first, room[part]);
        std::fill_n(sums[part], elements * parts, Real(0));
      }
      std::ptrdiff_t k = from;
      const auto add = [&]<int Columns>() __attribute__((always_inline)) {
        for (; k + Columns <= end; k += Columns)
          add_columns<T, Columns, Bytes>(task.matrix + k * task.stride + first, task.stride, task.x + k * task.step,
                                         task.step, elements, sums);
      };
      const int streams = streams_of<T>(elements, task.stride);
      if (streams == 12) add.template operator()<12>();
      if (streams >= 8) add.template operator()<8>();
      if (end - k == 7) add.template operator()<7>();
      if (end - k == 6) add.template operator()<6>();
      if (end - k == 5) add.template operator()<5>();
      add.template operator()<4>();
      add.template operator()<3>();
      add.template operator()<2>();
      add.template operator()<1>();
      if (parts == 1 && task.y_step == 1 && from == 0) {
        std::memcpy(task.y + first, sums[0], static_cast<std::size_t>(elements) * sizeof(T));
        continue;
      }
      for (std::ptrdiff_t i = 0; i < elements; ++i) {
        T* to = task.y + (first + i) * task.y_step;
        T sum;
        if constexpr (parts == 1) {
          sum = sums[0][i];
        } else {
          sum = {sums[0][2 * i] - sums[1][2 * i + 1], sums[0][2 * i + 1] + sums[1][2 * i]};
        }
        *to = from == 0 ? sum : *to + sum;
      }
    }
  }
}

template <class T>
struct VectorLoops {
  static void rows_baseline(const VectorTask<T>& task) { multiply_rows<T, 16>(task); }
  static void columns_baseline(const VectorTask<T>& task) { multiply_columns_by<T, 16>(task); }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void rows_avx2(const VectorTask<T>& task) {
    multiply_rows<T, 32>(task);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void columns_avx2(const VectorTask<T>& task) {
    multiply_columns_by<T, 32>(task);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void rows_avx512(
      const VectorTask<T>& task) {
    multiply_rows<T, 64>(task);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void columns_avx512(
      const VectorTask<T>& task) {
    multiply_columns_by<T, 64>(task);
  }
};

template <class T>
void run_vector(const VectorTask<T>& task, bool by_rows) {
  using Loops = VectorLoops<T>;
  switch (device::isa()) {
    case device::Isa::avx512: return by_rows ? Loops::rows_avx512(task) : Loops::columns_avx512(task);
    case device::Isa::avx2: return by_rows ? Loops::rows_avx2(task) : Loops::columns_avx2(task);
    case device::Isa::baseline: break;
  }
  by_rows ? Loops::rows_baseline(task) : Loops::columns_baseline(task);
}

template <class T>
void multiply_vector_of(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  T* y = static_cast<T*>(c);
  switch (way) {
    case ProductWay::rows: return run_vector(VectorTask<T>{a, p.a_row, p.rows, p.inner, b, p.b_row, y, c_row}, true);
    case ProductWay::columns:
      return run_vector(VectorTask<T>{a, p.a_column, p.inner, p.rows, b, p.b_row, y, c_row}, false);
    case ProductWay::row_by_columns:
      return run_vector(VectorTask<T>{b, p.b_column, p.columns, p.inner, a, p.a_column, y, 1}, true);
    case ProductWay::row_by_rows:
      return run_vector(VectorTask<T>{b, p.b_row, p.inner, p.columns, a, p.a_column, y, 1}, false);
    default: break;
  }
}

constexpr std::ptrdiff_t least_shared_bytes = std::ptrdiff_t{1} << 20;

template <class T>
bool multiply_alone(const SmallFactors& f) {
  const std::ptrdiff_t bytes = f.rows * f.columns * f.inner * static_cast<std::ptrdiff_t>(sizeof(T));
  if (bytes >= least_shared_bytes && num_threads() > 1) return false;
  const auto* const a = static_cast<const T*>(f.a);
  const auto* const b = static_cast<const T*>(f.b);
  auto* const y = static_cast<T*>(f.c);
  switch (way_beside_vector(std::is_same_v<T, float> ? DType::float32 : DType::float64,
                            {f.rows, f.inner, f.a_row, f.a_column}, {f.inner, f.columns, f.b_row, 1})) {
    case ProductWay::rows: run_vector(VectorTask<T>{a, f.a_row, f.rows, f.inner, b, f.b_row, y, f.c_row}, true); break;
    case ProductWay::columns:
      run_vector(VectorTask<T>{a, f.a_column, f.inner, f.rows, b, f.b_row, y, f.c_row}, false);
      break;
    case ProductWay::row_by_rows:
      run_vector(VectorTask<T>{b, f.b_row, f.inner, f.columns, a, f.a_column, y, 1}, false);
      break;
    default: return false;
  }
  return true;
}

}  // namespace

bool multiply_vector_alone(float, const SmallFactors& factors) { return multiply_alone<float>(factors); }
bool multiply_vector_alone(double, const SmallFactors& factors) { return multiply_alone<double>(factors); }

void multiply_vector(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  switch (p.dtype) {
    case DType::float64: return multiply_vector_of<double>(p, way, c, c_row);
    case DType::complex64: return multiply_vector_of<std::complex<float>>(p, way, c, c_row);
    case DType::complex128: return multiply_vector_of<std::complex<double>>(p, way, c, c_row);
    default: return multiply_vector_of<float>(p, way, c, c_row);
  }
}

}  // namespace tessera::plan
