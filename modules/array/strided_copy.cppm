module;
#include <cstddef>
export module tessera.array:strided_copy;
import tessera.standard;
import tessera.core;
import tessera.device;

// Copying elements between layouts and places, without knowing their type.
namespace tessera {

/// One side of a copy; strides in elements, one per axis.
export struct StridedMemory {
  void* data;
  std::span<const std::ptrdiff_t> strides;
  Place place;
};

/// Copies all elements of `shape` from one layout to another; the two must not overlap. Throws DeviceError if a
/// device copy fails.
export void copy_strided(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t item_bytes, const StridedMemory& to,
                         const StridedMemory& from);

}  // namespace tessera
