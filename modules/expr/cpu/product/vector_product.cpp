module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Inner products of several rows at a time with one vector, and sums of columns that stay in registers.
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

constexpr std::ptrdiff_t x_elements = 1024;  // of x that are copied side by side

template <class T>
struct RealOf {
  using type = T;
  static constexpr int parts = 1;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
  static constexpr int parts = 2;
};

template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline Vector parts_swapped(Vector v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (static_cast<int>(Lane) ^ 1)...);
}

/// The sum of an inner product's lanes: `straight` of real parts by real parts and imaginary by imaginary, `crossed` of the others.
template <class T, int Lanes>
[[gnu::always_inline]] inline T sum_of(const typename RealOf<T>::type* straight,
                                       const typename RealOf<T>::type* crossed) {
  if constexpr (RealOf<T>::parts == 1) {
    T sum = 0;
    for (int i = 0; i < Lanes; ++i) sum += straight[i];
    return sum;
  } else {
    typename RealOf<T>::type real = 0, imaginary = 0;
    for (int i = 0; i < Lanes; i += 2) {
      real += straight[i] - straight[i + 1];
      imaginary += crossed[i] + crossed[i + 1];
    }
    return {real, imaginary};
  }
}

/// `Rows` inner products with `count` contiguous elements of x, added to y.
template <class T, int Rows, int Bytes>
[[gnu::always_inline]] inline void add_inner_products(const T* matrix, std::ptrdiff_t stride, const T* x,
                                                      std::ptrdiff_t count, T* y, std::ptrdiff_t y_step) {
  using Real = RealOf<T>::type;
  using Vector [[gnu::vector_size(Bytes)]] = Real;
  constexpr int parts = RealOf<T>::parts;
  constexpr int lanes = Bytes / static_cast<int>(sizeof(Real));
  constexpr int unroll = 2;
  constexpr std::ptrdiff_t step = lanes / parts;
  Vector sums[Rows][parts][unroll] = {};
  std::ptrdiff_t k = 0;
  const auto take = [&](int u, std::ptrdiff_t at, std::ptrdiff_t elements) __attribute__((always_inline)) {
    Vector factor = {};
    std::memcpy(&factor, x + at, static_cast<std::size_t>(elements) * sizeof(T));
    for (int r = 0; r < Rows; ++r) {
      Vector row = {};
      std::memcpy(&row, matrix + r * stride + at, static_cast<std::size_t>(elements) * sizeof(T));
      sums[r][0][u] += row * factor;
      if constexpr (parts == 2) sums[r][1][u] += row * parts_swapped(factor, std::make_index_sequence<lanes>());
    }
  };
  for (; k + unroll * step <= count; k += unroll * step) {
    for (int u = 0; u < unroll; ++u) take(u, k + u * step, step);
  }
  for (; k + step <= count; k += step) take(0, k, step);
  if (k < count) take(1, k, count - k);
  for (int r = 0; r < Rows; ++r) {
    Real lane[parts][lanes];
    for (int part = 0; part < parts; ++part) {
      const Vector both = sums[r][part][0] + sums[r][part][1];
      std::memcpy(lane[part], &both, sizeof both);
    }
    y[r * y_step] += sum_of<T, lanes>(lane[0], lane[parts - 1]);
  }
}

/// The vectors are rows: an inner product each.
template <class T, int Bytes>
[[gnu::always_inline]] inline void multiply_rows(const VectorTask<T>& task) {
  for (std::ptrdiff_t i = 0; i < task.vectors; ++i) task.y[i * task.y_step] = T(0);
  T packed[x_elements];
  for (std::ptrdiff_t first = 0; first < task.count; first += x_elements) {
    const std::ptrdiff_t count = std::min(x_elements, task.count - first);
    const T* x = task.x + first * task.step;
    if (task.step != 1) {
      for (std::ptrdiff_t k = 0; k < count; ++k) packed[k] = x[k * task.step];
      x = packed;
    }
    constexpr int rows = RealOf<T>::parts == 2 ? 2 : 4;
    std::ptrdiff_t i = 0;
    for (; i + rows <= task.vectors; i += rows)
      add_inner_products<T, rows, Bytes>(task.matrix + i * task.stride + first, task.stride, x, count,
                                         task.y + i * task.y_step, task.y_step);
    for (; i < task.vectors; ++i)
      add_inner_products<T, 1, Bytes>(task.matrix + i * task.stride + first, task.stride, x, count,
                                      task.y + i * task.y_step, task.y_step);
  }
}

