module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:vector_product;
import tessera.core;
import :plan;
import :lowering;

// Products of a matrix and a vector, for which each element of the matrix is read once.
namespace tessera::plan {

/// How a product with a vector reads the matrix.
enum class VectorWay : std::uint8_t {
  none,            // it is none, or the matrix has to be read in blocks
  rows,            // a is a matrix whose rows are contiguous, b a column
  columns,         // a is a matrix whose columns are contiguous, b a column
  row_by_columns,  // a is a row, b a matrix whose columns are contiguous
  row_by_rows,     // a is a row, b a matrix whose rows are contiguous
};

/// Depends on the strides of the factors only.
VectorWay vector_way(const TiledProduct& product);

/// target = a b on the calling thread, of float32, float64 or complex elements, with a way other than none. The order in which the products of an
/// element are added up depends on the way and on the inner extent only.
void multiply_vector(const TiledProduct& product, VectorWay way, void* c, std::ptrdiff_t c_row);

}  // namespace tessera::plan
