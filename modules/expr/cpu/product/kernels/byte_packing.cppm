module;
#include <cstddef>
export module tessera.expr:byte_packing;
import tessera.core;
import :product_kernels;

// The packing of 8-bit integers for byte_kernels().
//
// The instruction for four products takes unsigned bytes on the left and signed ones on the right. Bytes of the other kind are moved by 128 when they are
// packed, as (a + 128) b = a b + 128 b and a (b - 128) = a b - 128 a have it; what that adds to a sum stands behind the packed products, in the
// tail of each row and column.
namespace tessera::plan {

struct BytePackers {
  PackStrip a, b;
};

/// For factors of int8 or uint8 each.
BytePackers byte_packers(DType a, DType b);

}  // namespace tessera::plan
