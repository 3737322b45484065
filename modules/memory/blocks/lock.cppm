module;
#include <cstdint>
module tessera.memory:lock;
import tessera.standard;

// The lock of a pool: held for tens of nanoseconds, so that taking it is one exchange and letting go one store.
namespace tessera::memory {

/// Satisfies BasicLockable. Who finds it taken spins, then yields: the owner may have lost its core. Who has waited for long
/// draws a number; from then on those with numbers have the lock in their order, before all others, so that every wait ends.
class Lock {
 public:
  inline void lock() noexcept {
    if (queue_.load(std::memory_order_relaxed) == 0 && !taken_.exchange(true, std::memory_order_acquire)) [[likely]]
      return;
    wait();
  }
  inline void unlock() noexcept { taken_.store(false, std::memory_order_release); }

  /// In a forked child, which has none of the threads that wait: the owner's.
  void forget_waiting() noexcept {
    for (std::atomic<std::uint32_t>* count : {&queue_, &drawn_, &served_}) count->store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int spins = 200, yields = 50;

  inline bool try_to_take() noexcept {
    return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
  }

  static inline void pause(int attempt) noexcept {
    if (attempt >= spins) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  [[gnu::noinline]] void wait() noexcept {
    for (int attempt = 0; attempt < spins + yields; ++attempt) {
      if (queue_.load(std::memory_order_relaxed) == 0 && try_to_take()) return;
      pause(attempt);
    }
    wait_in_order();
  }

  void wait_in_order() noexcept {
    queue_.fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t mine = drawn_.fetch_add(1, std::memory_order_relaxed);
    while (served_.load(std::memory_order_relaxed) != mine) std::this_thread::sleep_for(std::chrono::microseconds(50));
    for (int attempt = 0; !try_to_take(); ++attempt) {
      if (attempt < 20 * (spins + yields)) {
        pause(attempt);
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // to yield does not help an owner of low priority
      }
    }
    served_.store(mine + 1, std::memory_order_relaxed);
    queue_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<bool> taken_{false};
  std::atomic<std::uint32_t> queue_{0};              // threads with a number
  std::atomic<std::uint32_t> drawn_{0}, served_{0};  // numbers given out, and the next one's turn
};

}  // namespace tessera::memory
