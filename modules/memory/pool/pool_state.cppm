module;
#include <cstddef>
#include <cstdint>
module tessera.memory:pool_state;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :upstream;
import :address_map;
import :strategy;
import :pool;
import :lock;
import :debug_allocator;
import :trace;
import :small_blocks;
import :thread_cache;
import :meter;
import :pressure;
import :watch;

// What a pool holds: a strategy for large blocks, slabs and thread caches for small ones, figures, and what it does when there
// is no more memory.
namespace tessera::memory {

class PoolState {
 public:  // `inline` where it must be: a module's member functions are not inline by themselves
  PoolState(std::unique_ptr<Upstream> upstream, const PoolOptions& options);
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;
  ~PoolState();

  Place place() const { return meter_.place(); }

  /// The calling thread's cache, if it has one and the pool uses caches now.
  inline ThreadCache* cache() const noexcept {
    const ThreadRecord* record = thread_record;
    if (record == nullptr) return nullptr;
    const auto number = static_cast<std::size_t>(number_.load(std::memory_order_relaxed));
    return record->caches[number].load(std::memory_order_relaxed);
  }

  inline void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
    if (static_cast<std::size_t>(bytes) <= static_cast<std::size_t>(largest_small) && alignment <= block_alignment &&
        alignment > 0 && (alignment & (alignment - 1)) == 0) [[likely]] {
      if (void* pointer = take_from_cache(bytes); pointer != nullptr) [[likely]]
        return pointer;
    }
    return allocate_slowly(bytes, alignment, where);
  }

  /// Takes a block back; false if the pointer is not the start of a live one. Throws PlaceError in debug mode only.
  inline bool deallocate(void* pointer) {
    if (Watch* watch = watch_.load(std::memory_order_acquire); watch != nullptr) [[unlikely]]
      return watch->deallocate(pointer);
    return deallocate_plainly(pointer);
  }

  [[gnu::always_inline]] inline bool deallocate_plainly(void* pointer) noexcept {
    Slab* slab = small_.slab_at(pointer);
    if (slab == nullptr) return retire_large(pointer);
    const std::uint32_t slot = slab->slot_of(pointer);
    if (slot >= slab->count) return false;
    SlotState& state = slab->states[slot];
    const std::uint32_t was = state.load(std::memory_order_relaxed);
    if ((was & slot_live) == 0) return false;
    state.store(slot_ready, std::memory_order_relaxed);
    const Ready block{static_cast<char*>(pointer), &state};
    const std::ptrdiff_t requested = was & ~slot_live;
    if (!give_to_cache(block, slab->size_class, requested)) [[unlikely]]
      retire_small(block, slab->size_class, requested);
    return true;
  }

  void trim() noexcept;
  void set_limit(std::ptrdiff_t bytes);
  Stats stats() const;
  void visit(const std::function<void(const Piece&)>& function) const;

  /// Made when it is first asked for; from then on no call is fast.
  Watch& watch();
  /// Null while nobody has asked for it.
  Watch* watch_if_any() const noexcept { return watch_.load(std::memory_order_acquire); }
  Pressure& pressure() noexcept { return pressure_; }

  // For the watch.
  void* allocate_plainly(std::ptrdiff_t bytes, std::ptrdiff_t alignment);
  bool is_live(const void* pointer) const;
  void use_caches(bool on) noexcept;
  /// Bytes in use as far as they have been published, and those that caches of threads have not published.
  std::ptrdiff_t published() const;
  std::ptrdiff_t unpublished() const;

  // For threads and forks; the registry's lock is held.
  void add_cache(ThreadCache& cache);
  void end_cache(ThreadRecord& record) noexcept;
  void stop() noexcept;
  void resume() noexcept;
  void resume_in_child() noexcept;

