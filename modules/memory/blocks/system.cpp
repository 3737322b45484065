module;
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;

// Host memory by posix_memalign and mmap, the driver's by the device room.
namespace tessera::memory {

namespace {

constexpr std::ptrdiff_t huge_page = std::ptrdiff_t{2} << 20;
constexpr std::ptrdiff_t smallest_mapped = std::ptrdiff_t{64} << 10;  // a pool's first chunk is a mapping of its own

std::ptrdiff_t round_up(std::ptrdiff_t bytes, std::ptrdiff_t multiple) {
  return core::checked_add(bytes, multiple - 1) & -multiple;
}

char* align_up(char* pointer, std::ptrdiff_t alignment) {
  return pointer + (-reinterpret_cast<std::uintptr_t>(pointer) & static_cast<std::uintptr_t>(alignment - 1));
}

void unmap(char* begin, char* end) {
  if (begin < end) munmap(begin, static_cast<std::size_t>(end - begin));
}

/// Pages of which the first is aligned: more are mapped than needed, and those around go back.
void* map_aligned(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  const std::ptrdiff_t mapped = core::checked_add(bytes, alignment - system_page);
  void* pages =
      mmap(nullptr, static_cast<std::size_t>(mapped), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(pages);
  char* const aligned = align_up(begin, alignment);
  unmap(begin, aligned);
  unmap(aligned + bytes, begin + mapped);
  return aligned;
}

bool is_aligned(const void* pointer, std::ptrdiff_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & static_cast<std::uintptr_t>(alignment - 1)) == 0;
}

}  // namespace

void* CpuSystemAllocator::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  void* const pointer = take(bytes, alignment);
  if (pointer != nullptr) used_->fetch_add(bytes, std::memory_order_relaxed);
  return pointer;
}

void* CpuSystemAllocator::take(std::ptrdiff_t bytes, std::ptrdiff_t alignment) const {
  if (bytes >= smallest_mapped) {
    const bool huge = bytes >= huge_page;
    const std::ptrdiff_t size = round_up(bytes, system_page);
    void* pointer = map_aligned(size, std::max(alignment, huge ? huge_page : system_page));
    if (pointer != nullptr && huge) {
      madvise(pointer, static_cast<std::size_t>(size), MADV_HUGEPAGE);  // advice only: failure changes nothing
    }
    return pointer;
  }
  const std::ptrdiff_t aligned = std::max(alignment, block_alignment);
  const auto size = static_cast<std::size_t>(round_up(std::max<std::ptrdiff_t>(bytes, 1), block_alignment));
  void* pointer = nullptr;
  if (posix_memalign(&pointer, static_cast<std::size_t>(aligned), size) != 0) return nullptr;
  if (contents_ == Contents::zeros) std::memset(pointer, 0, size);
  return pointer;
}

void CpuSystemAllocator::deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
  if (pointer == nullptr) return;
  used_->fetch_sub(bytes, std::memory_order_relaxed);
  if (bytes < smallest_mapped) {
    std::free(pointer);
  } else {
    munmap(pointer, static_cast<std::size_t>((bytes + system_page - 1) & -system_page));
  }
}

DriverMemory default_driver_memory() noexcept {
  const char* wish = std::getenv("TESSERA_GPU_MEMORY");
  return wish != nullptr && std::string_view(wish) == "pool" ? DriverMemory::pool : DriverMemory::plain;
}

void* DriverSystemAllocator::take(std::ptrdiff_t bytes) const {
  return memory_ == DriverMemory::pool ? device::driver_memory::pool_allocate(GpuPlace{place_.ordinal()}, bytes)
                                       : device::driver_memory::driver_allocate(place_, bytes);
}

void DriverSystemAllocator::give_back(void* pointer) const noexcept {
  memory_ == DriverMemory::pool ? device::driver_memory::pool_free(GpuPlace{place_.ordinal()}, pointer)
                                : device::driver_memory::driver_free(place_, pointer);
}

void* DriverSystemAllocator::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  void* const pointer = take_aligned(bytes, alignment);
  if (pointer != nullptr) shifted_->used.fetch_add(bytes, std::memory_order_relaxed);
  return pointer;
}

void* DriverSystemAllocator::take_aligned(std::ptrdiff_t bytes, std::ptrdiff_t alignment) const {
  void* pointer = take(bytes);
  if (pointer == nullptr || is_aligned(pointer, alignment)) return pointer;
  give_back(pointer);
  pointer = take(core::checked_add(bytes, alignment));
  if (pointer == nullptr) return nullptr;
  char* const aligned = align_up(static_cast<char*>(pointer), alignment);
  if (aligned == pointer) return pointer;
  try {
    const std::lock_guard lock(shifted_->mutex);
    shifted_->begins.emplace(aligned, pointer);
  } catch (...) {
    give_back(pointer);
    throw;
  }
  return aligned;
}

void DriverSystemAllocator::deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
  if (pointer != nullptr) shifted_->used.fetch_sub(bytes, std::memory_order_relaxed);
  {
    const std::lock_guard lock(shifted_->mutex);
    if (const auto shifted = shifted_->begins.find(pointer); shifted != shifted_->begins.end()) {
      pointer = shifted->second;
      shifted_->begins.erase(shifted);
    }
  }
  give_back(pointer);
}

}  // namespace tessera::memory
