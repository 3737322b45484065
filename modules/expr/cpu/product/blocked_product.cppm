module;
#include <cstddef>
export module tessera.expr:blocked_product;
import tessera.core;
import :plan;
import :lowering;

// Matrix products in blocks that fit the caches, of factors with any strides.
namespace tessera::plan {

/// Rows of a for which a panel of b is packed once.
inline constexpr std::ptrdiff_t most_block_rows = 1024;

/// Factors that are copied, block by block, before they are multiplied; others are read as they lie.
struct PackedFactors {
  bool a = false, b = false;
};

/// Those of multiply_blocked().
PackedFactors packed_factors(const TiledProduct& product);

/// Bytes of memory that multiply_blocked() needs for packed factors and columns that fill no vector.
std::ptrdiff_t blocked_product_bytes(const TiledProduct& product);

/// target = a b on the calling thread, of float32, float64 or complex elements, or of elements of 16 bits to float32, or of 8-bit integers to int32; rows are `c_row` elements apart. An element's products are
/// added up in an order that depends on the inner extent only. `workspace` is aligned to 64 bytes.
void multiply_blocked(const TiledProduct& product, void* c, std::ptrdiff_t c_row, std::byte* workspace);
/// With a workspace of its own. Throws OutOfMemory before anything is written.
void multiply_blocked(const TiledProduct& product, void* c, std::ptrdiff_t c_row);

}  // namespace tessera::plan
