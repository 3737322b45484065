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

// Debug mode, traces, growth: a pool that is watched shows each call and uses no caches of threads.
namespace tessera::memory {

struct Watch {
  explicit Watch(Place place) : heap(place) {}

  DebugHeap heap;
  std::atomic<bool> debug{false};
  std::mutex trace_mutex;
  std::unique_ptr<TraceWriter> trace;

  std::atomic<bool> traced{false};    // whether there is a trace
  std::atomic<bool> followed{false};  // whether somebody follows the growth
  std::atomic_flag telling;           // of the next three
  std::function<void(std::ptrdiff_t)> growth;
  std::ptrdiff_t told = 0;  // bytes in use at the last call
  std::ptrdiff_t unknown =
      0;  // bytes in use that the pool's own figure lacks: what caches of threads had not published

  /// Whether somebody wants to see each call.
  bool active() const {
    return debug.load(std::memory_order_relaxed) || traced.load(std::memory_order_relaxed) ||
           followed.load(std::memory_order_relaxed);
  }

  /// Whether nobody wants to see frees, and no block needs to be seen when it is freed.
  bool idle() const {
    return !debug.load(std::memory_order_relaxed) && !traced.load(std::memory_order_relaxed) && heap.empty();
  }

  void trace_allocation(void* pointer, std::ptrdiff_t bytes) {
    if (!traced.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(trace_mutex);
    if (trace) trace->allocated(pointer, bytes);
  }
  void trace_free(void* pointer) {
    if (!traced.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(trace_mutex);
    if (trace) trace->freed(pointer);
  }
};

PoolState::~PoolState() {
  leave_pool(*this, own_number_);
  delete watch_.load(std::memory_order_relaxed);
}

Watch& PoolState::watch() {
  if (Watch* made = watch_.load(std::memory_order_acquire)) return *made;
  auto made = std::make_unique<Watch>(place());
  Watch* expected = nullptr;
  return watch_.compare_exchange_strong(expected, made.get()) ? *made.release() : *expected;
}

void PoolState::use_caches(bool on) noexcept {
  number_.store(on && uses_caches_ ? own_number_ : 0, std::memory_order_relaxed);
  if (!on) trim();
}

void* PoolState::allocate_watched(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  Watch& watch = this->watch();
  if (!watch.debug.load(std::memory_order_relaxed)) {
    void* pointer = allocate_plainly(bytes, alignment);
    watch.trace_allocation(pointer, bytes);
    tell_growth(watch);
    return pointer;
  }
  if (void* pointer = watch.heap.reuse(bytes, alignment, where)) {
    watch.trace_allocation(pointer, bytes);
    return pointer;
  }
  void* base = allocate_plainly(DebugHeap::with_guards(bytes, alignment), alignment);
  try {
    void* pointer = watch.heap.admit(base, bytes, alignment, where);
    watch.trace_allocation(pointer, bytes);
    tell_growth(watch);
    return pointer;
  } catch (...) {
    deallocate_plainly(base);
    throw;
  }
}

void PoolState::tell_growth(Watch& watch) {
  if (!watch.followed.load(std::memory_order_relaxed) || watch.telling.test_and_set(std::memory_order_acquire)) return;
  std::ptrdiff_t now = watch.unknown;
  {
    const std::lock_guard lock(mutex_);
    now += in_use_;
  }
  if (watch.growth && now > watch.told + watch.told / 64) {
    watch.told = now;
    watch.growth(now);
  }
  watch.telling.clear(std::memory_order_release);
}

void PoolState::follow_growth(std::function<void(std::ptrdiff_t)> callback) {
  Watch& watch = this->watch();
  while (watch.telling.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  watch.growth = std::move(callback);
  watch.followed.store(watch.growth != nullptr, std::memory_order_relaxed);
  {
    const std::lock_guard lock(watch.trace_mutex);
    use_caches(!watch.active());
  }
  const std::lock_guard lock(mutex_);
  watch.told = 0;
  watch.unknown = stats_locked().in_use - in_use_;
  watch.telling.clear(std::memory_order_release);
}

namespace {

/// Gives all memory back that debug mode holds. Throws PlaceError if some of it was written to.
void release_kept_blocks(PoolState& pool, Watch& watch) {
  DebugHeap::Released damaged;
  for (auto released = watch.heap.give_up(); released.base != nullptr; released = watch.heap.give_up()) {
    pool.deallocate_plainly(released.base);
    if (damaged.damage.empty()) damaged = released;
  }
  watch.heap.report(damaged);
}

/// Frees a block of debug mode. False if the pointer is none.
bool dismiss(PoolState& pool, Watch& watch, void* pointer) {
  std::optional<DebugHeap::Released> released = watch.heap.dismiss(pointer);
  if (!released) return false;
  watch.trace_free(pointer);
  while (released->base != nullptr) {
    pool.deallocate_plainly(released->base);
    watch.heap.report(*released);
    if (!released->more) break;
    released = watch.heap.give_up();
  }
  if (!watch.debug.load(std::memory_order_relaxed)) release_kept_blocks(pool, watch);  // set_debug has come in between
  return true;
}

}  // namespace

bool PoolState::deallocate_watched(Watch& watch, void* pointer) {
  if (watch.idle()) return deallocate_plainly(pointer);
  if (dismiss(*this, watch, pointer)) return true;
  const bool debug = watch.debug.load(std::memory_order_relaxed);
  // What is no block of debug mode's may be one from before it, but not what lies before a block of its own.
  if (debug && (!is_live(pointer) || watch.heap.is_before_a_block(pointer))) watch.heap.refuse(pointer);
  watch.trace_free(pointer);
  return deallocate_plainly(pointer);
}

void PoolState::set_debug(bool on) {
  Watch& watch = this->watch();
  watch.debug.store(on, std::memory_order_relaxed);
  {
    const std::lock_guard lock(watch.trace_mutex);
    use_caches(!watch.active());
  }
  if (!on) release_kept_blocks(*this, watch);
}

std::string PoolState::leaks() const {
  const Watch* watch = watch_.load(std::memory_order_acquire);
  return watch == nullptr ? std::string() : watch->heap.leaks();
}

void PoolState::start_trace(const std::string& path) {
  Watch& watch = this->watch();
  auto trace = std::make_unique<TraceWriter>(path);
  const std::lock_guard lock(watch.trace_mutex);
  watch.trace = std::move(trace);
  watch.traced.store(true, std::memory_order_relaxed);
  use_caches(false);
}

void PoolState::stop_trace() {
  Watch* watch = watch_.load(std::memory_order_acquire);
  if (watch == nullptr) return;
  std::unique_ptr<TraceWriter> ended;
  const std::lock_guard lock(watch->trace_mutex);
  watch->traced.store(false, std::memory_order_relaxed);
  ended = std::move(watch->trace);
  use_caches(!watch->active());
  if (ended) ended->finish();
}

}  // namespace tessera::memory
