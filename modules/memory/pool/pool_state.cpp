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
import :address_map;
import :chunks;
import :meter;
import :pressure;
import :watch;

// The pool's slow paths: refills and large blocks, what is tried when there is no more memory; what other threads keep; the figures.
namespace tessera::memory {

namespace {

/// The meter as an allocator.
class BorrowedMeter {
 public:
  explicit BorrowedMeter(Meter& meter) : meter_(&meter) {}
  Place place() const { return meter_->place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) { return meter_->allocate(bytes, alignment); }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept { meter_->deallocate(pointer, bytes); }

 private:
  Meter* meter_;
};

/// What a slab needs: that it is cut from a chunk.
Layout with_room_for_slabs(Layout layout) {
  constexpr std::ptrdiff_t least = std::ptrdiff_t{256} << 10;
  layout.huge = std::max(layout.huge, least);
  layout.largest_chunk = std::max(layout.largest_chunk, layout.huge);
  return layout;
}

std::unique_ptr<Strategy> make_strategy(Meter& meter, const PoolOptions& options,
                                        const std::shared_ptr<AddressMap>& map) {
  auto upstream = make_upstream(BorrowedMeter(meter));
  const Layout layout = with_room_for_slabs(options.layout);
  return options.strategy == StrategyKind::buddy ? make_buddy(std::move(upstream), layout, map)
                                                 : make_segregated_fit(std::move(upstream), layout, map);
}

/// Set while the thread is climbing, so that allocations of callbacks do not climb themselves.
constinit thread_local bool climbing = false;

struct Climb {
  Climb() { climbing = true; }
  ~Climb() { climbing = false; }
};

}  // namespace

PoolState::PoolState(std::unique_ptr<Upstream> upstream, const PoolOptions& options)
    : meter_(std::move(upstream)),
      map_(std::make_shared<AddressMap>()),
      strategy_(make_strategy(meter_, options, map_)),
      slabs_(make_strategy(meter_, options, map_)),
      uses_caches_(options.thread_caches),
      small_(*slabs_, *strategy_, options.layout.granule) {
  own_number_ = enter_pool(*this);
  if (uses_caches_) number_.store(own_number_, std::memory_order_relaxed);
}

void* PoolState::allocate_slowly(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  check_request(bytes, alignment);
  if (watch_.load(std::memory_order_acquire) != nullptr) return watch().allocate(bytes, alignment, where);
  return allocate_plainly(bytes, alignment);
}

void* PoolState::allocate_plainly(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  return climb_ladder(bytes, alignment);
}

void* PoolState::try_to_allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  const bool is_small = bytes <= largest_small && alignment <= block_alignment;
  if (!is_small) {
    const std::lock_guard lock(mutex_);
    return take_large(bytes, std::max(alignment, block_alignment));
  }
  ThreadCache* own = cache();
  if (own == nullptr) own = make_thread_cache(*this, number_.load(std::memory_order_relaxed));
  const std::lock_guard lock(mutex_);
  return take_small(bytes, own);
}

void* PoolState::take_large(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  if (bytes > meter_.limit) return nullptr;
  void* pointer = nullptr;
  if (!try_before_growing(bytes, [&](Growth growth) {
        pointer = strategy_->allocate(bytes, alignment, growth);
        return pointer != nullptr;
      }))
    pointer = slabs_->allocate(bytes, alignment, Growth::forbidden);
  if (pointer == nullptr) return nullptr;
  if (allocated() > meter_.limit) {
    deallocate_large(pointer);
    return nullptr;
  }
  ++live_;
  ++allocations_;
  ++large_sizes_[size_group(bytes)];
  count_here(bytes);
  return pointer;
}

void PoolState::count_here(std::ptrdiff_t bytes) noexcept {
  if (ThreadCache* own = cache()) publish(*own);
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
}

void PoolState::publish(ThreadCache& cache) noexcept {
  peak_ = std::max(peak_, in_use_ - cache.published + cache.peak());
  const std::ptrdiff_t now = cache.in_use();
  in_use_ += now - cache.published;
  cache.published = now;
  cache.start_new_peak();
}

void* PoolState::take_small(std::ptrdiff_t bytes, ThreadCache* cache) {
  const int size_class = class_of(bytes);
  const auto live = slot_live | static_cast<std::uint32_t>(bytes);
  if (cache != nullptr) {
    if (!refill(*cache, size_class)) return nullptr;
    Bin& bin = cache->bins[static_cast<std::size_t>(size_class)];
    const Ready block = bin.loaded->blocks[--bin.loaded->count];
    block.state->store(live, std::memory_order_relaxed);
    cache->count_allocation(bin, bytes);
    publish(*cache);
    return block.pointer;
  }
  if (class_size(size_class) > meter_.limit - allocated()) return nullptr;
  Ready block{};
  if (!try_before_growing(class_size(size_class), [&](Growth growth) {
        block = small_.take(size_class, nullptr, growth);
        return block.pointer != nullptr;
      }))
    return nullptr;
  block.state->store(live, std::memory_order_relaxed);
  ++small_allocations_[static_cast<std::size_t>(size_class)];
  count_here(bytes);
  return block.pointer;
}

template <class Attempt>
bool PoolState::try_before_growing(std::ptrdiff_t bytes, const Attempt& attempt) {
  return attempt(Growth::forbidden) || (give_up_kept(bytes) && attempt(Growth::forbidden)) || attempt(Growth::allowed);
}

