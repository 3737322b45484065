module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// One product on one thread: which call of the BLAS it is, or that it is none.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t most_int = std::numeric_limits<int>::max();

bool fits(std::ptrdiff_t leading, std::ptrdiff_t least) { return leading >= least && leading <= most_int; }

/// matrix x vector: y is cleared first, because a factor 0 for y does not keep its old NaN out of the result in every BLAS.
template <class T>
void multiply_vector(std::ptrdiff_t rows, std::ptrdiff_t columns, const T* matrix, std::ptrdiff_t row,
                     std::ptrdiff_t column, const T* x, std::ptrdiff_t x_step, T* y, std::ptrdiff_t y_step) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) y[i * y_step] = T(0);
  const BlasMatrix as = blas_matrix(rows, columns, row, column);
  const std::ptrdiff_t step = columns == 1 ? 1 : x_step;
  blas::gemv(as.is_transposed
                 ? blas::Gemv<T>{columns, rows, matrix, as.leading, true, x, step, y, rows == 1 ? 1 : y_step}
                 : blas::Gemv<T>{rows, columns, matrix, as.leading, false, x, step, y, rows == 1 ? 1 : y_step});
}

template <class T, class Result = T>
void multiply_matrices(const TiledProduct& p, Result* c, std::ptrdiff_t c_row) {
  const BlasMatrix a = blas_matrix(p.rows, p.inner, p.a_row, p.a_column);
  const BlasMatrix b = blas_matrix(p.inner, p.columns, p.b_row, p.b_column);
  blas::gemm(blas::Gemm<T, Result>{p.rows, p.columns, p.inner, static_cast<const T*>(p.a), a.leading, a.is_transposed,
                                   static_cast<const T*>(p.b), b.leading, b.is_transposed, c,
                                   p.rows == 1 ? std::max(c_row, p.columns) : c_row});
}

/// Extents beyond an int and the rare pairs of vectors that the BLAS cannot take together.
template <class T>
void multiply_slowly(const TiledProduct& p, T* c, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  for (std::ptrdiff_t i = 0; i < p.rows; ++i) {
    T* out = c + i * c_row;
    std::fill_n(out, p.columns, T(0));
    for (std::ptrdiff_t k = 0; k < p.inner; ++k) {
      for (std::ptrdiff_t j = 0; j < p.columns; ++j)
        out[j] += a[i * p.a_row + k * p.a_column] * b[k * p.b_row + j * p.b_column];
    }
  }
}

template <class T>
void multiply_as(const TiledProduct& p, ProductWay way, void* to, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  T* c = static_cast<T*>(to);
  switch (way) {
    case ProductWay::blas_matrix_by_vector:
      return multiply_vector(p.rows, p.inner, a, p.a_row, p.a_column, b, p.b_row, c, c_row);
    case ProductWay::blas_vector_by_matrix:
      return multiply_vector(p.columns, p.inner, b, p.b_column, p.b_row, a, p.a_column, c, std::ptrdiff_t{1});
    case ProductWay::blas_matrices: return multiply_matrices<T>(p, c, c_row);
    default: return multiply_slowly(p, c, c_row);
  }
}

void clear(const TiledProduct& p, void* c, std::ptrdiff_t c_row) {
  const std::ptrdiff_t item = item_size(p.dtype);
  for (std::ptrdiff_t i = 0; i < p.rows; ++i)
    std::memset(static_cast<std::byte*>(c) + i * c_row * item, 0, static_cast<std::size_t>(p.columns * item));
}

}  // namespace

BlasMatrix blas_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row, std::ptrdiff_t column) {
  const std::ptrdiff_t by_rows = rows == 1 ? columns : row;
  if ((column == 1 || columns == 1) && fits(by_rows, columns)) return {by_rows, false};
  return {columns == 1 ? rows : column, true};
}

bool is_blas_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row, std::ptrdiff_t column) {
  const std::ptrdiff_t by_rows = rows == 1 ? columns : row;
  const std::ptrdiff_t by_columns = columns == 1 ? rows : column;
  return ((column == 1 || columns == 1) && fits(by_rows, columns)) ||
         ((row == 1 || rows == 1) && fits(by_columns, rows));
}

bool is_blas_vector(std::ptrdiff_t count, std::ptrdiff_t step) {
  return count == 1 || (step != 0 && std::abs(step) <= most_int);
}

bool is_blas_factor(const Matrix& m, bool left, bool bfloat16_factors) {
  if (is_blas_matrix(m.rows, m.columns, m.row, m.column)) return true;
  if (bfloat16_factors) return false;
  return left ? m.rows == 1 && is_blas_vector(m.columns, m.column) : m.columns == 1 && is_blas_vector(m.rows, m.row);
}

bool has_blas(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::complex64 || dtype == DType::complex128;
}

ProductWay way_of(const TiledProduct& p, std::ptrdiff_t c_row) {
  if (p.inner == 0) return ProductWay::zeros;
  if (p.bfloat16_factors) return ProductWay::blas_matrices;
  if (!has_blas(p.dtype) || is_small_product(p.dtype, p.rows, p.columns, p.inner)) return ProductWay::own_loops;
  if (std::max({p.rows, p.columns, p.inner, std::abs(c_row)}) > most_int) return ProductWay::plain_loops;
  const bool a_is_matrix = is_blas_matrix(p.rows, p.inner, p.a_row, p.a_column);
  const bool b_is_matrix = is_blas_matrix(p.inner, p.columns, p.b_row, p.b_column);
  if (p.columns == 1 && a_is_matrix && is_blas_vector(p.inner, p.b_row)) return ProductWay::blas_matrix_by_vector;
  if (p.rows == 1 && b_is_matrix && is_blas_vector(p.inner, p.a_column)) return ProductWay::blas_vector_by_matrix;
  return a_is_matrix && b_is_matrix ? ProductWay::blas_matrices : ProductWay::plain_loops;
}

void multiply(const TiledProduct& p, void* c, std::ptrdiff_t c_row) {
  const ProductWay way = way_of(p, c_row);
  if (way == ProductWay::zeros) return clear(p, c, c_row);
  if (way == ProductWay::own_loops) return small_product(p.dtype)(p, c, c_row);
  if (p.bfloat16_factors) return multiply_matrices<bfloat16>(p, static_cast<float*>(c), c_row);
  switch (p.dtype) {
    case DType::float64: return multiply_as<double>(p, way, c, c_row);
    case DType::complex64: return multiply_as<std::complex<float>>(p, way, c, c_row);
    case DType::complex128: return multiply_as<std::complex<double>>(p, way, c, c_row);
    default: return multiply_as<float>(p, way, c, c_row);
  }
}

}  // namespace tessera::plan
