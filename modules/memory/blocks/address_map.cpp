module;
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>
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
  while (made_ != nullptr) delete std::exchange(made_, made_->next_made);
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
  const auto first = reinterpret_cast<std::uintptr_t>(base) >> page_bits << page_bits;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(bytes) - 1;
  for (std::uintptr_t address = first; address <= last; address += map_page) set_page(page_at(address), value);
}

void AddressMap::prepare_parts(const void* base, std::ptrdiff_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  const std::uintptr_t end = first + static_cast<std::uintptr_t>(bytes);
  if (first % map_page != 0) share(page_at(first));
  if (end % map_page != 0) share(page_at(end));
}

void AddressMap::set_parts(const void* base, std::ptrdiff_t bytes, void* value) noexcept {
  auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::uintptr_t end = address + static_cast<std::uintptr_t>(bytes);
  while (address < end) {
    std::atomic<void*>& page = page_at(address);
    const std::uintptr_t next = std::min(end, (address >> page_bits << page_bits) + map_page);
    if (next - address == map_page) {
      set_page(page, value);
      address = next;
      continue;
    }
    Parts& parts = *parts_of(page.load(std::memory_order_relaxed));
    for (; address < next; address += map_part)
      parts.entries[address >> part_bits & (part_count - 1)].store(value, std::memory_order_release);
    const bool is_shared = std::any_of(std::begin(parts.entries), std::end(parts.entries), [&](const auto& entry) {
      return entry.load(std::memory_order_relaxed) != value;
    });
    if (!is_shared) set_page(page, value);
  }
}

void AddressMap::share(std::atomic<void*>& page) {
  void* const whole = page.load(std::memory_order_relaxed);
  if (parts_of(whole) != nullptr) return;
  if (unused_ == nullptr) {
    auto* made = new Parts;
    made->next_made = std::exchange(made_, made);
    unused_ = made;
  }
  Parts* parts = std::exchange(unused_, unused_->next);
  parts->next = nullptr;
  for (auto& entry : parts->entries) entry.store(whole, std::memory_order_relaxed);
  page.store(reinterpret_cast<char*>(parts) + shared, std::memory_order_release);
}

void AddressMap::set_page(std::atomic<void*>& page, void* value) noexcept {
  if (Parts* parts = parts_of(page.load(std::memory_order_relaxed))) parts->next = std::exchange(unused_, parts);
  page.store(value, std::memory_order_release);
}

}  // namespace tessera::memory
