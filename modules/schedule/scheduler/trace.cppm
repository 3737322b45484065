module;
#include <cstddef>
export module tessera.schedule:trace;
import tessera.standard;
import tessera.device;
import :scheduler;
import :trace_record;
import :trace_sink;

// Watching a scheduler.
namespace tessera {

class RecordingSink;

/// Records the ops that are submitted to a scheduler while it lives, one record each, for write_chrome_trace, timeline_svg and
/// DependencyGraph, and the work that GPUs are given. It costs about 100 ns an op; without one, an op costs a test of a pointer. At most one is active for a scheduler, the
/// last one made.
export class Trace {
 public:
  /// Throws std::bad_alloc.
  explicit Trace(Scheduler& scheduler);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// The ops that have ended, in the order of submission; times are in ns since the trace began.
  std::vector<OpRecord> records() const;

  /// When it began: what the times of its records count from.
  std::chrono::steady_clock::time_point begin() const noexcept;

  /// Ops that have been submitted while it lives.
  std::size_t submitted() const;

  /// What GPUs have done while it lives, waiting until it is done; times are in ns since the trace began. Throws DeviceError if a GPU has
  /// failed.
  std::vector<device::StreamRecord> streams() const;

  /// Ops of which no record could be kept for lack of memory.
  std::size_t lost() const;

 private:
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<RecordingSink> sink_;
  device::StreamTrace streams_;
};

}  // namespace tessera
