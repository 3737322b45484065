module;
#include <algorithm>
#include <cstddef>
module tessera.memory;
import tessera.device;
import :meter;

// Counting what goes through a meter.
namespace tessera::memory {

void* Meter::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  if (bytes > limit - reserved) return nullptr;
  ++calls;
  void* pointer = upstream_->allocate(bytes, alignment);
  if (pointer == nullptr) return nullptr;
  reserved += bytes;
  peak_reserved = std::max(peak_reserved, reserved);
  return pointer;
}

void Meter::deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
  upstream_->deallocate(pointer, bytes);
  reserved -= bytes;
}

}  // namespace tessera::memory
