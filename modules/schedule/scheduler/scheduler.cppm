module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:scheduler;
import tessera.standard;
import :op_state;
import :op_end;
import :var;
import :access;
import :engine;
import :waiting;
import :callable_op;
import :op;
import :capture;
import :recording;

// The scheduler: ops go in with the Vars that they read and write, and run when those are ready.
namespace tessera {

/// Ops run on the thread that makes them ready, one after the other: for debugging.
export struct Inline {};

/// Ops run on the thread that waits, in an order drawn from `seed` among all that their Vars allow: for tests.
export struct Permuting {
  std::uint64_t seed = 0;
};

/// Ops run on threads of oneTBB.
export struct ThreadPool {};

/// What may be chosen for a scheduler.
export struct SchedulerOptions {
  int workers = 0;  ///< ops that run at once in a ThreadPool; 0: num_threads()
  std::variant<ThreadPool, Inline, Permuting> executor = ThreadPool{};
  std::ptrdiff_t window = 1 << 16;  ///< pending ops above which submit() blocks; 0: no bound
  std::ptrdiff_t window_bytes = 0;  ///< the same for the sum of OpOptions::bytes
  /// How long shutdown() and the destructor see nothing run before a line on stderr names the coroutines that have not ended; 0: never.
  std::chrono::milliseconds patience{10'000};
};

/// What happens to pending ops when a scheduler is shut down.
export enum class Shutdown { drain, cancel };

/// A look at a running scheduler; the numbers are of nearly the same moment.
export struct SchedulerCounters {
  std::uint64_t submitted = 0;
  std::uint64_t pending = 0;                   ///< not ended
  int running = 0;                             ///< workers that have an op
  std::ptrdiff_t bytes = 0;                    ///< sum of OpOptions::bytes over pending ops
  std::vector<std::chrono::nanoseconds> busy;  ///< by worker, since the scheduler was made
};

/// Runs ops when what they read has been written and what they write is no longer in use. Ops that share no Var, or only read
/// those they share, run at the same time; everything else runs in the order of submission. All functions may be called from any
/// thread. Source: the dependency engine of MXNet (Chen et al., arXiv:1512.01274, section 3.2).
export class Scheduler {
 public:
  /// Throws SchedulerError if an option is out of range, std::bad_alloc.
  explicit Scheduler(const SchedulerOptions& options = {});
  Scheduler(const Scheduler&) = delete;
  // clang-format off
  friend std::ostream& operator<<(std::ostream&, const Scheduler&) = delete;  // a Scheduler has nothing to print: write its trace
  // clang-format on
  Scheduler& operator=(const Scheduler&) = delete;
  /// Drains. A scheduler that is stopped, or in a child process, drops what is pending.
  ~Scheduler();

  /// Submits `body`, which is called without arguments once its Vars are ready. Blocks while the window is full, except inside an
  /// op. Inside an op: the new op is part of the running one, which ends only after it. If the body throws, the Vars that it writes
  /// are poisoned. Throws SchedulerError (erased Var, child process), std::bad_alloc; nothing has happened then.
  template <AccessDeclaration R, AccessDeclaration W, OpBody F>
  void submit(const R& first, const W& second, F&& body, const OpOptions& options = {},
              const std::source_location& where = std::source_location::current()) {
    UnsubmittedOp op = make_callable_op(std::forward<F>(body), options, where);
    declare(*op, first, second);
    submit_op(std::move(op));
  }
  // clang-format off
  template <AccessDeclaration D, OpBody F>
  void submit(const D& declaration, F&& body, const OpOptions& options = {},  // reads(...), writes(...) or both, in this order; a body without arguments, moved in if it cannot be copied
      // clang-format on
      const std::source_location& where = std::source_location::current()) {
    UnsubmittedOp op = make_callable_op(std::forward<F>(body), options, where);
    declare(*op, declaration);
    submit_op(std::move(op));
  }

  /// As submit, and returns a handle that can be waited for.
  template <AccessDeclaration R, AccessDeclaration W, OpBody F>
  Op launch(const R& first, const W& second, F&& body, const OpOptions& options = {},
            const std::source_location& where = std::source_location::current()) {
    UnsubmittedOp op = make_callable_op(std::forward<F>(body), options, where);
    declare(*op, first, second);
    return launch_op(std::move(op));
  }
  // clang-format off
  template <AccessDeclaration D, OpBody F>
  Op launch(const D& declaration, F&& body, const OpOptions& options = {},  // reads(...), writes(...) or both, in this order; a body without arguments, moved in if it cannot be copied
      // clang-format on
      const std::source_location& where = std::source_location::current()) {
    UnsubmittedOp op = make_callable_op(std::forward<F>(body), options, where);
    declare(*op, declaration);
    return launch_op(std::move(op));
  }

