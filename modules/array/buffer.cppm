module;
#include <cstddef>
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

}  // namespace tessera
