module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :small_blocks;

// Slabs and magazines.
namespace tessera::memory {

namespace {

/// Bytes of a slab: whole pages of the map, of which blocks of the class leave at most an eighth over.
std::ptrdiff_t slab_size(int size_class) {
  return map_page % class_size(size_class) <= map_page / 8 ? map_page : 2 * map_page;
}

std::uint32_t magazine_capacity(int size_class) {
  return static_cast<std::uint32_t>(
      std::clamp<std::ptrdiff_t>((256 << 10) / class_size(size_class), 8, most_in_magazine));
}

/// Full magazines that are kept for threads to come, by class.
std::size_t most_full(int size_class) {
  const std::ptrdiff_t bytes = class_size(size_class) * magazine_capacity(size_class);
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>((1 << 20) / bytes, 4, 32));
}

}  // namespace

SmallBlocks::~SmallBlocks() {
  for (Class& group : classes_) {
    for (Magazine* magazine : group.full) delete magazine;
  }
  for (Magazine* magazine : empties_) delete magazine;
  while (made_ != nullptr) {
    Slab* slab = std::exchange(made_, made_->next_made);
    slab->~Slab();
    ::operator delete(slab);
  }
}

Slab* SmallBlocks::bare_slab(int size_class) {
  Class& group = of(size_class);
  if (group.bare != nullptr) return std::exchange(group.bare, group.bare->next);
  const auto count = static_cast<std::uint32_t>(slab_size(size_class) / class_size(size_class));
  auto* slab = new (::operator new(sizeof(Slab) + count * sizeof(SlotState))) Slab;
  slab->units = static_cast<std::uint32_t>(class_size(size_class) / 64);
  slab->inverse = ((std::uint64_t{1} << 32) + slab->units - 1) / slab->units;
  slab->count = count;
  slab->size_class = size_class;
  for (std::uint32_t slot = 0; slot < count; ++slot) new (slab->states() + slot) SlotState(0);
  slab->next_made = std::exchange(made_, slab);
  return slab;
}

Slab* SmallBlocks::add_slab(int size_class) {
  const std::ptrdiff_t bytes = slab_size(size_class);
  Slab* slab = bare_slab(size_class);
  void* base = nullptr;
  try {
    base = strategy_->allocate(bytes, map_page);
  } catch (...) {
    slab->next = std::exchange(of(size_class).bare, slab);
    throw;
  }
  if (base == nullptr) {
    slab->next = std::exchange(of(size_class).bare, slab);
    return nullptr;
  }
  slab->base = static_cast<char*>(base);
  slab->out = 0;
  slab->first_free = 0;
  for (std::uint32_t slot = 0; slot < slab->count; ++slot)
    slab->states()[slot].store(slot + 1, std::memory_order_relaxed);
  slab->below = map_->find(base);
  map_->set(base, bytes, reinterpret_cast<char*>(slab) + 1);
  slab_bytes_ += bytes;
  ++of(size_class).empty;
  link(*slab);
  return slab;
}

void SmallBlocks::release(Slab& slab) noexcept {
  const std::ptrdiff_t bytes = slab_size(slab.size_class);
  unlink(slab);
  --of(slab.size_class).empty;
  map_->set(slab.base, bytes, slab.below);
  strategy_->deallocate(slab.base);
  slab_bytes_ -= bytes;
  slab.next = std::exchange(of(slab.size_class).bare, &slab);
}

void SmallBlocks::link(Slab& slab) noexcept {
  Class& group = of(slab.size_class);
  slab.previous = nullptr;
  slab.next = std::exchange(group.free, &slab);
  if (slab.next != nullptr) slab.next->previous = &slab;
}

void SmallBlocks::unlink(Slab& slab) noexcept {
  if (slab.next != nullptr) slab.next->previous = slab.previous;
  (slab.previous != nullptr ? slab.previous->next : of(slab.size_class).free) = slab.next;
}

Ready SmallBlocks::take(int size_class) {
  Class& group = of(size_class);
  Slab* slab = group.free != nullptr ? group.free : add_slab(size_class);
  if (slab == nullptr) return {};
  const std::uint32_t slot = slab->first_free;
  SlotState& state = slab->states()[slot];
  slab->first_free = state.load(std::memory_order_relaxed);
  state.store(slot_ready, std::memory_order_relaxed);
  if (slab->out++ == 0) --group.empty;
  if (slab->first_free == slab->count) unlink(*slab);
  out_bytes_ += class_size(size_class);
  return {slab->base + std::ptrdiff_t{64} * slot * slab->units, &state};
}

void SmallBlocks::give(Ready block) noexcept {
  Slab& slab = *slab_at(block.pointer);
  Class& group = of(slab.size_class);
  const bool was_used_up = slab.first_free == slab.count;
  block.state->store(slab.first_free, std::memory_order_relaxed);
  slab.first_free = static_cast<std::uint32_t>(block.state - slab.states());
  if (was_used_up) link(slab);
  out_bytes_ -= class_size(slab.size_class);
  if (--slab.out > 0) return;
  if (++group.empty > 1) release(slab);  // one stays for the next allocation
}

std::uint32_t SmallBlocks::fill(Magazine& magazine, int size_class, std::uint32_t wanted) {
  std::uint32_t taken = 0;
  for (; taken < wanted && !magazine.full(); ++taken) {
    const Ready block = take(size_class);
    if (block.pointer == nullptr) break;
    magazine.blocks[magazine.count++] = block;
  }
  std::reverse(magazine.blocks.data(), magazine.blocks.data() + magazine.count);  // lower addresses first
  return taken;
}

void SmallBlocks::drain(Magazine& magazine) noexcept {
  while (magazine.count > 0) give(magazine.blocks[--magazine.count]);
}

bool SmallBlocks::exchange_for_full(Magazine*& empty, int size_class) noexcept {
  Class& group = of(size_class);
  if (group.full.empty()) return false;
  Magazine* full = group.full.back();
  for (const Ready& block : full->blocks) __builtin_prefetch(&block, 1);  // another thread has filled it
  drop_magazine(std::exchange(empty, full));
  group.full.pop_back();
  return true;
}

bool SmallBlocks::exchange_for_empty(Magazine*& full, int size_class) noexcept {
  Class& group = of(size_class);
  if (group.full.size() >= most_full(size_class)) return false;
  try {
    if (group.full.capacity() == 0) group.full.reserve(most_full(size_class));
    Magazine* empty = new_magazine(size_class);
    group.full.push_back(std::exchange(full, empty));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Magazine* SmallBlocks::new_magazine(int size_class) {
  if (empties_.empty()) {
    if (empties_.capacity() <= magazines_) empties_.reserve(2 * magazines_ + 64);
    empties_.push_back(new Magazine);
    ++magazines_;
  }
  Magazine* magazine = empties_.back();
  empties_.pop_back();
  magazine->capacity = magazine_capacity(size_class);
  return magazine;
}

void SmallBlocks::drop_magazine(Magazine* magazine) noexcept {
  if (magazine->capacity > 0) empties_.push_back(magazine);  // there is room for all of them
}

void SmallBlocks::trim() noexcept {
  for (int size_class = 0; size_class < class_count; ++size_class) {
    Class& group = of(size_class);
    for (Magazine* magazine : group.full) {
      drain(*magazine);
      drop_magazine(magazine);
    }
    group.full.clear();
    for (Slab* slab = group.free; slab != nullptr && group.empty > 0;) {
      Slab* next = slab->next;
      if (slab->out == 0) release(*slab);
      slab = next;
    }
  }
}

}  // namespace tessera::memory