  /// Records the ops that `body` submits to this scheduler on this thread, instead of running them, with what waits for
  /// what. `body` takes any number of Parameter<T>, by which the ops see what Step::replay() is given. Their callables are
  /// called once a replay. Throws what `body` throws, SchedulerError for what cannot be recorded (a coroutine op,
  /// launch(), erase(), a replay), std::bad_alloc; nothing has been recorded then.
  // clang-format off
  template <Recordable F>
  auto capture(F&& body, const CaptureOptions& options = {}) {  // the body takes nothing but Parameter<T>, and its types are written out
    // clang-format on
    return record(engine_, std::forward<F>(body), options);
  }
  /// The same with examples of what replay() will be given, for the first parameters of `body`. Nothing is computed from them and none is
  /// kept: expressions of parameters that are arrays take their shape and place from them, and each replay must have arrays of that
  /// shape and place.
  // clang-format off
  template <Recordable F, class... Examples>
    requires(sizeof...(Examples) > 0) && ExamplesFor<F, Examples...>
  auto capture(F&& body, const CaptureOptions& options, const Examples&... examples) {  // the examples are values for the body's first parameters, in their order
    return record(engine_, std::forward<F>(body), options, examples...);
  }
  template <Recordable F, class First, class... Examples>
    requires(!std::same_as<First, CaptureOptions>) && ExamplesFor<F, First, Examples...>
  auto capture(F&& body, const First& first, const Examples&... examples) {  // the examples are values for the body's first parameters, in their order
    // clang-format on
    return record(engine_, std::forward<F>(body), CaptureOptions(), first, examples...);
  }

  /// Waits for the ops submitted so far that write `var`. Throws OperationFailed if it is poisoned, each time; SchedulerError inside
  /// an op, where co_await is the way to wait.
  inline void wait(const Var& var) { tessera::wait_for(*engine_, var, {}); }
  /// The same; throws DeadlineExceeded, which names the op that has not ended.
  template <class Rep, class Period>
  void wait_for(const Var& var, const std::chrono::duration<Rep, Period>& duration) {
    tessera::wait_for(*engine_, var, deadline_in(duration));
  }
  inline void wait_until(const Var& var, std::chrono::steady_clock::time_point deadline) {
    tessera::wait_for(*engine_, var, deadline);
  }

  /// Waits for an op. Throws OperationFailed if it failed.
  void wait(const Op& op);

  /// Waits until nothing is pending. Throws the first failure since the last call that no Var tells of, because its op writes none.
  inline void wait_all() { wait_for_all(*engine_, {}); }
  template <class Rep, class Period>
  void wait_all_for(const std::chrono::duration<Rep, Period>& duration) {
    wait_for_all(*engine_, deadline_in(duration));
  }

  /// From now on no op may name `var`. `finally` is called when the ops submitted before have ended, even if they failed.
  template <OpBody F>
  void erase(const Var& var, F&& finally, const std::source_location& where = std::source_location::current()) {
    UnsubmittedOp op = make_callable_op(std::forward<F>(finally), {.name = "erase", .always_run = true}, where);
    op->set(OpState::closes_vars);
    declare(*op, writes(var));
    submit_op(std::move(op));
  }
  inline void erase(const Var& var) {
    erase(var, [] {});
  }

  /// Begins no op until start(); returns when none runs. Ops may be submitted meanwhile, without bound.
  void stop();
  void start();

  /// Waits until nothing is pending; with Shutdown::cancel, ops that have not begun are cancelled, and the Vars that they should
  /// have written are poisoned by Cancelled. The scheduler can be used again afterwards. A coroutine that has begun ends only by itself,
  /// so what it awaits must come.
  inline void shutdown(Shutdown how) { shut_down(how, {}); }
  /// The same; throws DeadlineExceeded, which names the coroutines that have not ended.
  template <class Rep, class Period>
  void shutdown_for(Shutdown how, const std::chrono::duration<Rep, Period>& duration) {
    shut_down(how, deadline_in(duration));
  }

  inline int workers() const noexcept { return engine_->executor().workers(); }
  SchedulerCounters counters() const;

  inline const std::shared_ptr<Engine>& engine() const noexcept { return engine_; }

 private:
  template <class Rep, class Period>
  static Deadline deadline_in(const std::chrono::duration<Rep, Period>& duration) {
    return core::time_after(duration);
  }

  void shut_down(Shutdown how, const Deadline& deadline);
  void submit_op(UnsubmittedOp op);
  Op launch_op(UnsubmittedOp op);

  std::shared_ptr<Engine> engine_;
};

}  // namespace tessera
