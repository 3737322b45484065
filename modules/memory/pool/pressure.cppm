module;
#include <cstddef>
#include <cstdint>
module tessera.memory:pressure;
import tessera.standard;
import tessera.device;
import :allocator;
import :upstream;
import :strategy;
import :pool;
import :lock;

// What can help when there is no more memory: callbacks, and frees that are announced.
namespace tessera::memory {

class Pressure {
 public:
  /// `lock` is the pool's: a fork in between leaves the callbacks whole.
  explicit Pressure(Lock& lock) : lock_(lock) {}

  int add_callback(std::function<bool(std::ptrdiff_t)> callback);
  void remove_callback(int number);
  /// Calls them with the bytes that are missing. Returns whether one has freed some.
  bool call_callbacks(std::ptrdiff_t bytes);

  void set_patience(std::chrono::milliseconds patience);
  void begin_pending();
  void end_pending() noexcept;
  /// Something has been freed: who waits tries again.
  void tell_waiting() noexcept;
  /// While frees are announced: what `attempt` returns as soon as that is not null, or null when the patience is over.
  void* wait_for_frees(const std::function<void*()>& attempt);

 private:
  struct Callback {
    int number;
    std::function<bool(std::ptrdiff_t)> call;
  };

  Lock& lock_;  // of the callbacks
  std::vector<std::shared_ptr<Callback>> callbacks_;
  int last_callback_ = 0;
  std::chrono::milliseconds patience_{100};
  std::mutex pending_mutex_;  // of the next two; taken before the lock, or without it
  std::condition_variable freed_;
  std::atomic<int> pending_{0};  // announced frees
  std::uint64_t frees_ = 0;      // frees and ends of announcements while any was pending
};

/// Throws OutOfMemory with the pool's figures and what would help.
[[noreturn]] void throw_out_of_memory(Place place, const Stats& figures, std::ptrdiff_t bytes);

}  // namespace tessera::memory
