module;
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :pool_state;

// What an allocation tries when there is no more memory: caches, callbacks, announced frees, and then a message with all figures.
namespace tessera::memory {

namespace {

/// Set while the thread is climbing, so that allocations of callbacks do not climb themselves.
constinit thread_local bool climbing = false;

struct Climb {
  Climb() { climbing = true; }
  ~Climb() { climbing = false; }
};

std::string percent(double fraction) { return std::to_string(std::lround(100 * std::max(fraction, 0.0))) + " %"; }

/// What would help, from the figures.
std::string advice(const Stats& stats, std::ptrdiff_t bytes) {
  const std::ptrdiff_t free = stats.reserved - stats.allocated;
  if (stats.limit != PTRDIFF_MAX && bytes > stats.limit - stats.allocated)
    return "raise the limit with memory::set_limit, or free arrays";
  if (free >= bytes && stats.external_fragmentation() > 0.5)
    return "enough is free, but in pieces: allocate the arrays that live longest first, or free those between the "
           "pieces";
  if (stats.limit != PTRDIFF_MAX) return "raise the limit with memory::set_limit, or free arrays";
  return "free arrays that are no longer needed, or use a smaller shape";
}

}  // namespace

void* PoolState::climb_ladder(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  trim();
  if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  if (climbing) fail(bytes);
  const Climb climb;
  if (call_callbacks(bytes)) {
    trim();
    if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  }
  if (void* pointer = wait_for_frees(bytes, alignment)) return pointer;
  fail(bytes);
}

bool PoolState::call_callbacks(std::ptrdiff_t bytes) {
  std::vector<std::shared_ptr<Callback>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    callbacks = callbacks_;
  }
  bool freed = false;
  for (const auto& callback : callbacks) freed = callback->call(bytes) || freed;
  return freed;
}

void* PoolState::wait_for_frees(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  std::unique_lock lock(pending_mutex_);
  const auto deadline = time_after(patience_);
  while (pending_ > 0) {
    const std::uint64_t seen = frees_;
    lock.unlock();
    trim();
    if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
    lock.lock();
    if (!freed_.wait_until(lock, deadline, [&] { return frees_ != seen; })) return nullptr;
  }
  lock.unlock();
  return try_to_allocate(bytes, alignment);
}

void PoolState::tell_waiting() noexcept {
  if (pending_.load(std::memory_order_relaxed) == 0) return;
  {
    const std::lock_guard lock(pending_mutex_);
    ++frees_;
  }
  freed_.notify_all();
}

int PoolState::add_pressure_callback(std::function<bool(std::ptrdiff_t)> callback) {
  auto entry = std::make_shared<Callback>(0, std::move(callback));
  const std::lock_guard lock(mutex_);
  entry->number = ++last_callback_;
  callbacks_.push_back(std::move(entry));
  return last_callback_;
}

void PoolState::remove_pressure_callback(int number) {
  const std::lock_guard lock(mutex_);
  std::erase_if(callbacks_, [&](const auto& callback) { return callback->number == number; });
}

void PoolState::set_patience(std::chrono::milliseconds patience) {
  const std::lock_guard lock(pending_mutex_);
  patience_ = patience;
}

void PoolState::begin_pending() { ++pending_; }

void PoolState::end_pending() noexcept {
  {
    const std::lock_guard lock(pending_mutex_);
    --pending_;
    ++frees_;
  }
  freed_.notify_all();
}

void PoolState::fail(std::ptrdiff_t bytes) const {
  const Stats figures = stats();
  const std::string limit = figures.limit == PTRDIFF_MAX ? "none" : std::to_string(figures.limit);
  const std::string help = advice(figures, bytes);
  throw OutOfMemory(to_string(
      Failure{.operation = "memory::alloc(" + to_string(place()) + ")",
              .problem = std::to_string(bytes) + " bytes were requested; in use " + std::to_string(figures.in_use) +
                         ", reserved " + std::to_string(figures.reserved) + ", peak " + std::to_string(figures.peak) +
                         ", limit " + limit + ", largest free block " + std::to_string(figures.largest_free) +
                         ", fragmentation " + percent(figures.external_fragmentation()),
              .advice = help}));
}

}  // namespace tessera::memory
