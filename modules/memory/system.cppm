module;
#include <cstddef>
export module tessera.memory:system;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;

// Allocators that ask the system each time. Pools stand in front of them.
namespace tessera::memory {

/// What the system's pages hold when they arrive.
export enum class Contents { uninitialised, zeros };

/// Host memory. Blocks from 64 KiB on are pages of their own, from 2 MiB on aligned to huge pages and advised to use them.
/// Nothing is touched here: a page lands at the thread that first writes it. Zeros cost a pass over small blocks only.
export class CpuSystemAllocator {
 public:
  explicit CpuSystemAllocator(Contents contents = Contents::uninitialised) : contents_(contents) {}
  Place place() const { return CpuPlace{}; }
  /// Null when the system refuses. Throws ShapeError for a size that cannot be rounded up.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment);
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

 private:
  Contents contents_;
};
static_assert(Allocator<CpuSystemAllocator>);

/// Memory of a GPU, or page-locked host memory, from the CUDA driver. `allocate` throws DeviceError without such a device.
export class DriverSystemAllocator {
 public:
  explicit DriverSystemAllocator(Place place) : place_(place), shifted_(make_shared_object<Shifted>()) {}
  Place place() const { return place_; }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment);
  void deallocate(void* pointer, std::ptrdiff_t) noexcept;

 private:
  /// Where the driver's blocks begin that were larger than asked for, so that an aligned one lies within.
  struct Shifted {
    std::mutex mutex;
    std::unordered_map<void*, void*> begins;
  };

  Place place_;
  std::shared_ptr<Shifted> shifted_;
};
static_assert(Allocator<DriverSystemAllocator>);

}  // namespace tessera::memory
