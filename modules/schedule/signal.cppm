export module tessera.schedule:signal;
import tessera.standard;

// How a thread sleeps until something has happened.
namespace tessera {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Where the threads that wait for a scheduler sleep.
struct Parking {
  std::mutex mutex;
  std::condition_variable changed;
};

/// Something that one thread waits for. It lies on that thread's stack: others touch it only while they hold the parking's mutex.
class Signal {
 public:
  inline explicit Signal(Parking& parking) : parking_(&parking) {}

  inline bool is_set() const noexcept { return set_.load(std::memory_order_acquire); }
  inline Parking& parking() const noexcept { return *parking_; }

  inline void set() noexcept {
    const std::lock_guard lock(parking_->mutex);
    set_while_locked();
  }
  inline void set_while_locked() noexcept {
    if (set_.load(std::memory_order_relaxed)) return;
    set_.store(true, std::memory_order_release);
    parking_->changed.notify_all();
  }

  /// Sleeps until it is set or the deadline has passed. Returns whether it is set.
  inline bool sleep(const Deadline& deadline) {
    std::unique_lock lock(parking_->mutex);
    const auto is_ready = [this] { return set_.load(std::memory_order_relaxed); };
    if (deadline) return parking_->changed.wait_until(lock, *deadline, is_ready);
    parking_->changed.wait(lock, is_ready);
    return true;
  }

 private:
  Parking* parking_;
  std::atomic<bool> set_{false};
};

}  // namespace tessera
