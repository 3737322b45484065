module;
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
module tessera.memory;
import tessera.core;
import tessera.device;

// Host memory by aligned_alloc.
namespace tessera::memory {

namespace {

constexpr std::ptrdiff_t huge_page = std::ptrdiff_t{2} << 20;

}  // namespace

void* CpuSystemAllocator::allocate(std::ptrdiff_t bytes) {
  const std::ptrdiff_t alignment = bytes >= huge_page ? huge_page : block_alignment;
  const std::ptrdiff_t rounded = checked_add(bytes, alignment - 1) / alignment * alignment;
  void* pointer = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
  if (pointer != nullptr && bytes >= huge_page) {
    madvise(pointer, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);  // advice only: failure changes nothing
  }
  return pointer;
}

void CpuSystemAllocator::deallocate(void* pointer, std::ptrdiff_t) noexcept { std::free(pointer); }

}  // namespace tessera::memory
