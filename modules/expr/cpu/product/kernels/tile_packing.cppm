module;
#include <cstddef>
module tessera.expr:tile_packing;
import tessera.core;
import :product_kernels;

// The packing of 16-bit floats and of bytes for tile_kernels().
namespace tessera::plan {

struct TilePackers {
  PackStrip a, b;
};

/// For factors of types that multiplies_tiles() has. Rows of a become rows of a multiple of 64 bytes. b becomes words of two floats or four bytes
/// of a column each, which lie beside those of the other columns; 16 such rows of words are a tile's. Zeros follow the last element along the depth;
/// columns that b does not have are left as they are, or have any value. If `width` is more than `padded`, strips of so many columns follow each other.
TilePackers tile_packers(DType a, DType b);

}  // namespace tessera::plan
