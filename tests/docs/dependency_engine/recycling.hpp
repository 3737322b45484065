// Memory of ended ops for new ones: whoever frees pushes onto a common list, whoever needs memory takes that whole list for itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

// --8<-- [start:recycling]
class Recycled {
 public:
  static void* take(std::size_t bytes) {
    const std::size_t size = size_class(bytes);
    if (size >= classes) return ::operator new(bytes);
    Block*& own = own_[size];
    if (own == nullptr) own = returned_[size].exchange(nullptr, std::memory_order_acquire);
    if (own == nullptr) return ::operator new(size * granule);
    Block* const block = own;
    own = block->next;
    return block;
  }

  static void give(void* memory, std::size_t bytes) noexcept {
    const std::size_t size = size_class(bytes);
    if (size >= classes) return ::operator delete(memory);
    std::atomic<Block*>& head = returned_[size];
    auto* block = ::new (memory) Block{head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed))
      continue;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr std::size_t granule = 64, classes = 16;
  static std::size_t size_class(std::size_t bytes) { return (bytes + granule - 1) / granule; }

  static inline std::array<std::atomic<Block*>, classes> returned_{};
  static inline thread_local std::array<Block*, classes> own_{};
};
// --8<-- [end:recycling]
