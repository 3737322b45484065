module;
#include <cstddef>
export module tessera.expr:symmetric_product;
import tessera.core;
import :plan;
import :lowering;
import :product_way;
import :product;

// Products of a matrix and its own transpose, of which one half is computed and copied to the other.
namespace tessera::plan {

/// The factors are transposes of each other, so that the result is symmetric, and so large that a copy takes less time than half of it. The
/// products and their order are the same on both sides of the diagonal, and so are the bits.
bool is_symmetric_product(const TiledProduct& product, ProductWay way);

/// Stripes of rows in which it is computed.
std::ptrdiff_t symmetric_stripes(const TiledProduct& product);

/// target = a b, of which is_symmetric_product() holds; products on all threads, the copy on this one. Throws OutOfMemory.
void run_symmetric(const TiledProduct& product, ProductWay way, const ProductTarget& target);

}  // namespace tessera::plan
