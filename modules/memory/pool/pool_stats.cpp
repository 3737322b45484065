module;
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :pool_state;

// The pool's figures.
namespace tessera::memory {

void PoolState::visit(const std::function<void(const Piece&)>& function) const {
  const std::lock_guard lock(mutex_);
  strategy_->visit(function);
  slabs_->visit(function);
}

Stats PoolState::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_locked();
}

Stats PoolState::stats_locked() const {
  const Holdings held = strategy_->holdings(), slabs = slabs_->holdings();
  Stats stats{.in_use = in_use_,
              .peak = peak_,
              .reserved = meter_.reserved,
              .peak_reserved = meter_.peak_reserved,
              .largest_free = std::max(held.largest_free, slabs.largest_free),
              .limit = meter_.limit,
              .live = live_,
              .allocations = allocations_,
              .system_calls = meter_.calls,
              .histogram = large_sizes_};
  std::array<std::ptrdiff_t, class_count> frees = small_frees_, allocations = small_allocations_;
  // Frees are read before allocations: each free's allocation is then counted too, and no figure is negative.
  for (const ThreadCache* cache : caches_) {
    for (std::size_t i = 0; i < frees.size(); ++i) frees[i] += cache->bins[i].frees.load(std::memory_order_acquire);
    stats.in_use -= cache->freed_bytes() + cache->published;
  }
  for (const ThreadCache* cache : caches_) {
    for (std::size_t i = 0; i < frees.size(); ++i)
      allocations[i] += cache->bins[i].allocations.load(std::memory_order_acquire);
    stats.in_use += cache->allocated_bytes();
    stats.peak = std::max(stats.peak, in_use_ - cache->published + cache->peak());
  }
  stats.peak = std::max(stats.peak, stats.in_use);
  std::ptrdiff_t small_live = 0;
  for (std::size_t i = 0; i < frees.size(); ++i) {
    const std::ptrdiff_t bytes = class_size(static_cast<int>(i));
    small_live += (allocations[i] - frees[i]) * bytes;
    stats.live += allocations[i] - frees[i];
    stats.allocations += allocations[i];
    stats.histogram[size_group(bytes)] += allocations[i];
  }
  stats.allocated = held.allocated + slabs.allocated - small_.slab_bytes() + small_live;
  stats.cached = held.cached + small_.slab_bytes() - small_live;
  return stats;
}

}  // namespace tessera::memory
