module;
#include <cstddef>
export module tessera.expr:product;
import tessera.core;
import :plan;
import :lowering;

// Matrix products: cut into tiles by shape alone, each tile one single-threaded call of the BLAS.
namespace tessera::plan {

/// Where a product writes; columns are contiguous.
struct ProductTarget {
  void* data;
  std::ptrdiff_t row;  // stride from one row to the next, in elements
};

/// target = a b. float and double go to the BLAS, transposed operands as flags; other types to loops of ours. Throws
/// DeviceError if no BLAS library can be opened.
void run_product(const TiledProduct& product, const ProductTarget& target);

/// Runs the elementwise loop tile by tile, each after the product's tile that it reads.
void run_tiled(const Loop& loop, const TiledProduct& product);

}  // namespace tessera::plan
