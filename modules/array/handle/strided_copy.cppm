module;
#include <cstddef>
export module tessera.array:strided_copy;
import tessera.standard;
import tessera.core;
import tessera.device;

// Copying elements between layouts and places, without knowing their type.
namespace tessera {

namespace storage {

/// One side of a copy; strides in elements, one per axis. `uses` is null if no stream works with the memory.
export struct StridedMemory {
  void* data;
  std::span<const std::ptrdiff_t> strides;
  Place place;
  device::StreamUses* uses = nullptr;
};

/// Copies all elements of `shape` from one layout to another; the two must not overlap. Between GPUs, and from pinned memory to a GPU, the copy is work
/// of this thread's stream, after what uses the two; a copy to or from other host memory is done when the function returns. Throws
/// DeviceError if a device copy fails.
export void copy_strided(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t item_bytes, const StridedMemory& to,
                         const StridedMemory& from);

/// An axis that both sides of a copy have; strides in elements.
export struct CopyAxis {
  std::ptrdiff_t extent, to, from;
};

}  // namespace storage
using storage::copy_strided;
using storage::CopyAxis;
using storage::StridedMemory;

/// Copies along the axes, slowest first, on the host.
void copy_on_host(const std::vector<CopyAxis>& axes, std::ptrdiff_t item_bytes, void* to, const void* from);

}  // namespace tessera
