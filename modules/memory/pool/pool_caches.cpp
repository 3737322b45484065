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

// What other threads keep: how it is trimmed, and what becomes of it when threads end and processes fork.
namespace tessera::memory {

void PoolState::keep_within_limit() noexcept {
  if (meter_.reserved > meter_.limit) trim_locked();
}

void PoolState::trim_locked() noexcept {
  seize_caches();
  for (ThreadCache* cache : caches_) empty_cache(*cache);
  release_caches();
  small_.trim();
  slabs_->trim();
  strategy_->trim();
}

void PoolState::trim() noexcept {
  const std::lock_guard lock(mutex_);
  trim_locked();
}

void PoolState::set_limit(std::ptrdiff_t bytes) {
  if (bytes < 0) {
    throw ShapeError(
        to_string(Failure{.operation = "memory::set_limit", .problem = std::to_string(bytes) + " bytes are no limit"}));
  }
  const std::lock_guard lock(mutex_);
  meter_.limit = bytes;
  if (bytes < PTRDIFF_MAX) trim_locked();  // what threads keep would be handed out without a look at the limit
}

void PoolState::seize_caches() noexcept {
  if (caches_.empty()) return;
  for (ThreadCache* cache : caches_) cache->seize();
  ThreadCache::fence_all_threads();
  for (const ThreadCache* cache : caches_) cache->wait_for_owner();
}

void PoolState::release_caches() noexcept {
  for (ThreadCache* cache : caches_) cache->release();
}

void PoolState::empty_cache(ThreadCache& cache) noexcept {
  for (Bin& bin : cache.bins) {
    small_.drain(*bin.loaded);
    small_.drain(*bin.other);
  }
}

void PoolState::add_cache(ThreadCache& cache) {
  const std::lock_guard lock(mutex_);
  caches_.push_back(&cache);
}

void PoolState::end_cache(ThreadRecord& record) noexcept {
  ThreadCache* cache =
      record.caches[static_cast<std::size_t>(own_number_)].exchange(nullptr, std::memory_order_relaxed);
  if (cache == nullptr) return;
  const std::lock_guard lock(mutex_);
  publish(*cache);
  empty_cache(*cache);
  for (std::size_t i = 0; i < cache->bins.size(); ++i) {
    Bin& bin = cache->bins[i];
    small_.drop_magazine(bin.loaded);
    small_.drop_magazine(bin.other);
    small_allocations_[i] += bin.allocations.load(std::memory_order_relaxed);
    small_frees_[i] += bin.frees.load(std::memory_order_relaxed);
  }
  std::erase(caches_, cache);
  delete cache;
}

void PoolState::stop() noexcept {
  mutex_.lock();
  seize_caches();
}

void PoolState::resume() noexcept {
  release_caches();
  mutex_.unlock();
}

void PoolState::resume_in_child() noexcept {
  mutex_.forget_waiting();
  resume();
}

}  // namespace tessera::memory
