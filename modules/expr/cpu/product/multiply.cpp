module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// From a way to the loops or the call of the BLAS that it names.
namespace tessera::plan {

namespace {

/// matrix x vector: y is cleared first, because a factor 0 for y does not keep its old NaN out of the result in every BLAS.
template <class T>
void call_gemv(std::ptrdiff_t rows, std::ptrdiff_t columns, const T* matrix, std::ptrdiff_t row, std::ptrdiff_t column,
               const T* x, std::ptrdiff_t x_step, T* y, std::ptrdiff_t y_step) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) y[i * y_step] = T(0);
  const BlasMatrix as = blas_matrix(rows, columns, row, column);
  const std::ptrdiff_t step = columns == 1 ? 1 : x_step;
  blas::gemv(as.is_transposed
                 ? blas::Gemv<T>{columns, rows, matrix, as.leading, true, x, step, y, rows == 1 ? 1 : y_step}
                 : blas::Gemv<T>{rows, columns, matrix, as.leading, false, x, step, y, rows == 1 ? 1 : y_step});
}

template <class T, class Result = T>
void call_gemm(const TiledProduct& p, Result* c, std::ptrdiff_t c_row) {
  const BlasMatrix a = blas_matrix(p.rows, p.inner, p.a_row, p.a_column);
  const BlasMatrix b = blas_matrix(p.inner, p.columns, p.b_row, p.b_column);
  blas::gemm(blas::Gemm<T, Result>{p.rows, p.columns, p.inner, static_cast<const T*>(p.a), a.leading, a.is_transposed,
                                   static_cast<const T*>(p.b), b.leading, b.is_transposed, c,
                                   p.rows == 1 ? std::max(c_row, p.columns) : c_row});
}

template <class T>
void call_blas(const TiledProduct& p, ProductWay way, void* to, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  T* c = static_cast<T*>(to);
  if (way == ProductWay::blas_matrix_by_vector)
    return call_gemv(p.rows, p.inner, a, p.a_row, p.a_column, b, p.b_row, c, c_row);
  if (way == ProductWay::blas_vector_by_matrix)
    return call_gemv(p.columns, p.inner, b, p.b_column, p.b_row, a, p.a_column, c, std::ptrdiff_t{1});
  call_gemm<T>(p, c, c_row);
}

void clear(const TiledProduct& p, void* c, std::ptrdiff_t c_row) {
  const std::ptrdiff_t item = item_size(p.dtype);
  for (std::ptrdiff_t i = 0; i < p.rows; ++i)
    std::memset(static_cast<std::byte*>(c) + i * c_row * item, 0, static_cast<std::size_t>(p.columns * item));
}

}  // namespace

std::ptrdiff_t workspace_bytes(const TiledProduct& p, ProductWay way) {
  return way == ProductWay::blocks ? blocked_product_bytes(p) : 0;
}

void multiply(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row, std::byte* workspace) {
  switch (way) {
    case ProductWay::zeros: return clear(p, c, c_row);
    case ProductWay::registers: return small_product(p.dtype)(p, c, c_row, {});
    case ProductWay::blocks: return multiply_blocked(p, c, c_row, workspace);
    case ProductWay::rows:
    case ProductWay::columns:
    case ProductWay::row_by_columns:
    case ProductWay::row_by_rows: return multiply_vector(p, way, c, c_row);
    case ProductWay::few_columns:
    case ProductWay::few_rows: return multiply_few(p, way, c, c_row);
    case ProductWay::few_columns_by_columns:
    case ProductWay::few_rows_by_rows: return multiply_few_sums(p, way, c, c_row);
    default: break;
  }
  if (p.a_type == DType::bfloat16) return call_gemm<bfloat16>(p, static_cast<float*>(c), c_row);
  switch (p.dtype) {
    case DType::float64: return call_blas<double>(p, way, c, c_row);
    case DType::complex64: return call_blas<std::complex<float>>(p, way, c, c_row);
    case DType::complex128: return call_blas<std::complex<double>>(p, way, c, c_row);
    default: return call_blas<float>(p, way, c, c_row);
  }
}

}  // namespace tessera::plan
