module;
#include <cstddef>
export module tessera.device:driver;
import tessera.standard;
import tessera.core;
import :place;

// Memory of every place through one interface. The CUDA driver library is opened at run time, so that one binary runs
// with and without it; TESSERA_CUDA_DRIVER names another library to open in its place.
namespace tessera::device {

namespace driver_memory {

/// Uninitialised memory of a GPU, or page-locked host memory, aligned to at least 256 bytes; null when it has no
/// more. Throws DeviceError without such a device, and PlaceError for CpuPlace, whose memory is not the driver's.
export void* driver_allocate(Place place, std::ptrdiff_t bytes);

/// Gives back what driver_allocate returned for the same place.
export void driver_free(Place place, void* pointer) noexcept;

}  // namespace driver_memory

/// Copies bytes between any two places and returns when they have arrived. Throws DeviceError if a place does not exist
/// or the driver reports an error.
export void copy_bytes(void* to, Place to_place, const void* from, Place from_place, std::ptrdiff_t bytes);

}  // namespace tessera::device
