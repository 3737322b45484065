module;
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <thread>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;
import :pool_state;
import :watch;

// What a watched pool does at each call.
namespace tessera::memory {

Watch::Watch(PoolState& pool) : pool_(pool), heap_(pool.place()) {}

/// Whether somebody wants to see each call.
bool Watch::is_active() const {
  return debug_.load(std::memory_order_relaxed) || traced_.load(std::memory_order_relaxed) ||
         followed_.load(std::memory_order_relaxed);
}

/// Whether nobody wants to see frees, and no block needs to be seen when it is freed.
bool Watch::is_idle() const {
  return !debug_.load(std::memory_order_relaxed) && !traced_.load(std::memory_order_relaxed) && heap_.empty();
}

void Watch::trace_allocation(void* pointer, std::ptrdiff_t bytes) {
  if (!traced_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(trace_mutex_);
  if (trace_) trace_->allocated(pointer, bytes);
}

void Watch::trace_free(void* pointer) {
  if (!traced_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(trace_mutex_);
  if (trace_) trace_->freed(pointer);
}

void* Watch::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  if (!debug_.load(std::memory_order_relaxed)) {
    void* pointer = pool_.allocate_plainly(bytes, alignment);
    trace_allocation(pointer, bytes);
    tell_growth();
    return pointer;
  }
  if (void* pointer = heap_.reuse(bytes, alignment, where)) {
    trace_allocation(pointer, bytes);
    return pointer;
  }
  void* base = pool_.allocate_plainly(DebugHeap::with_guards(bytes, alignment), alignment);
  try {
    void* pointer = heap_.admit(base, bytes, alignment, where);
    trace_allocation(pointer, bytes);
    tell_growth();
    return pointer;
  } catch (...) {
    pool_.deallocate_plainly(base);
    throw;
  }
}

void Watch::tell_growth() {
  if (!followed_.load(std::memory_order_relaxed) || telling_.exchange(true, std::memory_order_acquire)) return;
  const std::ptrdiff_t now = unknown_ + pool_.published();
  if (growth_ && now > told_ + told_ / 64) {
    told_ = now;
    growth_(now);
  }
  telling_.store(false, std::memory_order_release);
}

void Watch::follow_growth(std::function<void(std::ptrdiff_t)> callback) {
  while (telling_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  growth_ = std::move(callback);
  followed_.store(growth_ != nullptr, std::memory_order_relaxed);
  {
    const std::lock_guard lock(trace_mutex_);
    pool_.use_caches(!is_active());
  }
  told_ = 0;
  unknown_ = pool_.unpublished();
  telling_.store(false, std::memory_order_release);
}

/// Gives all memory back that debug mode holds. Throws PlaceError if some of it was written to.
void Watch::release_kept_blocks() {
  DebugHeap::Released damaged;
  for (auto released = heap_.give_up(); released.base != nullptr; released = heap_.give_up()) {
    pool_.deallocate_plainly(released.base);
    if (damaged.damage.empty()) damaged = released;
  }
  heap_.report(damaged);
}

/// Frees a block of debug mode. False if the pointer is none.
bool Watch::dismiss(void* pointer) {
  std::optional<DebugHeap::Released> released = heap_.dismiss(pointer);
  if (!released) return false;
  trace_free(pointer);
  while (released->base != nullptr) {
    pool_.deallocate_plainly(released->base);
    heap_.report(*released);
    if (!released->more) break;
    released = heap_.give_up();
  }
  if (!debug_.load(std::memory_order_relaxed)) release_kept_blocks();  // set_debug has come in between
  return true;
}

bool Watch::deallocate(void* pointer) {
  if (is_idle()) return pool_.deallocate_plainly(pointer);
  if (dismiss(pointer)) return true;
  const bool debug = debug_.load(std::memory_order_relaxed);
  // What is no block of debug mode's may be one from before it, but not what lies before a block of its own.
  if (debug && (!pool_.is_live(pointer) || heap_.is_before_a_block(pointer))) heap_.refuse(pointer);
  trace_free(pointer);
  return pool_.deallocate_plainly(pointer);
}

void Watch::set_debug(bool on) {
  debug_.store(on, std::memory_order_relaxed);
  {
    const std::lock_guard lock(trace_mutex_);
    pool_.use_caches(!is_active());
  }
  if (!on) release_kept_blocks();
}

void Watch::start_trace(const std::string& path) {
  auto trace = std::make_unique<TraceWriter>(path);
  const std::lock_guard lock(trace_mutex_);
  trace_ = std::move(trace);
  traced_.store(true, std::memory_order_relaxed);
  pool_.use_caches(false);
}

void Watch::stop_trace() {
  std::unique_ptr<TraceWriter> ended;
  const std::lock_guard lock(trace_mutex_);
  traced_.store(false, std::memory_order_relaxed);
  ended = std::move(trace_);
  pool_.use_caches(!is_active());
  if (ended) ended->finish();
}

}  // namespace tessera::memory
