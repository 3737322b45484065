module;
#include <cstddef>
export module tessera.array:strided_copy;
import tessera.standard;
import tessera.core;
import tessera.device;

// Copying elements between layouts and places, without knowing their type.
namespace tessera {

namespace storage {

/// Elements along axes whose extents stand beside it, of a type known at run time: what is written, or what is only read.
export struct StridedMemory {
  void* data;
  std::span<const std::ptrdiff_t> strides;  // in elements, one for each axis
  std::ptrdiff_t item;                      // bytes of an element
};

/// One side of a copy. `uses` is null if no stream works with the memory.
export struct PlacedMemory : StridedMemory {
  Place place;
  device::StreamUses* uses = nullptr;
};

/// Copies all elements of `shape` from one layout to another, of items of one size; the two must not overlap. Between GPUs, and from pinned
/// memory to a GPU, the copy is work of this thread's stream, after what uses the two; a copy to or from other host memory is done when the
/// function returns. Throws DeviceError if a device copy fails.
export void copy_strided(std::span<const std::ptrdiff_t> shape, const PlacedMemory& to, const PlacedMemory& from);

/// An axis that both sides of a copy have; strides in elements.
export struct CopyAxis {
  std::ptrdiff_t extent, to, from;
};

}  // namespace storage
using storage::copy_strided;
using storage::CopyAxis;
using storage::PlacedMemory;
using storage::StridedMemory;

/// Copies along the axes, slowest first, on the host.
void copy_on_host(const std::vector<CopyAxis>& axes, std::ptrdiff_t item_bytes, void* to, const void* from);

}  // namespace tessera
