module;
#include <cstddef>
export module tessera.schedule:task;
import tessera.standard;
import :recycling;
import :failure;
import :op_state;
import :access;
import :engine;
import :op;
import :completion;

// Coroutines that return values, for use inside ops.
namespace tessera {

struct TaskPromiseBase {
  struct AtEnd {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) noexcept {
      return handle.promise().continuation;
    }
    void await_resume() noexcept {}
  };

  TaskPromiseBase() = default;

  inline static void* operator new(std::size_t bytes) { return take_recycled(bytes); }
  inline static void operator delete(void* frame, std::size_t bytes) noexcept { give_recycled(frame, bytes); }

  inline std::suspend_always initial_suspend() noexcept { return {}; }
  inline AtEnd final_suspend() noexcept { return {}; }

  std::coroutine_handle<> continuation = std::noop_coroutine();
  bool is_awaited = false;
};

/// Throws SchedulerError: it has been awaited, or moved from.
[[noreturn]] void throw_no_task(bool is_awaited);

/// `void` as a type that can be stored.
template <class T>
using stored_t = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// A coroutine that computes a T when it is awaited, in the op that awaits it. What it throws, who awaits it gets.
export template <class T = void>
class [[nodiscard("a task does nothing until it is awaited")]] Task {
 public:
  struct promise_type;
  using value_type = T;

  inline Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  inline ~Task() {
    if (handle_) handle_.destroy();
  }

  // clang-format off
  friend std::ostream& operator<<(std::ostream&, const Task&) = delete;  // a Task is no value: print what co_await gives
  // clang-format on

  /// Throws SchedulerError: a task runs once, and one that has been moved from never.
  inline bool await_ready() const {
    if (!handle_ || handle_.promise().is_awaited) throw_no_task(static_cast<bool>(handle_));
    return false;
  }
  inline std::coroutine_handle<> await_suspend(std::coroutine_handle<> continuation) noexcept {
    handle_.promise().continuation = continuation;
    handle_.promise().is_awaited = true;
    return handle_;
  }
  inline T await_resume() { return handle_.promise().take(); }

 private:
  inline explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  template <class U>
  void return_value(U&& value) {
    result.template emplace<1>(std::forward<U>(value));
  }
  inline T take() {
    if (result.index() == 2) std::rethrow_exception(std::get<2>(result));
    return std::move(std::get<1>(result));
  }
  inline void unhandled_exception() noexcept { result.template emplace<2>(std::current_exception()); }

  std::variant<std::monostate, T, std::exception_ptr> result;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  inline void return_void() noexcept {}
  inline void take() const {
    if (failure) std::rethrow_exception(failure);
  }
  inline void unhandled_exception() noexcept { failure = std::current_exception(); }

  std::exception_ptr failure;
};

template <class T>
struct Task<T>::promise_type : TaskPromise<T> {
  promise_type() = default;
  inline Task get_return_object() noexcept { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
};

/// The engine of the op that runs on this thread. Throws SchedulerError if there is none.
Engine& current_engine(const char* operation);

/// Throws SchedulerError if there is none to wait for.
void check_some_tasks(std::size_t count);

/// What a task has returned or thrown. The task's op shares it, so that it may outlive who asked for it.
template <class T>
struct TaskResult {
  std::optional<stored_t<T>> value;
  std::exception_ptr failure;
};

/// Runs a task in the op that awaits this and keeps what it returns or throws.
template <class T>
Task<> keep_result(Task<T> task, TaskResult<T>& result) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(task);
      result.value.emplace();
    } else {
      result.value.emplace(co_await std::move(task));
    }
  } catch (...) {
    result.failure = std::current_exception();
  }
}

/// Runs a task as an op of its own. It is part of an op that has begun, so it is begun too, whatever is cancelled.
template <class T>
Op run_task(Engine&, Task<T> task, std::shared_ptr<TaskResult<T>> result) {
  co_await access({.name = "task", .always_run = true});
  co_await keep_result(std::move(task), *result);
}

