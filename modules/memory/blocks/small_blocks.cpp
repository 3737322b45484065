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

std::ptrdiff_t round_up(std::ptrdiff_t bytes, std::ptrdiff_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Bytes of a class's largest slab: whole pages of the map, of which its blocks leave at most an eighth over.
std::ptrdiff_t largest_slab(int size_class) {
  return map_page % class_size(size_class) <= map_page / 8 ? map_page : 2 * map_page;
}

/// A slab may be as large as all slabs divided by this: if each class has one that is half empty, they are little.
constexpr std::ptrdiff_t slab_part = 64;

/// With this many pages reserved one more, for slabs alone, is little.
constexpr std::ptrdiff_t weightless = 64;

/// Slabs that are looked at for a thread before it gets a new one.
constexpr int most_looked_at = 4;

std::uint32_t magazine_capacity(int size_class) {
  return static_cast<std::uint32_t>(
      std::clamp<std::ptrdiff_t>((256 << 10) / class_size(size_class), 8, most_in_magazine));
}

/// Full magazines that are kept for threads to come, by class.
std::size_t most_full(int size_class) {
  const std::ptrdiff_t bytes = class_size(size_class) * magazine_capacity(size_class);
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>((4 << 20) / bytes, 4, 64));
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
    ::operator delete(slab, std::align_val_t(alignof(Slab)));
  }
}

Slab* SmallBlocks::bare_slab(int size_class, std::uint32_t count) {
  for (Slab** place = &of(size_class).bare; *place != nullptr; place = &(*place)->next) {
    if ((*place)->room >= count) return std::exchange(*place, (*place)->next);
  }
  const std::size_t behind = count <= Slab{}.few.size() ? 0 : count;
  void* memory = ::operator new(sizeof(Slab) + behind * sizeof(SlotState), std::align_val_t(alignof(Slab)));
  auto* slab = new (memory) Slab;
  slab->states = behind == 0 ? slab->few.data() : reinterpret_cast<SlotState*>(slab + 1);
  slab->units = static_cast<std::uint32_t>(class_size(size_class) / 64);
  slab->inverse = ((std::uint64_t{1} << 32) + slab->units - 1) / slab->units;
  slab->room = count;
  slab->size_class = size_class;
  for (std::uint32_t slot = 0; slot < count; ++slot) new (slab->states + slot) SlotState(0);
  slab->next_made = std::exchange(made_, slab);
  return slab;
}

std::ptrdiff_t SmallBlocks::next_slab_size(int size_class) {
  const std::ptrdiff_t size = class_size(size_class);
  const std::ptrdiff_t as_much_again = std::max<std::ptrdiff_t>(of(size_class).out, 1) * size;
  const std::ptrdiff_t wanted = round_up(std::max(as_much_again, slab_bytes_ / slab_part), unit_);
  const std::ptrdiff_t largest = std::max(largest_slab(size_class), unit_);
  return wanted > largest / 2 ? largest : wanted;
}

void* SmallBlocks::memory_for(Slab& slab, std::ptrdiff_t bytes, Growth growth) {
  const std::ptrdiff_t alignment = bytes % map_page == 0 ? map_page : unit_;
  slab.source = strategy_;
  if (void* base = strategy_->allocate(bytes, alignment, growth)) return base;
  const bool weighs = strategy_->reserved() + large_->reserved() < weightless * map_page;
  if (growth == Growth::forbidden && !weighs) return nullptr;
  slab.source = large_;
  return large_->allocate(bytes, alignment, Growth::forbidden);
}

Slab* SmallBlocks::add_slab(int size_class, std::ptrdiff_t bytes, Growth growth) {
  const auto count = static_cast<std::uint32_t>(bytes / class_size(size_class));
  Slab* slab = bare_slab(size_class, count);
  void* base = nullptr;
  try {
    base = memory_for(*slab, bytes, growth);
    if (base != nullptr) map_->prepare_parts(base, bytes);
  } catch (...) {
    if (base != nullptr) slab->source->deallocate(base);
    slab->next = std::exchange(of(size_class).bare, slab);
    throw;
  }
  if (base == nullptr) {
    slab->next = std::exchange(of(size_class).bare, slab);
    return nullptr;
  }
  slab->base = static_cast<char*>(base);
  slab->bytes = bytes;
  slab->count = count;
  slab->user = nullptr;
  slab->out = 0;
  slab->first_free = 0;
  for (std::uint32_t slot = 0; slot < count; ++slot) slab->states[slot].store(slot + 1, std::memory_order_relaxed);
  slab->below = map_->find(base);
  map_->set_parts(base, bytes, reinterpret_cast<char*>(slab) + 1);
  slab_bytes_ += bytes;
  of(size_class).empty += bytes;
  link(*slab);
  return slab;
}

