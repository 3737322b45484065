module;
#include <cstddef>
module tessera.expr:product_strips;
import tessera.standard;
import tessera.core;
import :plan;
import :lowering;

// Products by tiles, handed over a few rows at a time: tiles multiply faster than the L3 cache takes and gives back sums, so that what is done with them is done
// while they are in the L2 cache, and b is packed once all the same.
namespace tessera::plan {

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
