module;
#include <cstddef>
export module tessera.expr:product;
import tessera.core;
import :plan;
import :lowering;
import :product_way;
import :blocked_product;
import :elementwise;

// Matrix products: cut into tiles by shape alone, each of which one thread computes.
namespace tessera::plan {

/// Where a product writes; columns are contiguous.
struct ProductTarget {
  void* data;
  std::ptrdiff_t row;  // stride from one row to the next, in elements
};

/// target = a b, on all threads. Throws as multiply.
void run_product(const TiledProduct& product, const ProductTarget& target);

/// The same if factors in memory lie apart from the target and no BLAS is to multiply them; false, with nothing done, otherwise.
bool multiply_apart(const TiledProduct& product, const ProductTarget& target);

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

/// Tiles of a product, each of which one thread multiplies, or a block of threads of a GPU.
struct ProductGrid {
  std::ptrdiff_t down = 1;    // tiles along the rows
  std::ptrdiff_t across = 1;  // tiles along the columns

  std::ptrdiff_t count() const { return down * across; }
};

/// What run_product() and run_batch() do.
struct ProductPlan {
  BatchedProduct batch;  // whose last axes may have become rows
  ProductTarget target;
  ProductWay way = ProductWay::nothing;
  PackedFactors packed{};       // of the first tile on a CPU
  bool is_symmetric = false;    // only half of it is computed
  std::ptrdiff_t products = 0;  // of the batch
  ProductGrid grid{};           // of each product; 1 x 1 for cuBLAS
  bool by_depth = false;        // its tiles are parts of the inner extent
  std::ptrdiff_t tasks = 1;     // that may run at the same time; calls of cuBLAS
  std::ptrdiff_t together = 1;  // products of one call of cuBLAS
};

/// Tiles that run_product() would cut, of which threads take one after the other.
std::ptrdiff_t tiles_for_threads(const TiledProduct& product);

/// The plan of products with this result.
ProductPlan plan_of(BatchedProduct batch, ProductTarget target);

/// The product's part of run_tiled().
ProductPlan plan_of_tiled(const TiledProduct& product);

/// The elementwise loop that run_tiled() runs after the first tile, whose values are at `values`.
LoopPlan plan_of_first_tile(const Loop& loop, const TiledProduct& product, const void* values);

}  // namespace tessera::plan