/// `Vectors` vectors of y: the sum of all columns, each times its element of x.
template <class T, int Vectors, int Bytes>
[[gnu::always_inline]] inline void sum_columns(const VectorTask<T>& task, std::ptrdiff_t first,
                                               std::ptrdiff_t elements) {
  using Real = RealOf<T>::type;
  using Vector [[gnu::vector_size(Bytes)]] = Real;
  constexpr int parts = RealOf<T>::parts;
  constexpr std::ptrdiff_t step = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  Vector sums[parts][Vectors] = {};
  for (std::ptrdiff_t k = 0; k < task.vectors; ++k) {
    Real factor[parts];
    std::memcpy(factor, task.x + k * task.step, sizeof(T));
    for (int v = 0; v < Vectors; ++v) {
      Vector column = {};
      const auto bytes = static_cast<std::size_t>(std::min(step, elements - v * step)) * sizeof(T);
      std::memcpy(&column, task.matrix + k * task.stride + first + v * step, bytes);
      for (int part = 0; part < parts; ++part) sums[part][v] += factor[part] * column;
    }
  }
  for (int v = 0; v < Vectors; ++v) {
    Real lane[2][Bytes / sizeof(Real)];
    for (int part = 0; part < parts; ++part) std::memcpy(lane[part], &sums[part][v], Bytes);
    for (std::ptrdiff_t i = 0; i < std::min(step, elements - v * step); ++i) {
      T* to = task.y + (first + v * step + i) * task.y_step;
      if constexpr (parts == 1) {
        *to = lane[0][i];
      } else {
        *to = {lane[0][2 * i] - lane[1][2 * i + 1], lane[0][2 * i + 1] + lane[1][2 * i]};
      }
    }
  }
}

/// The vectors are columns.
template <class T, int Bytes>
[[gnu::always_inline]] inline void multiply_columns_by(const VectorTask<T>& task) {
  constexpr std::ptrdiff_t step = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr int most = RealOf<T>::parts == 2 ? 4 : 8;
  std::ptrdiff_t i = 0;
  for (; i + most * step <= task.count; i += most * step) sum_columns<T, most, Bytes>(task, i, most * step);
  for (; i + step <= task.count; i += step) sum_columns<T, 1, Bytes>(task, i, step);
  if (i < task.count) sum_columns<T, 1, Bytes>(task, i, task.count - i);
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
void multiply_vector_of(const TiledProduct& p, VectorWay way, void* c, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  T* y = static_cast<T*>(c);
  switch (way) {
    case VectorWay::rows: return run_vector(VectorTask<T>{a, p.a_row, p.rows, p.inner, b, p.b_row, y, c_row}, true);
    case VectorWay::columns:
      return run_vector(VectorTask<T>{a, p.a_column, p.inner, p.rows, b, p.b_row, y, c_row}, false);
    case VectorWay::row_by_columns:
      return run_vector(VectorTask<T>{b, p.b_column, p.columns, p.inner, a, p.a_column, y, 1}, true);
    case VectorWay::row_by_rows:
      return run_vector(VectorTask<T>{b, p.b_row, p.inner, p.columns, a, p.a_column, y, 1}, false);
    case VectorWay::none: break;
  }
}

}  // namespace

VectorWay vector_way(const TiledProduct& p) {
  if (p.columns == 1) return p.a_column == 1 ? VectorWay::rows : p.a_row == 1 ? VectorWay::columns : VectorWay::none;
  if (p.rows != 1) return VectorWay::none;
  return p.b_column == 1 ? VectorWay::row_by_rows : p.b_row == 1 ? VectorWay::row_by_columns : VectorWay::none;
}

void multiply_vector(const TiledProduct& p, VectorWay way, void* c, std::ptrdiff_t c_row) {
  switch (p.dtype) {
    case DType::float64: return multiply_vector_of<double>(p, way, c, c_row);
    case DType::complex64: return multiply_vector_of<std::complex<float>>(p, way, c, c_row);
    case DType::complex128: return multiply_vector_of<std::complex<double>>(p, way, c, c_row);
    default: return multiply_vector_of<float>(p, way, c, c_row);
  }
}

}  // namespace tessera::plan
