module;
#include <climits>
#include <cstddef>
#include <cstdint>
export module tessera.schedule:engine;
import tessera.standard;
import :failure;
import :op_state;
import :var;
import :signal;
import :executor;
import :thread_context;
import :backlog;
import :begun_coroutines;
import :trace_sink;
import :op_end;
import :process;

// The protocol of Vars and ops: submission, grants, completion. It knows no callables, no coroutines and no threads.
namespace tessera {

/// How long the end of a scheduler waits in silence; 0 is for ever.
using Patience = std::chrono::milliseconds;

/// How an op leaves the Vars that it writes, one by one.
class Outcomes {
 public:
  Outcomes() = default;
  Outcomes(const Outcomes&) = delete;
  Outcomes& operator=(const Outcomes&) = delete;
  virtual ~Outcomes() = default;

  /// The failure by which the Var is poisoned from now on, or none.
  virtual const SharedFailure& of(const VarState& var) const noexcept = 0;
};

namespace schedule {

/// What a thread is about to do to some data: after a rewrite nothing is left of what failed ops should have written.
export enum class Purpose { read, change, rewrite };

}  // namespace schedule
using schedule::Purpose;

/// Orders ops by what they read and write and gives those that are ready to an executor: what a Scheduler is made of.
export class Engine : public std::enable_shared_from_this<Engine> {
 public:
  inline Engine(const Window& window, Patience patience) : patience_(patience), backlog_(window, parking_) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  inline void set_executor(std::shared_ptr<Executor> executor) { executor_ = std::move(executor); }
  inline Executor& executor() noexcept { return *executor_; }

  /// Takes a op whose accesses are filled in, in any order. Throws SchedulerError (a closed or empty Var, a Var that an op around
  /// this one holds, another process), std::bad_alloc; nothing has happened then and the op is the caller's.
  void submit(OpState& op);

  /// As submit(), for one who holds a lock: if the op is ready it is left in `ready`, which must go to start() when the lock is free,
  /// and the bounds on what is pending do not count before that. An op that names no memory of its own (`bytes`) and is not recorded.
  void enlist(OpState& op, ReadyList& ready);
  /// Begins what enlist() has left, and waits while too much is pending.
  void start(ReadyList& ready);

  /// Runs a ready op, or goes on with it. Returns the op to run next on this thread, or nullptr.
  OpState* run(OpState& op) noexcept;

  /// Begins an op: finds out whether it may run. If not, its failure says why.
  bool begin(OpState& op) noexcept;

  /// Ends an op's body: the op ends when those have ended that it submitted. Returns the op to run next on this thread.
  OpState* finish(OpState& op) noexcept;

  /// Ends an op and those around it that have waited for it only. `ready` takes what becomes ready.
  void complete(OpState& op, ReadyList& ready) noexcept;

  /// Queues ready ops except the one that this thread shall run next, which is returned.
  OpState* hand_over(ReadyList& ready) noexcept;
  /// Whether that may be this one.
  bool may_go_on_with(const OpState& op) noexcept;

  /// Queues an op that was suspended.
  void resume(OpState& op) noexcept;

  /// Ends a granted access of somebody who waited; those that it was in the way of are queued.
  void end_accesses(OpState& op, ReadyList& ready) noexcept;
  /// Appends a waiter's access, a write if it is to be exclusive. Returns whether there was nothing to wait for.
  bool append_waiter(OpState& waiter, VarState& var, bool exclusive = false);
  /// Takes it out again. Returns false if it has been granted, and is or will be told so.
  bool withdraw_waiter(OpState& waiter, VarState& var) noexcept;

  /// Gives ready ops to their executors.
  void distribute(ReadyList& ready) noexcept;

  inline void cancel_all() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  /// Its scheduler goes away: nobody may submit any more, though a worker may hold the engine for a while.
  inline void retire() noexcept { retired_.store(true, std::memory_order_release); }
  inline bool is_retired() const noexcept { return retired_.load(std::memory_order_acquire); }
  inline bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
  inline void allow_all() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

  inline Parking& parking() noexcept { return parking_; }
  inline Patience patience() const noexcept { return patience_; }
  inline Backlog& backlog() noexcept { return backlog_; }
  inline const BegunCoroutines& begun_coroutines() const noexcept { return begun_coroutines_; }
  /// Failures of ops that write no Var.
  inline UnobservedFailures& unobserved() noexcept { return unobserved_; }
  /// Reports go to `sink` from now on. It is kept as long as the engine, because a worker may just be about to report.
  void attach(std::shared_ptr<TraceSink> sink);
  void detach(const TraceSink& sink) noexcept;
  inline TraceSink* trace() const noexcept { return trace_.load(std::memory_order_acquire); }

  /// Throws SchedulerError if this is a child process of the one that made the engine.
  void check_process() const;
  /// In a child process: makes a Var of the parent's this process's. Throws SchedulerError if ops were pending on it.
  void take_over(VarState& var) const;

 private:
  void check_accesses(OpState& op);
  bool register_accesses(OpState& op, std::uint64_t& submitted_before);
  void find_failure(OpState& op) noexcept;
  void grant(Access* granted, ReadyList& ready) noexcept;
  void became_ready(OpState& op, ReadyList& ready) noexcept;
  void end_with_outcomes(OpState& op, ReadyList& ready) noexcept;
  void end_extras(OpState& op, ReadyList& ready) noexcept;

  Patience patience_;
  std::shared_ptr<Executor> executor_;
  std::uint32_t process_ = process_number();
  std::atomic<TraceSink*> trace_{nullptr};
  std::vector<std::shared_ptr<TraceSink>> sinks_;  // guarded by parking_
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> retired_{false};
  BegunCoroutines begun_coroutines_;
  Parking parking_;
  Backlog backlog_;
  UnobservedFailures unobserved_;
};

/// Nanoseconds of the steady clock.
std::int64_t now() noexcept;

}  // namespace tessera