/// Runs tasks beside each other, as ops of their own, and returns their values when all have ended (std::monostate for void). If tasks
/// throw, the exception of the first of them in this order is rethrown, after all have ended.
export template <class... T>
  requires(sizeof...(T) > 0)
Task<std::tuple<stored_t<T>...>> when_all(Task<T>... tasks) {
  Engine& engine = current_engine("when_all");
  const auto results = std::make_tuple(make_shared_object<TaskResult<T>>()...);
  std::vector<Op> ops;
  std::exception_ptr failure;
  try {
    ops.reserve(sizeof...(T));
    std::apply([&](auto&... result) { (ops.push_back(run_task(engine, std::move(tasks), result)), ...); }, results);
  } catch (...) {
    failure = std::current_exception();
  }
  for (const Op& op : ops) co_await op;
  std::apply([&](auto&... result) { ((failure ? void() : void(failure = result->failure)), ...); }, results);
  if (failure) std::rethrow_exception(failure);
  co_return std::apply([](auto&... result) { return std::tuple<stored_t<T>...>(std::move(*result->value)...); },
                       results);
}

/// The same for any number of tasks of one type.
export template <class T>
Task<std::vector<stored_t<T>>> when_all(std::vector<Task<T>> tasks) {
  Engine& engine = current_engine("when_all");
  std::vector<std::shared_ptr<TaskResult<T>>> results;
  std::vector<Op> ops;
  std::exception_ptr failure;
  try {
    ops.reserve(tasks.size());
    for (Task<T>& task : tasks) {
      results.push_back(make_shared_object<TaskResult<T>>());
      ops.push_back(run_task(engine, std::move(task), results.back()));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  for (const Op& op : ops) co_await op;
  for (std::size_t at = 0; at < results.size() && !failure; ++at) failure = results[at]->failure;
  if (failure) std::rethrow_exception(failure);
  std::vector<stored_t<T>> values;
  values.reserve(results.size());
  for (const auto& result : results) values.push_back(std::move(*result->value));
  co_return values;
}

/// What when_any returns: the value of the task that ended first, and which one that was.
export template <class T>
struct First {
  std::size_t index = 0;
  stored_t<T> value{};
};

template <class T>
struct FirstState {
  std::atomic<bool> claimed{false};
  Completion done;
  std::size_t index = 0;
  std::optional<stored_t<T>> value;
  std::stop_source stop;
};

template <class T>
Op run_first(Engine&, Task<T> task, std::size_t index, std::shared_ptr<FirstState<T>> state) {
  TaskResult<T> result;
  try {
    co_await access({.name = "task", .always_run = true});
    co_await keep_result(std::move(task), result);
  } catch (...) {
    result.failure = std::current_exception();
  }
  if (state->claimed.exchange(true)) co_return;
  state->index = index;
  state->value = std::move(result.value);
  state->stop.request_stop();
  result.failure ? state->done.fail(result.failure) : state->done.signal();
}

/// Runs tasks beside each other and returns the value of the first that ends, or rethrows what it threw. The others are asked to end
/// through `stop`, whose tokens they may have, and end at the latest before the op does that awaits this.
export template <class T>
Task<First<T>> when_any(std::stop_source stop, std::vector<Task<T>> tasks) {
  Engine& engine = current_engine("when_any");
  check_some_tasks(tasks.size());
  auto state = make_shared_object<FirstState<T>>();
  state->stop = std::move(stop);
  for (std::size_t at = 0; at < tasks.size(); ++at) {
    static_cast<void>(run_first(engine, std::move(tasks[at]), at, state));
  }
  co_await state->done;
  co_return First<T>{.index = state->index, .value = std::move(*state->value)};
}
export template <class T>
Task<First<T>> when_any(std::vector<Task<T>> tasks) {
  return when_any(std::stop_source(), std::move(tasks));
}

}  // namespace tessera
