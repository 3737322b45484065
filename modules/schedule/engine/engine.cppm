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
import :begun_coroutines;
import :trace_sink;
import :op_end;
import :process;

// The protocol of Vars and ops: submission, grants, completion. It knows no callables, no coroutines and no threads.
namespace tessera {

struct StreamWait;

/// What this thread is doing for which engine.
export struct ThreadContext {
  OpState* op = nullptr;            // runs now
  OpState* next = nullptr;          // what a coroutine that ended hands over to the loop below it
  unsigned handed_over = 0;         // in a row
  int until_count_waiters = 0;      // ended ops until it looks at them
  unsigned count_group = UINT_MAX;  // none yet
  bool has_submitted = false;       // the op that runs now, an op
  int open_scopes = 0;              // Async scopes that belong to the thread
  int worker = -1;
  const void* pool = nullptr;       // the executor whose worker this thread is now
  class Engine* drained = nullptr;  // the engine whose inline queue this thread empties
  class Recorder* recorder = nullptr;
  StreamWait* stream_wait =
      nullptr;  // for which the op that runs now, a callable, has given up its turn; see stream_wait.cppm
};

extern constinit thread_local ThreadContext context_of_thread;
export inline ThreadContext& thread_context() noexcept { return context_of_thread; }

/// What the coroutine op that runs on this thread takes with it from thread to thread; null if none runs.
export std::shared_ptr<void>* local_of_coroutine() noexcept;

/// Bounds on what may be pending; 0 is no bound.
struct Window {
  std::ptrdiff_t ops = 0;
  std::ptrdiff_t bytes = 0;
};

/// How long the end of a scheduler waits in silence; 0 is for ever.
using Patience = std::chrono::milliseconds;

/// Ops that were submitted and that have ended, counted apart for some groups of threads so that they do not share a cache line.
class OpCounts {
 public:
  /// Returns how many this thread's group has submitted before.
  inline std::uint64_t add_submitted() noexcept { return here().submitted.fetch_add(1, std::memory_order_relaxed); }
  inline void add_ended() noexcept { here().ended.fetch_add(1, std::memory_order_seq_cst); }

  std::uint64_t submitted() const noexcept;
  std::uint64_t ended() const noexcept;
  /// Ended ops are counted first: so it is 0 only if at some moment in between nothing was pending.
  inline std::uint64_t pending() const noexcept {
    const std::uint64_t gone = ended();
    return submitted() - gone;
  }

 private:
  struct alignas(64) Count {
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<std::uint64_t> ended{0};
  };
  static constexpr std::size_t groups = 8;

  inline Count& here() noexcept;

  std::array<Count, groups> counts_{};
};

/// The group of threads that this one counts with.
unsigned new_count_group(unsigned groups) noexcept;

inline OpCounts::Count& OpCounts::here() noexcept {
  unsigned& group = context_of_thread.count_group;
  if (group == UINT_MAX) [[unlikely]]
    group = new_count_group(groups);
  return counts_[group];
}

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

/// What a thread is about to do to some data: after a rewrite nothing is left of what failed ops should have written.
export enum class Purpose { read, change, rewrite };

export class Engine : public std::enable_shared_from_this<Engine> {
 public:
  inline Engine(const Window& window, Patience patience) : window_(window), patience_(patience) {}
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

  /// Waits for the writes of a Var that are pending now. Returns false when the deadline has passed.
  /// Unless it is for reading, for its reads too. Throws OperationFailed if the Var is poisoned and not to be rewritten.
  void wait(const Var& var, const Deadline& deadline, Purpose purpose = Purpose::read);
  /// As wait(), for a Var on which ops of other engines are pending too.
  void wait_among_engines(VarState& var, Purpose purpose);
  /// Waits for an op that has extras.
  void wait(OpState& op);
  /// Waits until nothing is pending.
  void wait_all(const Deadline& deadline, const char* operation = "wait_all", SleepWatch* watch = nullptr);

  /// As wait_all(). If for its patience no op runs, a line on stderr names the coroutines that have begun.
  void shut_down(const Deadline& deadline);
  /// The same on any thread, without a look at failures.
  void drain() noexcept;
  /// As "op 'load' (main.cpp:12), op 'send' (main.cpp:30)"; empty if there are none. Throws std::bad_alloc.
  std::string description_of_begun_coroutines() const;

  /// Ends a granted access of somebody who waited; those that it was in the way of are queued.
  void end_accesses(OpState& op, ReadyList& ready) noexcept;
  /// Appends a waiter's access, a write if it is to be exclusive. Returns whether there was nothing to wait for.
  bool append_waiter(OpState& waiter, VarState& var, bool exclusive = false);
  /// Takes it out again. Returns false if it has been granted, and is or will be told so.
  bool withdraw_waiter(OpState& waiter, VarState& var) noexcept;
  /// Ended ops tell only now and then those who wait for a number of pending ops; executors call this when they have no op left.
  void look_at_count_waiters() noexcept;

