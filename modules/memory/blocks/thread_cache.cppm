module;
#include <cstddef>
#include <cstdint>
module tessera.memory:thread_cache;
import tessera.standard;
import tessera.core;
import tessera.device;
import :small_blocks;

// A thread's own small blocks. Its owner takes and gives blocks without a lock or an atomic read-modify-write; another thread
// may seize it, to trim it.
namespace tessera::memory {

/// The class's blocks of a thread, and how often they came and went.
struct Bin {
  Magazine* loaded;
  Magazine* other;
  std::atomic<std::ptrdiff_t> allocations{0}, frees{0};
};

/// One thread's cache of one pool.
class alignas(64) ThreadCache {
 public:
  ThreadCache();

  /// The owner enters before it touches a bin. False while another thread has the cache.
  inline bool enter() noexcept {
    busy_.store(true, std::memory_order_relaxed);
    if (!asymmetric) std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // seize makes it a fence
    if (!seized_.load(std::memory_order_acquire)) [[likely]]
      return true;
    leave();
    return false;
  }
  inline void leave() noexcept { busy_.store(false, std::memory_order_release); }

  /// Another thread announces that it wants the cache; once fence_all_threads and wait_for_owner have returned it has it.
  inline void seize() noexcept { seized_.store(true, std::memory_order_seq_cst); }
  void wait_for_owner() const noexcept;
  inline void release() noexcept { seized_.store(false, std::memory_order_release); }

  static void fence_all_threads() noexcept;

  /// Counts that only the owner changes and that anyone may read.
  inline void count_allocation(Bin& bin, std::ptrdiff_t bytes) noexcept {
    add(bin.allocations, 1);
    const std::ptrdiff_t given = add(allocated_, bytes);
    const std::ptrdiff_t now = given - freed_.load(std::memory_order_relaxed);
    if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
  }
  inline void count_free(Bin& bin, std::ptrdiff_t bytes) noexcept {
    add(bin.frees, 1);
    add(freed_, bytes);
  }
  inline std::ptrdiff_t allocated_bytes() const noexcept { return allocated_.load(std::memory_order_acquire); }
  inline std::ptrdiff_t freed_bytes() const noexcept { return freed_.load(std::memory_order_acquire); }
  inline std::ptrdiff_t in_use() const noexcept {
    return allocated_.load(std::memory_order_relaxed) - freed_.load(std::memory_order_relaxed);
  }
  inline std::ptrdiff_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  /// What waits here. Only the owner asks.
  struct Kept {
    std::ptrdiff_t blocks = 0, bytes = 0;
  };
  Kept kept() const noexcept;
  inline void start_new_peak() noexcept { peak_.store(in_use(), std::memory_order_relaxed); }

  std::array<Bin, class_count> bins;
  std::ptrdiff_t published = 0;  // in_use as the pool knows it; under the pool's lock

 private:
  /// Whether fence_all_threads makes every running thread pass a fence, so that owners need none.
  static const bool asymmetric;

  static inline std::ptrdiff_t add(std::atomic<std::ptrdiff_t>& counter, std::ptrdiff_t value) noexcept {
    const std::ptrdiff_t sum = counter.load(std::memory_order_relaxed) + value;
    counter.store(sum, std::memory_order_release);
    return sum;
  }

  std::atomic<bool> busy_{false};
  std::atomic<bool> seized_{false};
  std::atomic<std::ptrdiff_t> allocated_{0}, freed_{0}, peak_{0};
};

class PoolState;

/// Pools that may have thread caches at a time; further ones work without.
inline constexpr int cached_pools = 16;

/// A thread's caches, by the pool's number; entry 0 is always null.
struct alignas(64) ThreadRecord {
  std::array<std::atomic<ThreadCache*>, cached_pools> caches{};
};

/// Null before the thread's first allocation and after its last: pools then work without a cache.
extern constinit thread_local ThreadRecord* thread_record;

/// A number for a pool's caches, or 0 when there is none left. Enters the pool into the list that fork watches.
int enter_pool(PoolState& pool);
/// Forgets the pool and every thread's cache of it.
void leave_pool(PoolState& pool, int number) noexcept;
/// A cache of the calling thread for the pool; null if the thread is ending, or without memory for it.
ThreadCache* make_thread_cache(PoolState& pool, int number) noexcept;

}  // namespace tessera::memory
