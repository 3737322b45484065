export module tessera.schedule:held_submissions;
import :op_state;
import :engine;
import :access_list;

// Submitting ops while a lock is held.
namespace tessera::schedule {

/// Ops and joins that are submitted to one engine by a thread that holds a lock. It is made before the lock is taken: none of them begins
/// before it ends, or start() is called, whatever is thrown in between.
export class HeldSubmissions {
 public:
  HeldSubmissions() = default;
  HeldSubmissions(const HeldSubmissions&) = delete;
  HeldSubmissions& operator=(const HeldSubmissions&) = delete;
  ~HeldSubmissions();

  /// Submits an op that names no memory of its own and is not recorded. Throws SchedulerError, std::bad_alloc; the op is the caller's then.
  void submit(Engine& engine, OpState& op);

  /// Submits a join: an op that does nothing, and ends as soon as it is ready. What it writes is poisoned afterwards if something that it
  /// reads is, so what it reads and writes stays as it was; it does not fail and cannot be cancelled. Throws SchedulerError,
  /// std::bad_alloc.
  void submit_join(Engine& engine, const AccessList& accesses);

  /// Begins what has been submitted, and waits while too much is pending. No lock is held any more.
  void start(Engine& engine);

 private:
  Engine* engine_ = nullptr;  // of what is ready
  ReadyList ready_;
};

}  // namespace tessera::schedule
