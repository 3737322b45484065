module;
#include <cstddef>
export module tessera.expr:multiply;
import tessera.core;
import :plan;
import :lowering;
import :product_way;

// One product on one thread.
namespace tessera::plan {

/// Bytes of memory beside the factors and the result that multiply() needs.
std::ptrdiff_t workspace_bytes(const TiledProduct& product, ProductWay way);

/// target = a b on the calling thread; `workspace` is aligned to 64 bytes. The product, or the one of which it is a tile, has this way. Throws
/// DeviceError if a BLAS is chosen and cannot be opened.
void multiply(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row, std::byte* workspace);

}  // namespace tessera::plan
