module;
#include <cstddef>
export module tessera.array:device_copy;
import tessera.standard;
import tessera.core;
import tessera.device;
import :strided_copy;

// Strided copies in which a GPU takes part.
namespace tessera {

/// Copies along the axes, slowest first, where at least one side is on a GPU: by one copy of bytes or of rows where that is possible, otherwise
/// by a kernel. Strided memory of the host is packed first, or unpacked afterwards.
void copy_with_device(const std::vector<CopyAxis>& axes, const PlacedMemory& to, const PlacedMemory& from);

/// Gives every element of a GPU's row-major memory the value, as work of this thread's stream. Returns false, and does nothing, for values whose bytes
/// do not repeat after four.
bool fill_on_device(void* to, Place place, std::ptrdiff_t count, const void* value, std::ptrdiff_t item_bytes,
                    device::StreamUses& uses);

}  // namespace tessera
