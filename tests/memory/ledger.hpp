// An allocator for pools under test that knows every block it has given out and can be told to run dry.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <map>

/// What the allocator has done; it outlives the pool that owns the allocator.
struct Ledger {
  std::map<void*, std::ptrdiff_t> blocks{};  // given out, with their sizes
  std::ptrdiff_t bytes = 0;
  int calls = 0;
  int first_failure = 0;  // calls [first_failure, last_failure), counted from 0, return null
  int last_failure = 0;
};

/// `Place` is the library's: a header cannot import it.
template <class Place>
class LedgerAllocator {
 public:
  explicit LedgerAllocator(Ledger& ledger) : ledger_(&ledger) {}

  Place place() const { return {}; }

  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = 64) {
    const int call = ledger_->calls++;
    if (call >= ledger_->first_failure && call < ledger_->last_failure) return nullptr;
    void* pointer = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                       static_cast<std::size_t>((bytes + alignment - 1) / alignment * alignment));
    if (pointer == nullptr) return nullptr;
    ledger_->blocks[pointer] = bytes;
    ledger_->bytes += bytes;
    return pointer;
  }

  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    const auto block = ledger_->blocks.find(pointer);
    const bool known = block != ledger_->blocks.end() && block->second == bytes;
    if (!known) {
      FAIL_CHECK("the pool gave back ", pointer, " with ", bytes, " bytes, which are no block");
      return;
    }
    ledger_->bytes -= bytes;
    ledger_->blocks.erase(block);
    std::free(pointer);
  }

 private:
  Ledger* ledger_;
};