  /// Gives ready ops to their executors.
  void distribute(ReadyList& ready) noexcept;

  inline void cancel_all() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  /// Its scheduler goes away: nobody may submit any more, though a worker may hold the engine for a while.
  inline void retire() noexcept { retired_.store(true, std::memory_order_release); }
  inline bool is_retired() const noexcept { return retired_.load(std::memory_order_acquire); }
  inline bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
  inline void allow_all() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

  inline Parking& parking() noexcept { return parking_; }
  inline const OpCounts& counts() const noexcept { return counts_; }
  inline std::ptrdiff_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// Reports go to `sink` from now on. It is kept as long as the engine, because a worker may just be about to report.
  void attach(std::shared_ptr<TraceSink> sink);
  void detach(const TraceSink& sink) noexcept;
  inline TraceSink* trace() const noexcept { return trace_.load(std::memory_order_acquire); }

  /// Throws SchedulerError if this is a child process of the one that made the engine.
  void check_process() const;
  /// In a child process: makes a Var of the parent's this process's. Throws SchedulerError if ops were pending on it.
  void take_over(VarState& var) const;
  SharedFailure take_unobserved() noexcept;
  void note_unobserved(const SharedFailure& failure) noexcept;

 private:
  struct CountWaiter {
    Signal* signal;
    std::uint64_t most;  // pending ops
    std::ptrdiff_t bytes;
    CountWaiter* next;
  };

  void check_accesses(OpState& op);
  bool register_accesses(OpState& op, std::uint64_t& submitted_before);
  void find_failure(OpState& op) noexcept;
  void grant(Access* granted, ReadyList& ready) noexcept;
  void became_ready(OpState& op, ReadyList& ready) noexcept;
  void end_with_outcomes(OpState& op, ReadyList& ready) noexcept;
  void count_ended() noexcept;
  void tell_count_waiters() noexcept;
  void set_count_period() noexcept;
  void end_extras(OpState& op, ReadyList& ready) noexcept;
  void wait_for_room(const OpState& op);
  void bound_pending(std::uint64_t submitted_before);
  bool wait_for_count(std::uint64_t most, std::ptrdiff_t bytes, const Deadline& deadline, SleepWatch* watch = nullptr);
  std::string holders_of(VarState& var);
  void forget_observed() noexcept;

  Window window_;
  Patience patience_;
  std::shared_ptr<Executor> executor_;
  std::uint32_t process_ = process_number();
  std::atomic<TraceSink*> trace_{nullptr};
  std::vector<std::shared_ptr<TraceSink>> sinks_;  // guarded by parking_
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> retired_{false};
  OpCounts counts_;
  BegunCoroutines begun_coroutines_;
  alignas(64) std::atomic<int> count_period_{
      0};  // ended ops of a thread between looks at those who wait for counts; 0: nobody does
  std::atomic<std::ptrdiff_t> bytes_{0};
  Parking parking_;
  CountWaiter* first_count_waiter_ = nullptr;  // guarded by parking_
  std::mutex unobserved_mutex_;
  std::array<SharedFailure, 8> unobserved_;  // the first ones, oldest first, then empty ones
};

/// Nanoseconds of the steady clock.
std::int64_t now() noexcept;

/// Lets the op, which this thread has left, run again when its wait is over.
void begin_stream_wait(OpState& op) noexcept;

/// Sorts an op's accesses by Var, merges those of one Var and numbers them.
void normalise_accesses(OpState& op);

/// Takes a submitted op into a recording instead; it is the recording's then. Throws SchedulerError if it cannot be recorded,
/// std::bad_alloc.
void record_submission(Recorder& recorder, OpState& op);

/// A coroutine has failed before it became an op: while something is recorded, that is an error of the recording.
void record_failure(Recorder& recorder, const SharedFailure& failure) noexcept;

/// Throws SchedulerError if this thread records for that engine, which is only compared.
void check_not_recording(const Engine* engine, const char* operation);

/// Starts a replay, or runs an op of one. Returns the op to run next on this thread, or nullptr.
OpState* run_recorded(OpState& op) noexcept;

/// Ends an op of a recording after the ops that it submitted. Returns its replay if it was the last one of that.
OpState* end_recorded(OpState& op, ReadyList& ready) noexcept;

/// Throws SchedulerError if this thread runs an op.
void check_may_block(const char* operation);

/// Waits for what is pending on the Var of some data that this thread is about to access. Inside an op it does not wait: the op must
/// have declared the Var, or nothing may be pending on it. Throws OperationFailed if the Var is poisoned and not rewritten,
/// SchedulerError, also while this thread records for the engine that `last_named` once was. That one is only compared: it may be gone.
export void settle(const Var& var, const Engine* last_named, Purpose purpose);

/// Engines whose schedulers live.
std::vector<std::shared_ptr<Engine>> live_engines();
void add_live_engine(const std::shared_ptr<Engine>& engine);

}  // namespace tessera