void SmallBlocks::release(Slab& slab) noexcept {
  unlink(slab);
  of(slab.size_class).empty -= slab.bytes;
  map_->set_parts(slab.base, slab.bytes, slab.below);
  slab.source->deallocate(slab.base);
  slab_bytes_ -= slab.bytes;
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

Slab* SmallBlocks::slab_of(int size_class, const void* user) noexcept {
  // Blocks of one slab have their states in the same lines of the caches, over which two threads would wait for each other.
  Slab* slab = of(size_class).free;
  for (int looked = 0; slab != nullptr && looked < most_looked_at; ++looked, slab = slab->next) {
    if (slab->user == user) return slab;
    if (slab->out > slab->count / 2) continue;
    slab->user = user;
    return slab;
  }
  return nullptr;
}

Slab* SmallBlocks::slab_for(int size_class, const void* user, Growth growth) {
  if (Slab* slab = slab_of(size_class, user)) return slab;
  const std::ptrdiff_t wanted = next_slab_size(size_class), least = round_up(class_size(size_class), unit_);
  Slab* slab = add_slab(size_class, wanted, growth);
  if (slab == nullptr && least < wanted) slab = add_slab(size_class, least, growth);
  if (slab == nullptr) return growth == Growth::allowed ? of(size_class).free : nullptr;
  slab->user = user;
  return slab;
}

Ready SmallBlocks::take(int size_class, const void* user, Growth growth) {
  Slab* slab = slab_for(size_class, user, growth);
  return slab != nullptr ? cut(*slab) : Ready{};
}

Ready SmallBlocks::cut(Slab& slab) noexcept {
  Class& group = of(slab.size_class);
  const std::uint32_t slot = slab.first_free;
  SlotState& state = slab.states[slot];
  slab.first_free = state.load(std::memory_order_relaxed);
  state.store(slot_ready, std::memory_order_relaxed);
  if (slab.out++ == 0) group.empty -= slab.bytes;
  if (slab.first_free == slab.count) unlink(slab);
  ++group.out;
  out_bytes_ += class_size(slab.size_class);
  return {slab.base + std::ptrdiff_t{64} * slot * slab.units, &state};
}

void SmallBlocks::give(Ready block) noexcept {
  Slab& slab = *slab_at(block.pointer);
  Class& group = of(slab.size_class);
  const bool was_used_up = slab.first_free == slab.count;
  block.state->store(slab.first_free, std::memory_order_relaxed);
  slab.first_free = static_cast<std::uint32_t>(block.state - slab.states);
  if (was_used_up) link(slab);
  --group.out;
  out_bytes_ -= class_size(slab.size_class);
  if (--slab.out > 0) return;
  group.empty += slab.bytes;
  const std::ptrdiff_t in_use = group.out * class_size(slab.size_class);
  if (group.empty > std::max(largest_slab(slab.size_class), in_use)) release(slab);  // some stay for what comes next
}

std::uint32_t SmallBlocks::fill(Magazine& magazine, int size_class, std::uint32_t wanted, const void* user,
                                Growth growth) {
  std::uint32_t taken = 0;
  while (taken < wanted && !magazine.full()) {
    Slab* slab = taken == 0 ? slab_for(size_class, user, growth) : slab_of(size_class, user);
    if (slab == nullptr) break;
    for (; slab->first_free != slab->count && taken < wanted && !magazine.full(); ++taken)
      magazine.blocks[magazine.count++] = cut(*slab);
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
  const auto* begin = reinterpret_cast<const char*>(full);  // another thread has filled it
  for (std::size_t line = 0; line < sizeof(Magazine); line += 64) __builtin_prefetch(begin + line, 1);
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

std::ptrdiff_t SmallBlocks::full_bytes() const noexcept {
  std::ptrdiff_t bytes = 0;
  for (int size_class = 0; size_class < class_count; ++size_class) {
    for (const Magazine* magazine : classes_[static_cast<std::size_t>(size_class)].full)
      bytes += magazine->count * class_size(size_class);
  }
  return bytes;
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
