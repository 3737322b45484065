module tessera.memory:lock;
import tessera.standard;

// The lock of a pool: held for tens of nanoseconds, so that taking it is one exchange and letting go one store.
namespace tessera::memory {

/// Satisfies BasicLockable. Who finds it taken spins, then yields, then sleeps: the owner may have lost its core.
class Lock {
 public:
  inline void lock() noexcept {
    if (!taken_.exchange(true, std::memory_order_acquire)) [[likely]]
      return;
    wait();
  }
  inline void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void wait() noexcept {
    constexpr int spins = 200, yields = 50;
    for (int attempt = 0;; ++attempt) {
      if (!taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire)) return;
      if (attempt < spins) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      } else if (attempt < spins + yields) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }

  std::atomic<bool> taken_{false};
};

}  // namespace tessera::memory
