module;
#include <cstddef>
#include <memory>
#include <utility>
export module tessera.array:buffer;
import tessera.core;
import tessera.device;
import tessera.memory;

// Storage shared by the arrays that view it.
namespace tessera {

/// One allocation with its size and place. Arrays hold it by shared_ptr; the last one gives the memory back.
export class Buffer {
 public:
  /// Uninitialised. Throws OutOfMemory, or DeviceError if the place does not exist.
  Buffer(Place place, std::ptrdiff_t bytes) : allocation_(place, bytes) {}

  /// Takes over an allocation, which may be a borrowing one.
  explicit Buffer(memory::Allocation allocation) : allocation_(std::move(allocation)) {}

  void* data() const { return allocation_.data(); }
  std::ptrdiff_t bytes() const { return allocation_.bytes(); }
  Place place() const { return allocation_.place(); }
  bool owns() const { return allocation_.owns(); }

 private:
  memory::Allocation allocation_;
};

/// A share of a buffer, or none. It is a shared_ptr whose count is lowered by a call: expressions are full of arrays that have been
/// moved from, and lowering the count in place would make up most of the code that the compiler gets to see.
class BufferShare {
 public:
  inline BufferShare() noexcept : shared_() {}
  BufferShare(std::shared_ptr<Buffer> buffer) noexcept : shared_(std::move(buffer)) {}
  inline BufferShare(const BufferShare& other) noexcept : shared_(other.shared_) {}
  inline BufferShare(BufferShare&& other) noexcept : shared_(std::move(other.shared_)) {}
  BufferShare& operator=(BufferShare other) noexcept {
    shared_.swap(other.shared_);
    return *this;
  }
  ~BufferShare() {
    if (shared_ != nullptr) give_up(shared_);
  }

  inline const std::shared_ptr<Buffer>& get() const noexcept { return shared_; }

 private:
  static void give_up(std::shared_ptr<Buffer>& share) noexcept;

  union {  // so that only the destructor above destroys it
    std::shared_ptr<Buffer> shared_;
  };
};

}  // namespace tessera
