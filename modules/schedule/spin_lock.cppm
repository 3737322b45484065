module;
#include <atomic>
#include <cstdint>
export module tessera.schedule:spin_lock;

// A lock of four bytes for a few instructions' work.
namespace tessera {

/// Held for some nanoseconds at a time, so waiting threads spin; if the holder has been suspended by the system, they yield.
class SpinLock {
 public:
  inline void lock() noexcept {
    if (word_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      wait();
  }
  inline bool try_lock() noexcept { return word_.exchange(1, std::memory_order_acquire) == 0; }
  inline void unlock() noexcept { word_.store(0, std::memory_order_release); }

 private:
  void wait() noexcept;

  std::atomic<std::uint32_t> word_{0};
};

/// Tells the processor that this thread is spinning.
void pause_thread() noexcept;

}  // namespace tessera
