module;
#include <cstddef>
#include <cstdlib>
#include <limits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Strides that the C interface of a BLAS can say.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t most_int = std::numeric_limits<int>::max();

bool fits(std::ptrdiff_t leading, std::ptrdiff_t least) { return leading >= least && leading <= most_int; }

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

}  // namespace tessera::plan
