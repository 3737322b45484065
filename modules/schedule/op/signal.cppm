export module tessera.schedule:signal;
import tessera.standard;
import tessera.core;

// How a thread sleeps until something has happened.
namespace tessera {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Where the threads that wait for a scheduler sleep.
struct Parking {
  std::mutex mutex;
  std::condition_variable changed;
};

/// Is told that a wait without a deadline has seen nothing happen for a while.
class SleepWatch {
 public:
  inline explicit SleepWatch(std::chrono::milliseconds patience) : patience_(patience) {}
  SleepWatch(const SleepWatch&) = delete;
  SleepWatch& operator=(const SleepWatch&) = delete;

  inline std::chrono::milliseconds patience() const noexcept { return patience_; }
  /// Called each time, until it returns true.
  virtual bool report() noexcept = 0;

 protected:
  inline ~SleepWatch() = default;

 private:
  std::chrono::milliseconds patience_;
};

/// Something that one thread waits for. It lies on that thread's stack: others touch it only while they hold the parking's mutex.
class Signal {
 public:
  inline explicit Signal(Parking& parking, SleepWatch* watch = nullptr) : parking_(&parking), watch_(watch) {}

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
    while (!is_ready()) await_change(lock);
    return true;
  }

  /// Sleeps until something has happened, to this signal or to another. The parking's mutex is held.
  inline void await_change(std::unique_lock<std::mutex>& lock) {
    if (watch_ == nullptr) return parking_->changed.wait(lock);
    if (parking_->changed.wait_until(lock, core::time_after(watch_->patience())) == std::cv_status::no_timeout) return;
    if (is_set()) return;
    lock.unlock();
    const bool has_told = watch_->report();
    lock.lock();
    if (has_told) watch_ = nullptr;
  }

 private:
  Parking* parking_;
  SleepWatch* watch_;
  std::atomic<bool> set_{false};
};

}  // namespace tessera
