module;
#include <cstdint>
export module tessera.schedule:spin_lock;
import tessera.standard;

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

/// Fetches a cache line into this core's cache to be written there, so that no other core holds it any more.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The builtin makes a prefetch to read of it, and the write then waits a second time: not all x86-64 processors know this
  // instruction, but those that do not take it for none.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Tells the processor that this thread is spinning.
void pause_thread() noexcept;

}  // namespace tessera
