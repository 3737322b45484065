module;
#include <cstddef>
export module tessera.schedule:op;
import tessera.standard;
import :recycling;
import :failure;
import :op_state;
import :op_end;
import :var;
import :access;
import :engine;
import :callable_op;

// Ops as coroutines, and the handle of an op.
namespace tessera {

export class Scheduler;

/// The op that runs on this thread. Throws SchedulerError if there is none: `operation` needs one.
OpState& current_op(const char* operation);

namespace schedule {

/// What the coroutine op that runs on this thread takes with it from thread to thread; null if none runs.
export std::shared_ptr<void>* local_of_coroutine() noexcept;

}  // namespace schedule
using schedule::local_of_coroutine;

Engine& engine_of(Scheduler& scheduler) noexcept;

/// Where a coroutine op ends; returns what to resume instead.
std::coroutine_handle<> end_coroutine(OpState& op) noexcept;

/// Submits a coroutine op at its access().
void submit_coroutine(OpState& op, Engine* engine, std::coroutine_handle<> point);

void destroy_coroutine_parts(OpState& op) noexcept;

[[noreturn]] void throw_moved_from_op();

/// An op that has been submitted: as the return type of a coroutine it makes that coroutine an op.
///
///   Op load(Scheduler& scheduler, Var& out, std::string path) {
///     co_await access(writes(out));   // registers it, with all its Vars, in the order of submission
///     ...                             // runs on a worker once `out` is ready
///   }
///
/// One parameter of the coroutine must be a Scheduler&. What stands before access() runs on the submitting thread. A handle can be
/// awaited in an op, or waited for by Scheduler::wait; dropping it changes nothing.
export class [[nodiscard("co_await it, wait for it, or cast it to void")]] Op {
 public:
  struct promise_type;

  inline explicit Op(OpState& state) noexcept : state_(&state) {}
  inline Op(Op&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Op& operator=(Op other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  inline ~Op() {
    if (state_ != nullptr) release_op(*state_);
  }

  /// Throws SchedulerError if the handle has been moved from.
  inline OpState& state() const {
    if (state_ == nullptr) throw_moved_from_op();
    return *state_;
  }

  // clang-format off
  friend std::ostream& operator<<(std::ostream&, const Op&) = delete;  // an Op has nothing to print: print what it writes
  // clang-format on

 private:
  OpState* state_;
};

/// The first argument that is a Scheduler.
template <class First, class... Rest>
Engine* find_engine(First& first, Rest&... rest) noexcept {
  if constexpr (std::same_as<std::remove_const_t<First>, Scheduler>) {
    return &engine_of(first);
  } else if constexpr (std::same_as<std::remove_const_t<First>, Engine>) {
    return &first;
  } else if constexpr (sizeof...(Rest) != 0) {
    return find_engine(rest...);
  } else {
    return nullptr;
  }
}

template <class... Args>
concept HasScheduler = ((std::same_as<Args, Scheduler> || std::same_as<Args, Engine>) || ...);

void run_coroutine(OpState& op);
void drop_coroutine(OpState& op) noexcept;

template <class T>
inline constexpr bool is_access_awaiter = false;

/// Throws SchedulerError if a coroutine has not come to its access().
void check_is_submitted(const OpState& op);

struct Op::promise_type : OpState {
  promise_type() = delete;

  // It throws nothing: a frame whose promise fails to be made is freed, and without optimisation clang looks there for the exception.
  template <class... Args>
  explicit promise_type(Args&... args) noexcept {
    static_assert(HasScheduler<Args...>,
                  "one parameter of a coroutine that returns Op must be a Scheduler&: it runs the op");
    kind = &coroutine_kind;
    engine = find_engine(args...);
    set(OpState::is_coroutine);
    shares.store(2, std::memory_order_relaxed);
    extras = &own_extras;
    own_extras.open_scopes = thread_context().open_scopes;
  }
  inline ~promise_type() {
    extras = nullptr;
    free_parts(*this);
  }

  inline static void* operator new(std::size_t bytes) { return take_recycled(bytes); }
  inline static void operator delete(void* frame, std::size_t bytes) noexcept { give_recycled(frame, bytes); }

  inline Op get_return_object() { return Op(*this); }
  inline std::suspend_never initial_suspend() noexcept { return {}; }

  struct AtEnd {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
      return end_coroutine(handle.promise());
    }
    void await_resume() noexcept {}
  };
  inline AtEnd final_suspend() noexcept { return {}; }

  /// Before its access() a coroutine is no op yet, but a part of whoever calls it: nobody could resume it.
  template <class Awaitable>
  Awaitable&& await_transform(Awaitable&& awaited) const {
    if constexpr (!is_access_awaiter<std::remove_cvref_t<Awaitable>>) check_is_submitted(*this);
    return std::forward<Awaitable>(awaited);
  }

  inline void unhandled_exception() noexcept { failure = failure_of_current_exception(name, where); }
  inline void return_void() noexcept {}

  inline static void free(OpState& op) noexcept {
    std::coroutine_handle<promise_type>::from_promise(static_cast<promise_type&>(op)).destroy();
  }

  OpExtras own_extras;
  static constexpr OpKind coroutine_kind{.run = run_coroutine, .drop = drop_coroutine, .free = free};
};

/// What access() returns.
template <AccessDeclaration... D>
class [[nodiscard("co_await it: the coroutine declares nothing otherwise")]] AccessAwaiter {
 public:
  AccessAwaiter(const D&... declarations, const OpOptions& options, const std::source_location& where)
      : declarations_(declarations...), options_(options), where_(where) {}

