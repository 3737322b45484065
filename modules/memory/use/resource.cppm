module;
#include <cstddef>
#include <cstdint>
#include <new>
export module tessera.memory:resource;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :pool;
import :place_pool;

// A place's pool for the containers of the standard library.
namespace tessera::memory {

/// Memory of one place for std::pmr containers. The place must be one that the host can write to. Resources of one place compare
/// equal.
export class PlaceResource final : public std::pmr::memory_resource {
 public:
  /// Throws PlaceError for a GPU, whose memory the containers cannot write to, and DeviceError for a place that does not exist.
  explicit PlaceResource(Place place = CpuPlace{});

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  Pool* pool_;
};

/// Temporary memory of a place for algorithms that take an allocator of bytes, as Thrust's do.
export class ByteAllocator {
 public:
  using value_type = char;

  explicit ByteAllocator(Place place) : pool_(&pool(place)) {}
  char* allocate(std::ptrdiff_t bytes) { return static_cast<char*>(pool_->allocate(bytes)); }
  void deallocate(char* pointer, std::size_t bytes) noexcept {
    pool_->deallocate(pointer, static_cast<std::ptrdiff_t>(bytes));
  }
  friend bool operator==(const ByteAllocator&, const ByteAllocator&) = default;

 private:
  Pool* pool_;
};

}  // namespace tessera::memory
