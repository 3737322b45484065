module;
#include <cstddef>
export module tessera.memory:allocation;
import tessera.standard;
import tessera.core;
import tessera.device;
import :pool;
import :place_pool;

// A piece of memory of one place with its size: owned, or borrowed from the user.
namespace tessera::memory {

/// Movable, not copyable. An owning allocation gives its memory back to the place's pool; a borrowing one never frees.
export class Allocation {
 public:
  /// No memory, on the CPU.
  Allocation() = default;

  /// Owns `bytes` uninitialised bytes of `place`. Throws OutOfMemory, DeviceError, ShapeError (negative size).
  Allocation(Place place, std::ptrdiff_t bytes)
      : pool_(&pool(place)), pointer_(pool_->allocate(bytes)), bytes_(bytes), place_(place) {}

  /// Memory of the user's that must outlive the allocation. Throws ShapeError for a negative size.
  static Allocation borrow(void* pointer, std::ptrdiff_t bytes, Place place) {
    Allocation borrowed;
    borrowed.pointer_ = pointer;
    borrowed.bytes_ = checked_extent(bytes);
    borrowed.place_ = place;
    return borrowed;
  }

  Allocation(Allocation&& other) noexcept { swap(other); }
  Allocation& operator=(Allocation&& other) noexcept {
    Allocation taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Allocation() {
    if (pool_ != nullptr) pool_->deallocate(pointer_, bytes_);
  }

  void* data() const { return pointer_; }
  std::ptrdiff_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  bool owns() const { return pool_ != nullptr; }

 private:
  void swap(Allocation& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
    std::swap(place_, other.place_);
  }

  Pool* pool_ = nullptr;  // null when borrowed
  void* pointer_ = nullptr;
  std::ptrdiff_t bytes_ = 0;
  Place place_;
};

}  // namespace tessera::memory
