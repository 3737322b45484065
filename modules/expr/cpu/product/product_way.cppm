module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:product_way;
import tessera.core;
import :plan;
import :lowering;
import :blas_matrix;

// The decision how a product is computed. It falls once for the whole product, so that no tile of it is computed in another way.
namespace tessera::plan {

/// What multiplies two matrices. The first group are loops of this library on a CPU.
enum class ProductWay : std::uint8_t {
  nothing,                 // the result has no elements
  zeros,                   // nothing is added up
  registers,               // of integers but for bytes that are summed in int32, and of real matrices that are small
  blocks,                  // that fit the caches
  rows,                    // inner products of the rows of a matrix with a column
  columns,                 // the sum of the columns of a matrix, each times an element of a column
  row_by_columns,          // inner products of a row with the columns of a matrix
  row_by_rows,             // the sum of the rows of a matrix, each times an element of a row
  few_columns,             // inner products of the rows of a matrix with a few columns,
  few_rows,                // and of a few rows with the columns of a matrix
  few_columns_by_columns,  // the sums of the columns of a matrix, each times an element of a few columns,
  few_rows_by_rows,        // and of its rows for a few rows
  blas_matrices,           // one call of the BLAS, as are the next two
  blas_matrix_by_vector,
  blas_vector_by_matrix,
  cublas,         // the last two are on GPUs
  device_kernel,  // of this library
};

/// Products of matrices with such elements go to the BLAS that the user has chosen by TESSERA_BLAS, if it takes them as they lie.
bool is_for_blas(DType factors, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner);

/// Which factors, if they are expressions, a product evaluates block by block, each element once.
struct EvaluatedFactors {
  bool a = false, b = false;
};

/// For products of matrices of these extents and elements of type `dtype`.
EvaluatedFactors evaluated_factors(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner);

/// Loops that read each element of a matrix beside a vector once and in order; `blocks` where there are none. A few long columns beside a row are
/// inner products, as they are beside more rows.
ProductWay way_beside_vector(DType dtype, const Matrix& a, const Matrix& b);

/// How a CPU computes the product into rows `c_row` elements apart.
ProductWay way_of(const TiledProduct& product, std::ptrdiff_t c_row);

}  // namespace tessera::plan