  inline bool await_ready() const noexcept { return false; }
  inline void await_suspend(std::coroutine_handle<Op::promise_type> handle) {
    OpState& op = handle.promise();
    check_not_submitted(op);
    try {
      set_options(op, options_, where_);
      std::apply([&op](const auto&... declarations) { declare(op, declarations...); }, declarations_);
      submit_coroutine(op, op.engine, handle);
    } catch (...) {  // thrown to the coroutine, which has not been registered and may try again
      forget_declaration(op);
      throw;
    }
  }
  inline void await_resume() const noexcept {}

 private:
  static void check_not_submitted(const OpState& op);

  std::tuple<D...> declarations_;
  OpOptions options_;
  std::source_location where_;
};

template <AccessDeclaration... D>
inline constexpr bool is_access_awaiter<AccessAwaiter<D...>> = true;

[[noreturn]] void throw_second_access(const OpState& op);

template <AccessDeclaration... D>
void AccessAwaiter<D...>::check_not_submitted(const OpState& op) {
  if (op.has(OpState::is_submitted)) throw_second_access(op);
}

/// Awaited once in a coroutine op: registers it in the queues of all its Vars at once, and goes on when they are ready.
/// Throws SchedulerError (second access, erased Var), std::bad_alloc.
export template <AccessDeclaration R, AccessDeclaration W>
AccessAwaiter<R, W> access(const R& first, const W& second, const OpOptions& options = {},
                           const std::source_location& where = std::source_location::current()) {
  return {first, second, options, where};
}
export template <AccessDeclaration D>
AccessAwaiter<D> access(const D& declaration, const OpOptions& options = {},
                        const std::source_location& where = std::source_location::current()) {
  return {declaration, options, where};
}
export inline AccessAwaiter<> access(const OpOptions& options = {},
                                     const std::source_location& where = std::source_location::current()) {
  return {options, where};
}

/// Throws SchedulerError if `op` is `target` or a part of it, so that it would wait for its own end.
void check_not_around(const OpState& target, const OpState& op);

/// Waits in an op for another op. Throws OperationFailed if that one failed.
class OpEndAwaiter : OpAwaiter {
 public:
  inline explicit OpEndAwaiter(OpState& target) noexcept : target_(&target) {}

  inline bool await_ready() const noexcept { return false; }
  inline bool await_suspend(std::coroutine_handle<> point) {
    op = &current_op("co_await of an op");
    check_not_around(*target_, *op);
    op->set_resume_point(point);
    return await_end(*target_, *this);
  }
  inline void await_resume() const {
    if (failure) throw_failure(*failure);
  }

 private:
  OpState* target_;
};

export inline OpEndAwaiter operator co_await(const Op& op) { return OpEndAwaiter(op.state()); }

/// Waits in an op for the ops submitted so far that write a Var. Throws OperationFailed if it is poisoned.
class VarAwaiter : OpState {
 public:
  explicit VarAwaiter(const Var& var) noexcept;

  inline bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> point);
  inline void await_resume() const {
    if (failure) throw_failure(*failure);
  }

 private:
  static void go_on(OpState& waiter);
  static const OpKind var_awaiter_kind;

  Var var_;
  OpState* op_ = nullptr;
};

export inline VarAwaiter operator co_await(const Var& var) noexcept { return VarAwaiter(var); }

/// Lets other ready ops go first.
struct YieldAwaiter {
  inline bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> point) const;
  inline void await_resume() const noexcept {}
};
/// Awaited in a coroutine op: lets other ready ops go first.
export inline YieldAwaiter yield() noexcept { return {}; }

}  // namespace tessera
