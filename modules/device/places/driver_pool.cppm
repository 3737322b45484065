module;
#include <cstddef>
export module tessera.device:driver_pool;
import tessera.standard;
import tessera.core;
import :place;

// Memory from the pools that the CUDA driver keeps for each GPU.
namespace tessera::device::driver_memory {

/// Uninitialised memory from the default memory pool of the GPU (cuMemAllocAsync), which other libraries of this process may share. It may be used at once, by
/// work of any stream; null when there is no more. Throws DeviceError without that GPU, and where the driver or the GPU has no memory pools.
export void* pool_allocate(GpuPlace place, std::ptrdiff_t bytes);

/// Gives back what pool_allocate returned for the same place, with which no work is under way. Does not wait.
export void pool_free(GpuPlace place, void* pointer) noexcept;

}  // namespace tessera::device::driver_memory
