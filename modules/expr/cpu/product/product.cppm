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

/// target = a b, on all threads. Throws as multiply.
void run_product(const TiledProduct& product, const ProductTarget& target);

/// One product for each position of the leading axes of its factors and its result.
struct BatchedProduct {
  TiledProduct matrices;  // of the first position
  int rank = 0;           // of the leading axes
  Axes extents{};
  Axes a_strides{}, b_strides{}, c_strides{};  // along the leading axes; 0 where a factor repeats
};

/// As run_product for every position. The value of a matrix does not depend on the number of threads.
void run_batch(BatchedProduct batch, ProductTarget target);

/// Runs the elementwise loop tile by tile, each after the product's tile that it reads.
void run_tiled(const Loop& loop, const TiledProduct& product);

}  // namespace tessera::plan
