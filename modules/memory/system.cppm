module;
#include <cstddef>
export module tessera.memory:system;
import tessera.core;
import tessera.device;
import :allocator;

// Allocators that ask the system each time. Pools stand in front of them.
namespace tessera::memory {

/// Host memory aligned to 64 bytes; blocks from 2 MiB are aligned to huge pages and advised to use them.
export class CpuSystemAllocator {
 public:
  Place place() const { return CpuPlace{}; }
  void* allocate(std::ptrdiff_t bytes);
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;
};
static_assert(Allocator<CpuSystemAllocator>);

/// Memory of a GPU, or page-locked host memory, from the CUDA driver. `allocate` throws DeviceError without such a device.
export class DriverSystemAllocator {
 public:
  explicit DriverSystemAllocator(Place place) : place_(place) {}
  Place place() const { return place_; }
  void* allocate(std::ptrdiff_t bytes) { return device::driver_allocate(place_, bytes); }
  void deallocate(void* pointer, std::ptrdiff_t) noexcept { device::driver_free(place_, pointer); }

 private:
  Place place_;
};
static_assert(Allocator<DriverSystemAllocator>);

}  // namespace tessera::memory
