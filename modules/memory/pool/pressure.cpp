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
import :pressure;

// Callbacks, announced frees, and then a message with all figures.
namespace tessera::memory {

namespace {

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

bool Pressure::call_callbacks(std::ptrdiff_t bytes) {
  std::vector<std::shared_ptr<Callback>> callbacks;
  {
    const std::lock_guard lock(lock_);
    callbacks = callbacks_;
  }
  bool freed = false;
  for (const auto& callback : callbacks) freed = callback->call(bytes) || freed;
  return freed;
}

void* Pressure::wait_for_frees(const std::function<void*()>& attempt) {
  std::unique_lock lock(pending_mutex_);
  const auto deadline = core::time_after(patience_);
  while (pending_ > 0) {
    const std::uint64_t seen = frees_;
    lock.unlock();
    if (void* pointer = attempt()) return pointer;
    lock.lock();
    if (!freed_.wait_until(lock, deadline, [&] { return frees_ != seen; })) return nullptr;
  }
  return nullptr;
}

void Pressure::tell_waiting() noexcept {
  if (pending_.load(std::memory_order_relaxed) == 0) return;
  {
    const std::lock_guard lock(pending_mutex_);
    ++frees_;
  }
  freed_.notify_all();
}

int Pressure::add_callback(std::function<bool(std::ptrdiff_t)> callback) {
  auto entry = std::make_shared<Callback>(0, std::move(callback));
  const std::lock_guard lock(lock_);
  entry->number = ++last_callback_;
  callbacks_.push_back(std::move(entry));
  return last_callback_;
}

void Pressure::remove_callback(int number) {
  const std::lock_guard lock(lock_);
  std::erase_if(callbacks_, [&](const auto& callback) { return callback->number == number; });
}

void Pressure::set_patience(std::chrono::milliseconds patience) {
  const std::lock_guard lock(pending_mutex_);
  patience_ = patience;
}

void Pressure::begin_pending() { ++pending_; }

void Pressure::end_pending() noexcept {
  {
    const std::lock_guard lock(pending_mutex_);
    --pending_;
    ++frees_;
  }
  freed_.notify_all();
}

void throw_out_of_memory(Place place, const Stats& figures, std::ptrdiff_t bytes) {
  const std::string limit = figures.limit == PTRDIFF_MAX ? "none" : std::to_string(figures.limit);
  const std::string help = advice(figures, bytes);
  throw OutOfMemory(to_string(
      Failure{.operation = "memory::alloc(" + to_string(place) + ")",
              .problem = std::to_string(bytes) + " bytes were requested; in use " + std::to_string(figures.in_use) +
                         ", reserved " + std::to_string(figures.reserved) + ", peak " + std::to_string(figures.peak) +
                         ", limit " + limit + ", largest free block " + std::to_string(figures.largest_free) +
                         ", fragmentation " + percent(figures.external_fragmentation()),
              .advice = help}));
}

}  // namespace tessera::memory
