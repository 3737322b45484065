module;
#include <cstdint>
export module tessera.schedule:executor;
import tessera.standard;
import :op_state;
import :signal;

// Who runs ready ops, and when.
namespace tessera {

/// Runs the ops that an engine hands it. push() may be called on any thread.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Takes ready ops, in their order. Never fails: what cannot be run by others now is run by who waits.
  virtual void push(ReadyList ready) noexcept = 0;

  /// Returns when `signal` is set, or false when the deadline has passed first. The thread may run ops meanwhile.
  virtual bool wait(Signal& signal, const Deadline& deadline) = 0;

  /// Begins no op any more; returns when none is running. start() undoes it.
  virtual void stop() = 0;
  virtual void start() = 0;
  inline bool is_stopped() const noexcept { return stopped_.load(std::memory_order_seq_cst); }

  /// Whether a finished op may be followed by this one on the same thread at once.
  virtual bool may_hand_over(const OpState& op) const noexcept = 0;

  virtual int workers() const noexcept = 0;
  virtual int running() const noexcept = 0;
  /// Time that each worker has spent on ops.
  virtual std::vector<std::chrono::nanoseconds> busy() const { return {}; }

 protected:
  std::atomic<bool> stopped_{false};
};

}  // namespace tessera
