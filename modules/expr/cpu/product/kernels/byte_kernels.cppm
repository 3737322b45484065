module;
#include <cstddef>
export module tessera.expr:byte_kernels;
import tessera.core;
import :product_kernels;

// The innermost loops of products of 8-bit integers, which are summed in 32 bits.
namespace tessera::plan {

/// The kernels multiply factors of these types, for sums of type `sums`: int8 and uint8 in any mix, for int32.
bool multiplies_bytes(DType a, DType b, DType sums) noexcept;

/// This CPU has an instruction that adds up four products of bytes (AVX512-VNNI). Others multiply pairs that have been widened to 16 bits.
bool has_byte_quads() noexcept;

/// Both factors are packed by byte_packing.cppm. Sums are exact modulo 2^32, so that their order does not matter.
const ProductKernels& byte_kernels();

}  // namespace tessera::plan
