module;
#include <cstddef>
export module tessera.memory:system;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;

// Allocators that ask the system each time. Pools stand in front of them.
namespace tessera::memory {

/// Bytes of the smallest pages.
inline constexpr std::ptrdiff_t system_page = 4096;

/// What the system's pages hold when they arrive.
export enum class Contents { uninitialised, zeros };

/// Host memory. Blocks from 64 KiB on are pages of their own, from 2 MiB on aligned to huge pages and advised to use them.
/// Nothing is touched here: a page lands at the thread that first writes it. Zeros cost a pass over small blocks only.
export class CpuSystemAllocator {
 public:
  explicit CpuSystemAllocator(Contents contents = Contents::uninitialised)
      : contents_(contents), used_(make_shared_object<std::atomic<std::ptrdiff_t>>(0)) {}
  Place place() const { return CpuPlace{}; }
  /// Bytes that it and its copies have been asked for and not given back.
  std::ptrdiff_t used() const noexcept { return used_->load(std::memory_order_relaxed); }
  /// Null when the system refuses. Throws ShapeError for a size that cannot be rounded up.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment);
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

 private:
  void* take(std::ptrdiff_t bytes, std::ptrdiff_t alignment) const;

  Contents contents_;
  std::shared_ptr<std::atomic<std::ptrdiff_t>> used_;
};
static_assert(Allocator<CpuSystemAllocator>);

/// Where the CUDA driver takes a GPU's memory from.
export enum class DriverMemory {
  plain,  ///< cuMemAlloc and cuMemFree, of which the latter waits for all work of the GPU
  pool,   ///< cuMemAllocAsync and cuMemFreeAsync: the GPU's default memory pool, which other libraries may share
};

/// Plain memory, or what the environment variable TESSERA_GPU_MEMORY says: "plain" or "pool".
export DriverMemory default_driver_memory() noexcept;

/// Memory of a GPU, or page-locked host memory, from the CUDA driver. `allocate` throws DeviceError without such a device, and for a pool where
/// the driver or the GPU has none. Page-locked memory comes from no pool.
export class DriverSystemAllocator {
 public:
  explicit DriverSystemAllocator(Place place, DriverMemory memory = DriverMemory::plain)
      : place_(place),
        memory_(place.kind() == PlaceKind::gpu ? memory : DriverMemory::plain),
        shifted_(make_shared_object<Shifted>()) {}
  Place place() const { return place_; }
  /// Bytes that it and its copies have been asked for and not given back.
  std::ptrdiff_t used() const noexcept { return shifted_->used.load(std::memory_order_relaxed); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment);
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

 private:
  /// Where the driver's blocks begin that were larger than asked for, so that an aligned one lies within.
  struct Shifted {
    std::atomic<std::ptrdiff_t> used{0};
    std::mutex mutex;
    std::unordered_map<void*, void*> begins;
  };

  void* take(std::ptrdiff_t bytes) const;
  void* take_aligned(std::ptrdiff_t bytes, std::ptrdiff_t alignment) const;
  void give_back(void* pointer) const noexcept;

  Place place_;
  DriverMemory memory_;
  std::shared_ptr<Shifted> shifted_;
};
static_assert(Allocator<DriverSystemAllocator>);

/// Bytes in use of a system allocator, as used(place) says them of a pool: what it and its copies have been asked for and not given back.
export template <Allocator A>
  requires requires(const A& allocator) { allocator.used(); }
std::ptrdiff_t used(const A& allocator) {
  return allocator.used();
}

}  // namespace tessera::memory
