export module tessera.schedule:completion;
import tessera.standard;
import :op_state;
import :op;

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
};

export inline CompletionAwaiter operator co_await(const Completion& completion) noexcept {
  return CompletionAwaiter(completion.state());
}

}  // namespace tessera