 private:
  inline void* take_from_cache(std::ptrdiff_t bytes) noexcept {
    ThreadCache* cache = this->cache();
    if (cache == nullptr || !cache->enter()) [[unlikely]]
      return nullptr;
    Bin& bin = cache->bins[static_cast<std::size_t>(class_of(bytes))];
    if (bin.loaded->empty()) [[unlikely]] {
      std::swap(bin.loaded, bin.other);
      if (bin.loaded->empty()) {
        cache->leave();
        return nullptr;
      }
    }
    const Ready block = bin.loaded->blocks[--bin.loaded->count];
    block.state->store(slot_live | static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
    cache->count_allocation(bin, bytes);
    cache->leave();
    return block.pointer;
  }

  inline bool give_to_cache(Ready block, int size_class, std::ptrdiff_t requested) noexcept {
    ThreadCache* cache = this->cache();
    if (cache == nullptr || !cache->enter()) [[unlikely]]
      return false;
    Bin& bin = cache->bins[static_cast<std::size_t>(size_class)];
    if (bin.loaded->full()) [[unlikely]] {
      if (bin.other->full() || !bin.other->empty()) {
        cache->leave();
        return false;
      }
      std::swap(bin.loaded, bin.other);
    }
    bin.loaded->blocks[bin.loaded->count++] = block;
    cache->count_free(bin, requested);
    cache->leave();
    return true;
  }

  // All of these with the lock, unless they say otherwise.
  void* allocate_slowly(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where);  // without
  void* try_to_allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment);                              // without
  void* take_large(std::ptrdiff_t bytes, std::ptrdiff_t alignment);
  void* take_small(std::ptrdiff_t bytes, ThreadCache* cache);
  bool refill(ThreadCache& cache, int size_class);
  template <class Attempt>
  bool try_before_growing(std::ptrdiff_t bytes, const Attempt& attempt);
  bool give_up_kept(std::ptrdiff_t bytes) noexcept;
  Retired deallocate_large(void* pointer) noexcept;
  bool retire_large(void* pointer) noexcept;                                          // without
  void retire_small(Ready block, int size_class, std::ptrdiff_t requested) noexcept;  // without
  void retire_small_locked(Ready block, int size_class, std::ptrdiff_t requested) noexcept;
  bool make_room_in(Bin& bin, int size_class) noexcept;
  void* climb_ladder(std::ptrdiff_t bytes, std::ptrdiff_t alignment);  // without

  inline std::ptrdiff_t allocated() const noexcept {  // large blocks, and small ones that are in no slab
    return strategy_->allocated() + slabs_->allocated() - small_.slab_bytes() + small_.out_bytes();
  }
  void publish(ThreadCache& cache) noexcept;
  void count_here(std::ptrdiff_t bytes) noexcept;
  void seize_caches() noexcept;
  void release_caches() noexcept;
  void empty_cache(ThreadCache& cache) noexcept;
  void trim_locked() noexcept;
  void keep_within_limit() noexcept;
  Stats stats_locked() const;

  std::atomic<Watch*> watch_{nullptr};  // made once, when somebody wants to see each call; from then on no call is fast
  std::atomic<int> number_{0};
  int own_number_ = 0;
  Meter meter_;
  std::shared_ptr<AddressMap> map_;
  std::unique_ptr<Strategy> strategy_;  // of large blocks
  std::unique_ptr<Strategy> slabs_;     // apart, so that slabs, which stay for long, do not lie between large blocks
  bool uses_caches_;
  SmallBlocks small_;

  alignas(64) mutable Lock mutex_;  // away from what each call reads
  std::vector<ThreadCache*> caches_;

  std::ptrdiff_t in_use_ = 0;  // as published
  std::ptrdiff_t peak_ = 0;
  std::ptrdiff_t live_ = 0, allocations_ = 0;  // of large blocks, and of small ones without a cache
  std::array<std::ptrdiff_t, class_count> small_allocations_{},
      small_frees_{};  // without a cache, or of caches that ended
  SizeHistogram large_sizes_{};

  Pressure pressure_{mutex_};
};

}  // namespace tessera::memory
