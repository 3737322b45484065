module;
#include <cstddef>
export module tessera.array:device_copy_kernel;
import tessera.standard;
import tessera.core;
import tessera.device;
import :strided_copy;

// Strided copies within one GPU.
namespace tessera {

namespace storage {

/// The width of the indices that a kernel computes: what its extents and strides need, or 64 bits in any case.
export enum class CopyIndices { as_needed, wide };

/// Copies elements within one GPU along the axes, as work of the stream, by one kernel. Without axes there is one element.
export void launch_copy(std::vector<CopyAxis> axes, std::ptrdiff_t item_bytes, void* to, const void* from,
                        device::Stream& stream, CopyIndices indices = CopyIndices::as_needed);

}  // namespace storage
using storage::CopyIndices;
using storage::launch_copy;

}  // namespace tessera
