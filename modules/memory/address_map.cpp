module;
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
module tessera.memory;
import tessera.core;
import tessera.device;
import :address_map;

// The tables come from the system as zeroed pages, of which only those that are used become real.
namespace tessera::memory {

namespace {

template <class Table>
Table* new_table() {
  void* pages =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Table*>(pages);  // its atomics are null as they come; a constructor would write every page
}

}  // namespace

AddressMap::AddressMap() : root_(new_table<Root>()) {}

AddressMap::~AddressMap() {
  for (auto& entry : root_->leaves) {
    if (Leaf* leaf = entry.load(std::memory_order_relaxed)) munmap(leaf, sizeof(Leaf));
  }
  munmap(root_, sizeof(Root));
}

void AddressMap::prepare(const void* base, std::ptrdiff_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  const std::uintptr_t last = first + static_cast<std::uintptr_t>(bytes) - 1;
  if (last < first || last >> address_bits != 0) throw std::bad_alloc();  // no such memory exists
  for (std::uintptr_t leaf = first >> (page_bits + leaf_bits); leaf <= last >> (page_bits + leaf_bits); ++leaf) {
    if (root_->leaves[leaf].load(std::memory_order_relaxed) != nullptr) continue;
    root_->leaves[leaf].store(new_table<Leaf>(), std::memory_order_release);
  }
}

void AddressMap::set(const void* base, std::ptrdiff_t bytes, void* value) noexcept {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(base) >> page_bits;
  const std::uintptr_t last =
      (reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(bytes) - 1) >> page_bits;
  for (std::uintptr_t page = first; page <= last; ++page) {
    Leaf* leaf = root_->leaves[page >> leaf_bits].load(std::memory_order_relaxed);
    leaf->pages[page & (leaf_size - 1)].store(value, std::memory_order_release);
  }
}

}  // namespace tessera::memory
