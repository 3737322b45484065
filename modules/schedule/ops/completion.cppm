export module tessera.schedule:completion;
import tessera.standard;
import :op_state;
import :op;
import :thread_context;

// A token for what happens outside of the scheduler: a file that has been read, a GPU that has reached an event.
namespace tessera {

struct CompletionAwaiter;

struct CompletionState {
  std::atomic<bool> claimed{false};  // one thread has signalled
  std::atomic<CompletionAwaiter*> awaiters{nullptr};
  std::exception_ptr failure;
};

/// Something that will be complete once. Any thread may signal it, exactly once; ops await it without holding a worker. A handle:
/// copies are the same completion.
export class Completion {
 public:
  /// Throws std::bad_alloc.
  inline Completion() : state_(make_shared_object<CompletionState>()) {}

  /// It is complete: who awaits it goes on. Throws SchedulerError the second time.
  inline void signal() const { finish({}); }
  /// It has failed: who awaits it gets the exception. Throws SchedulerError the second time.
  inline void fail(std::exception_ptr failure) const { finish(std::move(failure)); }

  bool is_complete() const noexcept;

  inline const std::shared_ptr<CompletionState>& state() const noexcept { return state_; }

 private:
  void finish(std::exception_ptr failure) const;

  std::shared_ptr<CompletionState> state_;
};

struct CompletionAwaiter {
  inline explicit CompletionAwaiter(std::shared_ptr<CompletionState> awaited) noexcept : state(std::move(awaited)) {}

  inline bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> point);
  inline void await_resume() const {
    if (state->failure) std::rethrow_exception(state->failure);
  }

  std::shared_ptr<CompletionState> state;
  OpState* op = nullptr;
  CompletionAwaiter* next = nullptr;
  bool is_owned = false;  // by nobody but the list: see give_up_turn
};

/// Puts the awaiter, whose op is known, into the list. Returns false if the completion is over.
bool await_completion(CompletionAwaiter& awaiter) noexcept;

namespace schedule {

/// The context of a thread on which a callable op may give up its turn. Throws SchedulerError if no such op is running or has done so already.
ThreadContext& context_that_gives_up_its_turn();

/// Lets the callable op that runs now give up its turn until the completion is over, or has failed; then its body is called once more. It
/// must return at once, and holds no worker meanwhile. Throws SchedulerError if no such op is running or has given up its turn already,
/// std::bad_alloc.
export void give_up_turn_until(const Completion& completion);

}  // namespace schedule
using schedule::context_that_gives_up_its_turn;

export inline CompletionAwaiter operator co_await(const Completion& completion) noexcept {
  return CompletionAwaiter(completion.state());
}

}  // namespace tessera
