module;
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// From types, extents and strides to a way.
namespace tessera::plan {

namespace {

bool is_converted(const TiledProduct& p) { return p.a_type != p.dtype || p.b_type != p.dtype; }

ProductWay way_of_blas(const TiledProduct& p, std::ptrdiff_t c_row) {
  constexpr std::ptrdiff_t most_int = std::numeric_limits<int>::max();
  if (p.a_type == DType::bfloat16 && p.b_type == DType::bfloat16) return ProductWay::blas_matrices;
  if (is_converted(p)) return ProductWay::nothing;
  if (std::max({p.rows, p.columns, p.inner, std::abs(c_row)}) > most_int) return ProductWay::nothing;
  const bool a_is_matrix = is_blas_matrix(p.rows, p.inner, p.a_row, p.a_column);
  const bool b_is_matrix = is_blas_matrix(p.inner, p.columns, p.b_row, p.b_column);
  if (p.columns == 1 && a_is_matrix && is_blas_vector(p.inner, p.b_row)) return ProductWay::blas_matrix_by_vector;
  if (p.rows == 1 && b_is_matrix && is_blas_vector(p.inner, p.a_column)) return ProductWay::blas_vector_by_matrix;
  return a_is_matrix && b_is_matrix ? ProductWay::blas_matrices : ProductWay::nothing;
}

/// So few that they would fill a small part of a vector, beside rows or columns that do.
bool are_few(DType dtype, std::ptrdiff_t vectors, std::ptrdiff_t inner) {
  constexpr std::ptrdiff_t least_bytes = 128;
  const std::ptrdiff_t most = dtype == DType::float32 ? 4 : dtype == DType::float64 ? 3 : 0;
  return vectors > 1 && vectors <= most && inner * item_size(dtype) >= least_bytes;
}

ProductWay way_beside_few(const TiledProduct& p) {
  if (p.dtype != DType::float32 && p.dtype != DType::float64) return ProductWay::blocks;
  if (p.a_loop != nullptr || p.b_loop != nullptr) return ProductWay::blocks;
  if (are_few(p.dtype, p.columns, p.inner) && p.a_column == 1) return ProductWay::few_columns;
  if (are_few(p.dtype, p.rows, p.inner) && p.b_row == 1) return ProductWay::few_rows;
  const bool by_rows = p.rows <= 4 && p.b_column == 1;
  if (p.columns <= 4 && p.a_row == 1 && (!by_rows || p.rows >= p.columns)) return ProductWay::few_columns_by_columns;
  return by_rows ? ProductWay::few_rows_by_rows : ProductWay::blocks;
}

}  // namespace

bool is_for_blas(DType factors, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner) {
  if (!blas::is_chosen()) return false;
  if (factors == DType::bfloat16) return blas::has_bfloat16();
  return has_blas(factors) && !is_small_product(factors, rows, columns, inner);
}

ProductWay way_beside_vector(DType dtype, const Matrix& a, const Matrix& b) {
  if (b.columns == 1 && a.column == 1) return ProductWay::rows;
  if (a.rows == 1 && b.row == 1) return ProductWay::row_by_columns;
  if (b.columns == 1 && a.row == 1)
    return are_few(dtype, a.rows, b.rows) && b.row == 1 ? ProductWay::few_rows : ProductWay::columns;
  if (a.rows == 1 && b.column == 1)
    return are_few(dtype, b.columns, b.rows) && a.column == 1 ? ProductWay::few_columns : ProductWay::row_by_rows;
  return ProductWay::blocks;
}

EvaluatedFactors evaluated_factors(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner) {
  const bool blocks = has_blas(dtype) && !blas::is_chosen() && rows > 1 && columns > 1 && inner > 0 &&
                      !is_small_product(dtype, rows, columns, inner);
  return {.a = blocks,
          .b = blocks && rows <= most_block_rows};  // beyond them each block of rows would evaluate b again
}

ProductWay way_of(const TiledProduct& p, std::ptrdiff_t c_row) {
  if (p.rows == 0 || p.columns == 0) return ProductWay::nothing;
  if (p.inner == 0) return ProductWay::zeros;
  if (multiplies_bytes(p.a_type, p.b_type, p.dtype)) return ProductWay::blocks;
  const bool converts = is_converted(p);
  if (!has_blas(p.dtype) || (!converts && is_small_product(p.dtype, p.rows, p.columns, p.inner)))
    return ProductWay::registers;
  if (is_for_blas(p.a_type, p.rows, p.columns, p.inner)) {
    const ProductWay way = way_of_blas(p, c_row);
    if (way != ProductWay::nothing) return way;
  }
  if (converts) return ProductWay::blocks;
  if (is_small_product(p)) return ProductWay::registers;
  const ProductWay way =
      way_beside_vector(p.dtype, {p.rows, p.inner, p.a_row, p.a_column}, {p.inner, p.columns, p.b_row, p.b_column});
  return way == ProductWay::blocks && p.rows > 1 && p.columns > 1 ? way_beside_few(p) : way;
}

}  // namespace tessera::plan
