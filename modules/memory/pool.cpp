module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// The pool's bookkeeping: size classes, cached blocks, figures.
namespace tessera::memory {

namespace {

/// Class of a size: eight per doubling, from 64 bytes.
int class_of(std::ptrdiff_t bytes) {
  const auto units = static_cast<std::uint64_t>(bytes <= block_alignment ? 1 : (bytes - 1) / block_alignment + 1);
  if (units <= 8) return static_cast<int>(units) - 1;
  const int shift = std::bit_width(units - 1) - 4;  // units - 1 in [8, 16) << shift
  return 8 * shift + static_cast<int>((units - 1) >> shift);
}

/// Bytes of every block of a class; the largest size whose class_of is this one.
std::ptrdiff_t class_size(int size_class) {
  if (size_class < 8) return block_alignment * (size_class + 1);
  const int shift = size_class / 8 - 1;
  return checked_multiply(static_cast<std::ptrdiff_t>(size_class % 8 + 9) << shift, block_alignment);
}

constexpr std::ptrdiff_t largest_request = PTRDIFF_MAX / 4;  // rounding up to a class cannot overflow below it

}  // namespace

Pool::~Pool() { release_cached(); }

void* Pool::allocate(std::ptrdiff_t bytes) {
  if (bytes < 0) {
    throw ShapeError(to_string(
        Failure{.operation = "memory::alloc", .problem = std::to_string(bytes) + " bytes cannot be allocated"}));
  }
  const std::lock_guard lock(mutex_);
  if (bytes > largest_request) fail(bytes);
  const int size_class = class_of(bytes);
  void* pointer = take(size_class);
  if (pointer == nullptr) fail(bytes);
  try {
    live_.emplace(pointer, Block{bytes, size_class});
  } catch (...) {  // no memory for the bookkeeping: the block stays warm, nothing else has changed
    classes_[static_cast<std::size_t>(size_class)].cached.push_back(pointer);
    throw;
  }
  stats_.in_use += bytes;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  ++stats_.live;
  ++stats_.allocations;
  return pointer;
}

void* Pool::take(int size_class) {
  SizeClass& group = classes_[static_cast<std::size_t>(size_class)];
  if (!group.cached.empty()) {
    void* pointer = group.cached.back();
    group.cached.pop_back();
    return pointer;
  }
  if (group.cached.capacity() <= group.owned) group.cached.reserve(2 * group.owned + 4);
  return take_from_upstream(size_class);
}

void* Pool::take_from_upstream(int size_class) {
  const std::ptrdiff_t size = class_size(size_class);
  const auto within_limit = [&] { return size <= stats_.limit - stats_.reserved; };
  if (!within_limit()) release_cached();
  if (!within_limit()) return nullptr;
  ++stats_.system_calls;
  void* pointer = upstream_->allocate(size);
  if (pointer == nullptr) {
    release_cached();
    pointer = upstream_->allocate(size);
  }
  if (pointer == nullptr) return nullptr;
  ++classes_[static_cast<std::size_t>(size_class)].owned;
  stats_.reserved += size;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  return pointer;
}

void Pool::release_cached() noexcept {
  for (int index = 0; index < class_count; ++index) {
    SizeClass& group = classes_[static_cast<std::size_t>(index)];
    if (group.cached.empty()) continue;
    const std::ptrdiff_t size = class_size(index);
    for (void* pointer : group.cached) upstream_->deallocate(pointer, size);
    stats_.reserved -= size * static_cast<std::ptrdiff_t>(group.cached.size());
    group.owned -= group.cached.size();
    group.cached.clear();
  }
}

void Pool::retire(std::unordered_map<void*, Block>::iterator block) noexcept {
  stats_.in_use -= block->second.requested;
  --stats_.live;
  classes_[static_cast<std::size_t>(block->second.size_class)].cached.push_back(block->first);
  live_.erase(block);
  if (stats_.reserved > stats_.limit) release_cached();
}

void Pool::deallocate(void* pointer) {
  if (pointer == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto block = live_.find(pointer);
  if (block == live_.end()) {
    std::ostringstream text;
    text << pointer << " is not the start of a live allocation";
    throw PlaceError(
        to_string(Failure{.operation = "memory::free(" + to_string(place()) + ")",
                          .problem = text.str(),
                          .advice = "it was freed before, belongs to another place, or points inside a block"}));
  }
  retire(block);
}

void Pool::deallocate(void* pointer, std::ptrdiff_t) noexcept {
  if (pointer == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (const auto block = live_.find(pointer); block != live_.end()) retire(block);
}

void Pool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  release_cached();
}

void Pool::set_limit(std::ptrdiff_t bytes) {
  if (bytes < 0) {
    throw ShapeError(
        to_string(Failure{.operation = "memory::set_limit", .problem = std::to_string(bytes) + " bytes are no limit"}));
  }
  const std::lock_guard lock(mutex_);
  stats_.limit = bytes;
  if (stats_.reserved > stats_.limit) release_cached();
}

Stats Pool::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Pool::fail(std::ptrdiff_t bytes) const {
  const std::string limit = stats_.limit == PTRDIFF_MAX ? "none" : std::to_string(stats_.limit);
  throw OutOfMemory(to_string(
      Failure{.operation = "memory::alloc(" + to_string(place()) + ")",
              .problem = std::to_string(bytes) + " bytes were requested; in use " + std::to_string(stats_.in_use) +
                         ", reserved " + std::to_string(stats_.reserved) + ", peak " + std::to_string(stats_.peak) +
                         ", limit " + limit,
              .advice = stats_.limit == PTRDIFF_MAX ? "free arrays that are no longer needed, or use a smaller shape"
                                                    : "raise the limit with memory::set_limit, or free arrays"}));
}

}  // namespace tessera::memory
