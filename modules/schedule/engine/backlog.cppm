module;
#include <climits>
#include <cstddef>
#include <cstdint>
export module tessera.schedule:backlog;
import tessera.standard;
import :signal;
import :executor;
import :thread_context;

// How many ops are pending, and who waits until they are fewer.
namespace tessera {

/// Bounds on what may be pending; 0 is no bound.
struct Window {
  std::ptrdiff_t ops = 0;
  std::ptrdiff_t bytes = 0;
};

/// Ops that were submitted and that have ended, counted apart for some groups of threads so that they do not share a cache line.
class OpCounts {
 public:
  /// Returns how many this thread's group has submitted before.
  inline std::uint64_t add_submitted() noexcept { return here().submitted.fetch_add(1, std::memory_order_relaxed); }
  inline void add_ended() noexcept { here().ended.fetch_add(1, std::memory_order_seq_cst); }

  std::uint64_t submitted() const noexcept;
  std::uint64_t ended() const noexcept;
  /// Ended ops are counted first: so it is 0 only if at some moment in between nothing was pending.
  inline std::uint64_t pending() const noexcept {
    const std::uint64_t gone = ended();
    return submitted() - gone;
  }

 private:
  struct alignas(64) Count {
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<std::uint64_t> ended{0};
  };
  static constexpr std::size_t groups = 8;

  inline Count& here() noexcept;

  std::array<Count, groups> counts_{};
};

/// The group of threads that this one counts with.
unsigned new_count_group(unsigned groups) noexcept;

inline OpCounts::Count& OpCounts::here() noexcept {
  unsigned& group = context_of_thread.count_group;
  if (group == UINT_MAX) [[unlikely]]
    group = new_count_group(groups);
  return counts_[group];
}

/// What is pending in an engine, within bounds, and the threads that wait until it is less.
class Backlog {
 public:
  Backlog(const Window& window, Parking& parking) : window_(window), parking_(parking) {}
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  inline const OpCounts& counts() const noexcept { return counts_; }
  /// Sum of OpOptions::bytes over pending ops.
  inline std::ptrdiff_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  inline bool bounds_ops() const noexcept { return window_.ops != 0; }
  inline bool bounds_bytes() const noexcept { return window_.bytes != 0; }

  /// An op has been submitted. Returns how many this thread's group had submitted before.
  inline std::uint64_t add(std::ptrdiff_t bytes) noexcept {
    if (bytes != 0) bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return counts_.add_submitted();
  }
  /// Before the op is counted as ended.
  inline void remove_bytes(std::ptrdiff_t bytes) noexcept { bytes_.fetch_sub(bytes, std::memory_order_seq_cst); }
  /// An op has ended.
  void remove() noexcept;

  /// Ended ops tell only now and then those who wait for a number of pending ops; executors call this when they have no op left.
  void look_at_waiters() noexcept;

  /// Returns when so many ops and bytes are pending at most, or nothing is; false if the deadline has passed first.
  bool wait(Executor& executor, std::uint64_t most, std::ptrdiff_t most_bytes, const Deadline& deadline,
            SleepWatch* watch = nullptr);
  /// Waits until an op of so many bytes fits within the bounds.
  void wait_for_room(Executor& executor, std::ptrdiff_t bytes);
  /// Waits while more is pending than the bounds allow. Looks only now and then, by what add() has returned, because counting reads a
  /// cache line of each group of threads.
  void bound_now_and_then(Executor& executor, std::uint64_t submitted_before);
  /// The same at once.
  void bound(Executor& executor);

 private:
  struct Waiter {
    Signal* signal;
    std::uint64_t most;  // pending ops
    std::ptrdiff_t bytes;
    Waiter* next;
  };

  void tell_waiters() noexcept;
  void set_period() noexcept;

  Window window_;
  Parking& parking_;
  OpCounts counts_;
  alignas(64) std::atomic<int> period_{0};  // ended ops of a thread between looks at those who wait; 0: nobody does
  std::atomic<std::ptrdiff_t> bytes_{0};
  Waiter* first_waiter_ = nullptr;  // guarded by parking_
};

}  // namespace tessera
