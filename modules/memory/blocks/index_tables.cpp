module;
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :index_tables;

// Regions of pages from the system for large tables, calloc for small ones.
namespace tessera::memory {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t smallest_large = 1024;  // entries

}  // namespace

IndexTables::~IndexTables() {
  for (const Region& region : regions_) munmap(region.pages, region.bytes);
}

std::uint32_t* IndexTables::allocate(std::size_t entries) {
  const std::size_t bytes = entries * sizeof(std::uint32_t);
  if (entries < smallest_large) {
    void* table = std::calloc(entries, sizeof(std::uint32_t));
    if (table == nullptr) throw std::bad_alloc();
    return static_cast<std::uint32_t*>(table);
  }
  const auto same =
      std::find_if(unused_.begin(), unused_.end(), [&](const Unused& old) { return old.entries == entries; });
  if (same != unused_.end()) {
    std::uint32_t* table = same->table;
    unused_.erase(same);
    return table;
  }
  unused_.reserve(large_count_ + 1);
  if (left_ < bytes) add_region(bytes);
  char* table = next_;
  next_ += bytes;
  left_ -= bytes;
  ++large_count_;
  return reinterpret_cast<std::uint32_t*>(table);
}

void IndexTables::deallocate(std::uint32_t* table, std::size_t entries) noexcept {
  if (entries < smallest_large) {
    std::free(table);
  } else {
    unused_.push_back({table, entries});
  }
}

void IndexTables::add_region(std::size_t bytes) {
  regions_.reserve(regions_.size() + 1);
  const std::size_t size = (bytes + huge_page - 1) / huge_page * huge_page;
  void* pages = mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  regions_.push_back({pages, size + huge_page});
  next_ = static_cast<char*>(pages) + (-reinterpret_cast<std::uintptr_t>(pages) & (huge_page - 1));
  left_ = size;
  madvise(next_, size, MADV_HUGEPAGE);  // advice only: failure changes nothing
}

}  // namespace tessera::memory
