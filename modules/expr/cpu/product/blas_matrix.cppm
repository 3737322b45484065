module;
#include <cstddef>
export module tessera.expr:blas_matrix;
import tessera.core;

// What a BLAS, on a CPU or a GPU, takes as a matrix or a vector.
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

/// A call of the BLAS takes the left or right factor as it lies: as a matrix, or as a vector where it has one row on the left or one column on
/// the right. bfloat16 is multiplied as matrices only.
bool is_blas_factor(const Matrix& matrix, bool left, bool bfloat16_factors);

/// A BLAS has products of this type.
bool has_blas(DType dtype);

}  // namespace tessera::plan
