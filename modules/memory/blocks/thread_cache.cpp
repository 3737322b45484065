module;
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :thread_cache;
import :pool_state;

// Which caches there are: threads come and go, pools come and go, processes fork.
namespace tessera::memory {

constinit thread_local ThreadRecord* thread_record = nullptr;

namespace {

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

bool register_membarrier() noexcept { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

Magazine& no_magazine() {
  static constinit Magazine none{};  // empty and full at once, so that whoever meets it asks for another
  return none;
}

/// Locked before any pool's lock. Never destroyed: threads and pools may end after main.
struct Registry {
  std::mutex mutex;
  std::vector<ThreadRecord*> records;
  std::vector<PoolState*> pools;
  std::array<bool, cached_pools> taken{true};
};

Registry& registry() {
  static Registry& made = *new Registry;
  return made;
}

constinit thread_local bool ending = false;

/// Gives a thread's caches back when it ends.
struct Leaver {
  bool armed = false;
  ~Leaver() {
    ending = true;
    if (thread_record == nullptr) return;
    const std::lock_guard lock(registry().mutex);
    for (PoolState* pool : registry().pools) pool->end_cache(*thread_record);
    std::erase(registry().records, thread_record);
    delete thread_record;
    thread_record = nullptr;
  }
};

thread_local Leaver leaver;

void before_fork() {
  registry().mutex.lock();
  for (PoolState* pool : registry().pools) pool->stop();
}

void after_fork_in_parent() {
  for (PoolState* pool : registry().pools) pool->resume();
  registry().mutex.unlock();
}

/// The other threads do not exist here: what they had is free.
void after_fork_in_child() {
  register_membarrier();
  Registry& all = registry();
  for (PoolState* pool : all.pools) pool->resume_in_child();
  for (ThreadRecord* other : all.records) {
    if (other == thread_record) continue;
    for (PoolState* pool : all.pools) pool->end_cache(*other);
    delete other;
  }
  std::erase_if(all.records, [](const ThreadRecord* other) { return other != thread_record; });
  all.mutex.unlock();
}

}  // namespace

const bool ThreadCache::asymmetric = register_membarrier();

ThreadCache::ThreadCache() {
  for (Bin& bin : bins) bin.loaded = bin.other = &no_magazine();
}

ThreadCache::Kept ThreadCache::kept() const noexcept {
  Kept kept;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::ptrdiff_t blocks = std::ptrdiff_t{bins[i].loaded->count} + bins[i].other->count;
    kept.blocks += blocks;
    kept.bytes += blocks * class_size(static_cast<int>(i));
  }
  return kept;
}

void ThreadCache::wait_for_owner() const noexcept {
  while (busy_.load(std::memory_order_acquire)) std::this_thread::yield();
}

void ThreadCache::fence_all_threads() noexcept {
  if (!asymmetric || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

int enter_pool(PoolState& pool) {
  [[maybe_unused]] static const int forks_are_watched =
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.pools.push_back(&pool);
  const auto unused = std::find(all.taken.begin(), all.taken.end(), false);
  if (unused == all.taken.end()) return 0;
  *unused = true;
  return static_cast<int>(unused - all.taken.begin());
}

void leave_pool(PoolState& pool, int number) noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (ThreadRecord* each : all.records) pool.end_cache(*each);
  std::erase(all.pools, &pool);
  if (number > 0) all.taken[static_cast<std::size_t>(number)] = false;
}

ThreadCache* make_thread_cache(PoolState& pool, int number) noexcept {
  if (ending || number == 0) return nullptr;
  try {
    leaver.armed = true;  // its destructor is registered from here on
    auto cache = std::make_unique<ThreadCache>();
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (thread_record == nullptr) {
      auto made = std::make_unique<ThreadRecord>();
      all.records.push_back(made.get());
      thread_record = made.release();
    }
    pool.add_cache(*cache);
    thread_record->caches[static_cast<std::size_t>(number)].store(cache.get(), std::memory_order_relaxed);
    return cache.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace tessera::memory
