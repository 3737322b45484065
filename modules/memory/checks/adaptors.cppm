module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:adaptors;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :strategy;

// Allocators in front of other allocators, each with one thing to add. They compose: Locked(Limit(Statistics(upstream))).
namespace tessera::memory {

/// Refuses what would bring the bytes in use above a limit.
export template <Allocator Upstream>
class LimitAllocator {
 public:
  LimitAllocator(Upstream upstream, std::ptrdiff_t limit) : upstream_(std::move(upstream)), limit_(limit) {}

  Place place() const { return upstream_.place(); }
  /// Null beyond the limit, too.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    check_request(bytes, alignment);
    if (bytes > limit_ - in_use_) return nullptr;
    void* pointer = upstream_.allocate(bytes, alignment);
    if (pointer != nullptr) in_use_ += bytes;
    return pointer;
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    if (pointer == nullptr) return;
    upstream_.deallocate(pointer, bytes);
    in_use_ -= bytes;
  }

  std::ptrdiff_t limit() const { return limit_; }
  std::ptrdiff_t in_use() const { return in_use_; }
  Upstream& upstream() { return upstream_; }

 private:
  Upstream upstream_;
  std::ptrdiff_t limit_;
  std::ptrdiff_t in_use_ = 0;
};

/// Counts what goes through it.
export template <Allocator Upstream>
class StatisticsAllocator {
 public:
  explicit StatisticsAllocator(Upstream upstream) : upstream_(std::move(upstream)) {}

  Place place() const { return upstream_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    void* pointer = upstream_.allocate(bytes, alignment);
    if (pointer == nullptr) {
      ++refused_;
      return nullptr;
    }
    ++stats_.allocations;
    ++stats_.live;
    ++stats_.histogram[size_group(bytes)];
    stats_.in_use += bytes;
    stats_.peak = std::max(stats_.peak, stats_.in_use);
    return pointer;
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    if (pointer == nullptr) return;
    upstream_.deallocate(pointer, bytes);
    --stats_.live;
    stats_.in_use -= bytes;
  }

  /// in_use, peak, live, allocations and the histogram; what only a pool knows is 0.
  const Stats& stats() const { return stats_; }
  /// Number of allocations that the upstream refused.
  std::ptrdiff_t refused() const { return refused_; }
  Upstream& upstream() { return upstream_; }

 private:
  Upstream upstream_;
  Stats stats_{.limit = PTRDIFF_MAX};
  std::ptrdiff_t refused_ = 0;
};

/// Writes a line for each call: "allocate 4096 aligned 64 at 0x7f..", "deallocate 4096 at 0x7f..".
export template <Allocator Upstream>
class LoggingAllocator {
 public:
  /// The stream must outlive the allocator.
  LoggingAllocator(Upstream upstream, std::ostream& out) : upstream_(std::move(upstream)), out_(&out) {}

  Place place() const { return upstream_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    void* pointer = upstream_.allocate(bytes, alignment);
    *out_ << "allocate " << bytes << " aligned " << alignment;
    if (pointer == nullptr) {
      *out_ << " refused\n";
    } else {
      *out_ << " at " << pointer << '\n';
    }
    return pointer;
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    upstream_.deallocate(pointer, bytes);
    try {
      *out_ << "deallocate " << bytes << " at " << pointer << '\n';
    } catch (...) {  // a stream that throws: the line is lost, the memory is not
    }
  }

  Upstream& upstream() { return upstream_; }

 private:
  Upstream upstream_;
  std::ostream* out_;
};

/// Asks a callback when the upstream refuses: it gets the bytes and says whether to try again.
export template <Allocator Upstream>
class FailureCallbackAllocator {
 public:
  FailureCallbackAllocator(Upstream upstream, std::function<bool(std::ptrdiff_t)> callback)
      : upstream_(std::move(upstream)), callback_(std::move(callback)) {}

  Place place() const { return upstream_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    while (true) {
      if (void* pointer = upstream_.allocate(bytes, alignment)) return pointer;
      if (!callback_(bytes)) return nullptr;
    }
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept { upstream_.deallocate(pointer, bytes); }

  Upstream& upstream() { return upstream_; }

 private:
  Upstream upstream_;
  std::function<bool(std::ptrdiff_t)> callback_;
};

/// Lets several threads use an allocator that is made for one: a lock around each call. Movable until it is used.
export template <Allocator Upstream>
class LockedAllocator {
 public:
  explicit LockedAllocator(Upstream upstream)
      : upstream_(std::move(upstream)), mutex_(std::make_unique<std::mutex>()) {}

  Place place() const { return upstream_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    const std::lock_guard lock(*mutex_);
    return upstream_.allocate(bytes, alignment);
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    const std::lock_guard lock(*mutex_);
    upstream_.deallocate(pointer, bytes);
  }

  /// Not locked.
  Upstream& upstream() { return upstream_; }

 private:
  Upstream upstream_;
  std::unique_ptr<std::mutex> mutex_;
};

/// An allocator that is used and not owned, so that two can share one.
export template <Allocator Upstream>
class BorrowedAllocator {
 public:
  /// The upstream must outlive the allocator.
  explicit BorrowedAllocator(Upstream& upstream) : upstream_(&upstream) {}

  Place place() const { return upstream_->place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    return upstream_->allocate(bytes, alignment);
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept { upstream_->deallocate(pointer, bytes); }

 private:
  Upstream* upstream_;
};

}  // namespace tessera::memory