/// Before more is reserved, what this thread and the pool keep ready goes back, if it is more than a sixteenth of what is in use
/// and so few blocks that fresh pages would cost more than those blocks' way back and forth.
bool PoolState::give_up_kept(std::ptrdiff_t bytes) noexcept {
  constexpr std::ptrdiff_t bytes_for_a_block = 700;  // about 40 ns of page faults
  ThreadCache* own = cache();
  const ThreadCache::Kept kept = own != nullptr ? own->kept() : ThreadCache::Kept{};
  if (bytes < kept.blocks * bytes_for_a_block) return false;
  if (kept.bytes + small_.full_bytes() + small_.slab_bytes() - small_.out_bytes() <= allocated() / 16) return false;
  if (own != nullptr) empty_cache(*own);
  small_.trim();
  return true;
}

bool PoolState::refill(ThreadCache& cache, int size_class) {
  Bin& bin = cache.bins[static_cast<std::size_t>(size_class)];
  if (!bin.loaded->empty()) return true;
  if (!bin.other->empty()) {
    std::swap(bin.loaded, bin.other);
    return true;
  }
  if (small_.exchange_for_full(bin.loaded, size_class)) return true;
  if (bin.loaded->capacity == 0) bin.loaded = small_.new_magazine(size_class);
  const std::ptrdiff_t within_limit =
      std::max<std::ptrdiff_t>((meter_.limit - allocated()) / class_size(size_class), 0);
  // Fresh blocks come a few at a time, so that a class of which one block is needed does not fill a slab.
  const std::ptrdiff_t fresh =
      std::clamp<std::ptrdiff_t>((32 << 10) / class_size(size_class), 1, bin.loaded->capacity / 2);
  const auto wanted = static_cast<std::uint32_t>(std::min(fresh, within_limit));
  return wanted > 0 && try_before_growing(class_size(size_class), [&](Growth growth) {
           return small_.fill(*bin.loaded, size_class, wanted, &cache, growth) > 0;
         });
}

Retired PoolState::deallocate_large(void* pointer) noexcept {
  const Retired retired = strategy_->deallocate(pointer);
  return retired.requested >= 0 ? retired : slabs_->deallocate(pointer);
}

bool PoolState::retire_large(void* pointer) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const Retired retired = deallocate_large(pointer);
    if (retired.requested < 0) return false;
    --live_;
    count_here(-retired.requested);
    keep_within_limit();
  }
  pressure_.tell_waiting();
  return true;
}

void PoolState::retire_small(Ready block, int size_class, std::ptrdiff_t requested) noexcept {
  {
    const std::lock_guard lock(mutex_);
    retire_small_locked(block, size_class, requested);
    keep_within_limit();
  }
  pressure_.tell_waiting();
}

void PoolState::retire_small_locked(Ready block, int size_class, std::ptrdiff_t requested) noexcept {
  ThreadCache* own = cache();
  if (own == nullptr) {
    small_.give(block);
    ++small_frees_[static_cast<std::size_t>(size_class)];
    count_here(-requested);
    return;
  }
  Bin& bin = own->bins[static_cast<std::size_t>(size_class)];
  if (make_room_in(bin, size_class)) {
    bin.loaded->blocks[bin.loaded->count++] = block;
  } else {
    small_.give(block);
  }
  own->count_free(bin, requested);
  publish(*own);
}

bool PoolState::make_room_in(Bin& bin, int size_class) noexcept {
  if (!bin.loaded->full()) return true;
  if (bin.other->empty() && !bin.other->full()) {
    std::swap(bin.loaded, bin.other);
    return true;
  }
  if (bin.loaded->capacity == 0 || bin.other->capacity == 0) {
    try {
      small_.drop_magazine(std::exchange(bin.other, std::exchange(bin.loaded, small_.new_magazine(size_class))));
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  if (!small_.exchange_for_empty(bin.loaded, size_class)) small_.drain(*bin.loaded);
  return true;
}

bool PoolState::is_live(const void* pointer) const {
  if (Slab* slab = small_.slab_at(pointer)) {
    const std::uint32_t slot = slab->slot_of(pointer);
    return slot < slab->count && (slab->states[slot].load(std::memory_order_relaxed) & slot_live) != 0;
  }
  const std::lock_guard lock(mutex_);
  return strategy_->is_live(pointer) || slabs_->is_live(pointer);
}

void* PoolState::climb_ladder(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  trim();
  if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  if (climbing) throw_out_of_memory(place(), stats(), bytes);
  const Climb climb;
  if (pressure_.call_callbacks(bytes)) {
    trim();
    if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  }
  const auto attempt = [&] {
    trim();
    return try_to_allocate(bytes, alignment);
  };
  if (void* pointer = pressure_.wait_for_frees(attempt)) return pointer;
  if (void* pointer = try_to_allocate(bytes, alignment)) return pointer;
  throw_out_of_memory(place(), stats(), bytes);
}

PoolState::~PoolState() {
  leave_pool(*this, own_number_);
  delete watch_.load(std::memory_order_relaxed);
}

Watch& PoolState::watch() {
  if (Watch* made = watch_if_any()) return *made;
  auto made = std::make_unique<Watch>(*this);
  Watch* expected = nullptr;
  return watch_.compare_exchange_strong(expected, made.get()) ? *made.release() : *expected;
}

void PoolState::use_caches(bool on) noexcept {
  number_.store(on && uses_caches_ ? own_number_ : 0, std::memory_order_relaxed);
  if (!on) trim();
}

std::ptrdiff_t PoolState::published() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

std::ptrdiff_t PoolState::unpublished() const {
  const std::lock_guard lock(mutex_);
  return stats_locked().in_use - in_use_;
}

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
