module;
#include <cstddef>
export module tessera.expr:depth_parts;
import tessera.core;
import :plan;
import :lowering;
import :product_way;

// Products of a vector and a matrix whose sums are cut along the inner extent, so that each thread reads memory that lies together.
namespace tessera::plan {

/// The rows of the matrix are to be cut for `tiles` threads, not its columns: there are many, and they are added up.
bool is_cut_by_depth(const TiledProduct& product, ProductWay way, std::ptrdiff_t tiles);

/// target = a b on all threads, in the order of multiply_vector(): sums of so many products that it takes at once are computed apart and added up in their
/// order. Throws OutOfMemory.
void multiply_by_depth(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row,
                       std::ptrdiff_t tiles);

}  // namespace tessera::plan
