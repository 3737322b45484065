module;
#include <cstddef>
export module tessera.array:device_copy;
import tessera.standard;
import tessera.core;
import tessera.device;
import :strided_copy;

// Strided copies in which a GPU takes part.
namespace tessera {

/// An axis that both sides of a copy have; strides in elements.
export struct CopyAxis {
  std::ptrdiff_t extent, to, from;
};

/// Copies along the axes, slowest first, on the host.
void copy_on_host(const std::vector<CopyAxis>& axes, std::ptrdiff_t item_bytes, void* to, const void* from);

/// The same where at least one side is on a GPU: by one copy of bytes or of rows where that is possible, otherwise by a kernel. Strided memory of the
/// host is packed first, or unpacked afterwards.
void copy_with_device(const std::vector<CopyAxis>& axes, std::ptrdiff_t item_bytes, const StridedMemory& to,
                      const StridedMemory& from);

/// The width of the indices that a kernel computes: what its extents and strides need, or 64 bits in any case.
export enum class CopyIndices { as_needed, wide };

/// Copies elements within one GPU along the axes, as work of the stream, by one kernel. Without axes there is one element.
export void launch_copy(std::vector<CopyAxis> axes, std::ptrdiff_t item_bytes, void* to, const void* from,
                        Stream& stream, CopyIndices indices = CopyIndices::as_needed);

/// Gives every element of a GPU's row-major memory the value, as work of this thread's stream. Returns false, and does nothing, for values whose bytes
/// do not repeat after four.
bool fill_on_device(void* to, Place place, std::ptrdiff_t count, const void* value, std::ptrdiff_t item_bytes,
                    StreamUses& uses);

}  // namespace tessera
