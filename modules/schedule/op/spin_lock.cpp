module;
#include <atomic>
#include <thread>
module tessera.schedule;

// What a thread does while another holds the lock.
namespace tessera {

void pause_thread() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

void SpinLock::wait() noexcept {
  constexpr int spins = 64;
  for (;;) {
    for (int spin = 0; spin < spins; ++spin) {
      if (word_.load(std::memory_order_relaxed) == 0 && word_.exchange(1, std::memory_order_acquire) == 0) return;
      pause_thread();
    }
    std::this_thread::yield();
  }
}

}  // namespace tessera
