module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:multiply;
import tessera.core;
import :plan;
import :lowering;

// One product on one thread, and how the BLAS takes its factors.
namespace tessera::plan {

/// The BLAS takes the matrix as it lies, as one whose rows or, with a flag, whose columns are contiguous.
bool is_blas_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row, std::ptrdiff_t column);

/// One operand as the BLAS takes it: contiguous along rows, or along columns as the transposed flag says.
struct BlasMatrix {
  std::ptrdiff_t leading;
  bool is_transposed;
};

/// How the BLAS takes a matrix for which is_blas_matrix holds.
BlasMatrix blas_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row, std::ptrdiff_t column);

/// The BLAS takes the vector as it lies.
bool is_blas_vector(std::ptrdiff_t count, std::ptrdiff_t step);

/// A matrix in memory; strides in elements.
struct Matrix {
  std::ptrdiff_t rows, columns, row, column;
};

/// A product takes the left or right factor as it lies: as a matrix, or as a vector where it has one row on the left or one column on the
/// right. bfloat16 is multiplied as matrices only.
bool is_blas_factor(const Matrix& matrix, bool left, bool bfloat16_factors);

/// Products of this type go to the BLAS unless they are small; others to loops that take any strides.
bool has_blas(DType dtype);

/// What multiplies two matrices.
enum class ProductWay : std::uint8_t {
  nothing,        // the result has no elements
  zeros,          // nothing is added up
  own_loops,      // of integers, and of matrices for which a call of the BLAS would take longer than the product
  blas_matrices,  // one call of the BLAS, as are the next two
  blas_matrix_by_vector,
  blas_vector_by_matrix,
  plain_loops,    // extents beyond an int, and pairs of vectors that the BLAS does not take together
  cublas,         // the last two are on GPUs
  device_kernel,  // of this library
};

/// How multiply() takes a product on a CPU into rows `c_row` elements apart.
ProductWay way_of(const TiledProduct& product, std::ptrdiff_t c_row);

/// target = a b on the calling thread. Factors of types that have a BLAS are as it takes them, or small. Throws DeviceError if no BLAS
/// library can be opened.
void multiply(const TiledProduct& product, void* c, std::ptrdiff_t c_row);

}  // namespace tessera::plan
