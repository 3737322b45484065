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

// Products by tiles may be handed over a few rows at a time: tiles multiply faster than the L3 cache takes and gives back sums, so that what is done with them is
// done while they are in the L2 cache, and b is packed once all the same.

/// Sums of some rows and columns of a product, rows `row` elements apart.
struct ProductStrip {
  std::ptrdiff_t first_row, rows, first_column, columns;
  const void* values;
  std::ptrdiff_t row;
};

/// The product, which is done in blocks, is multiplied by tiles, and its inner extent is not cut.
bool comes_in_strips(const TiledProduct& product);

/// Bytes of memory that multiply_in_strips() needs.
std::ptrdiff_t product_strips_bytes(const TiledProduct& product);

/// Calls body with all strips on the calling thread, with the values that multiply_blocked() has. `workspace` is aligned to 64 bytes. Throws what body throws.
void multiply_in_strips(const TiledProduct& product, std::byte* workspace,
                        const std::function<void(const ProductStrip&)>& body);

}  // namespace tessera::plan
