module;
#include <memory>
#include <source_location>
module tessera.memory;
import tessera.core;
import tessera.device;

// Allocations with which streams work.
namespace tessera::memory {

void Allocation::allocate_for_streams(std::source_location where) {
  uses_ = std::make_unique<device::StreamUses>();
  if (place_.kind() == PlaceKind::gpu) {
    pointer_ = alloc(device::Stream::current(GpuPlace{place_.ordinal()}), bytes_, *uses_, where);
    return;
  }
  collect_freed(place_);
  pointer_ = pool_->allocate(bytes_, block_alignment, where);
}

void Allocation::free_after_uses() noexcept { free(place_, pointer_, bytes_, *uses_); }

// Work that failed has ended too, and its error is told to those who read what it should have written.
void Allocation::wait_for_uses() noexcept {
  try {
    uses_->wait_for_writing();
  } catch (...) {
  }
}

}  // namespace tessera::memory
