module;
#include <cstddef>
export module tessera.memory:allocation;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :pool;
import :place_pool;

// A piece of memory of one place with its size: owned, adopted with what keeps it alive, or borrowed from the user.
namespace tessera::memory {

/// Movable, not copyable. An owning allocation gives its memory back to the place's pool; an adopting one drops its share of what keeps the
/// memory alive; a borrowing one never frees. Memory of a GPU is
/// for work on the stream of the thread that allocates it, and can be given back while streams work with it: it is used
/// again by later work of the same stream, or when they have done so.
export class Allocation {
 public:
  /// No memory, on the CPU.
  Allocation() = default;

  /// Owns `bytes` uninitialised bytes of `place`. Throws OutOfMemory, DeviceError, ShapeError (negative size).
  Allocation(Place place, std::ptrdiff_t bytes, std::source_location where = std::source_location::current())
      : pool_(&pool(place)), bytes_(bytes), place_(place) {
    if (place.kind() == PlaceKind::cpu) {
      pointer_ = pool_->allocate(bytes, block_alignment, where);
    } else {
      allocate_for_streams(where);
    }
  }

  /// Memory of the user's that must outlive the allocation. Throws ShapeError for a negative size.
  static Allocation borrow(void* pointer, std::ptrdiff_t bytes, Place place) {
    Allocation borrowed;
    borrowed.pointer_ = pointer;
    borrowed.bytes_ = core::checked_extent(bytes);
    borrowed.place_ = place;
    if (place.kind() != PlaceKind::cpu) borrowed.uses_ = std::make_unique<device::StreamUses>();
    return borrowed;
  }

  /// Memory that `owner` keeps alive, whose last share frees it: a file that is mapped, another library's array. The allocation's share ends
  /// when streams have done their work with the memory. Throws ShapeError for a negative size.
  static Allocation adopt(void* pointer, std::ptrdiff_t bytes, Place place, std::shared_ptr<const void> owner) {
    Allocation adopted = borrow(pointer, bytes, place);
    adopted.owner_ = std::move(owner);
    return adopted;
  }

  Allocation(Allocation&& other) noexcept { swap(other); }  // memory has one owner: an Allocation moves
  Allocation& operator=(Allocation&& other) noexcept {
    Allocation taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Allocation() {
    if (pool_ == nullptr) {
      if (owner_ != nullptr && uses_ != nullptr) wait_for_uses();
      return;
    }
    if (uses_ == nullptr) {
      pool_->deallocate(pointer_, bytes_);
    } else {
      free_after_uses();
    }
  }

  void* data() const { return pointer_; }
  std::ptrdiff_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  [[gnu::always_inline]] inline bool owns() const { return pool_ != nullptr; }

  /// The streams that work with the memory, for those who give them work; null for CpuPlace, with which none works.
  device::StreamUses* uses() const { return uses_.get(); }

 private:
  void allocate_for_streams(std::source_location where);
  void free_after_uses() noexcept;
  void wait_for_uses() noexcept;

  void swap(Allocation& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
    std::swap(place_, other.place_);
    std::swap(uses_, other.uses_);
    std::swap(owner_, other.owner_);
  }

  Pool* pool_ = nullptr;  // null when borrowed
  void* pointer_ = nullptr;
  std::ptrdiff_t bytes_ = 0;
  Place place_;
  std::unique_ptr<device::StreamUses> uses_;
  std::shared_ptr<const void> owner_;  // of adopted memory
};

/// The allocation's memory as shared storage of `T`s: the last owner frees it. The pointer may be offset into it, and so may
/// each of its copies, by the aliasing constructor of shared_ptr.
export template <class T>
std::shared_ptr<T[]> share(Allocation allocation) {
  auto owner = make_shared_object<Allocation>(std::move(allocation));
  return std::shared_ptr<T[]>(owner, static_cast<T*>(owner->data()));
}

}  // namespace tessera::memory
