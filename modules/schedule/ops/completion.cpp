module;
#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <utility>
module tessera.schedule;
import tessera.core;

// Signalling and awaiting a completion.
namespace tessera {

namespace {

/// Stands in the list of awaiters when the completion is over.
CompletionAwaiter& complete_mark() {
  static CompletionAwaiter mark{nullptr};
  return mark;
}

}  // namespace

namespace {

/// The wait of a callable op: it is deleted by who resumes the op.
struct CompletionWait : TurnWait, CompletionAwaiter {
  explicit CompletionWait(std::shared_ptr<CompletionState> awaited) : CompletionAwaiter(std::move(awaited)) {
    begin = begin_wait;
    is_owned = true;
  }

  static void begin_wait(TurnWait& turn, OpState& waiting) noexcept {
    auto& wait = static_cast<CompletionWait&>(turn);
    wait.op = &waiting;
    if (await_completion(wait)) return;
    delete &wait;
    waiting.engine->resume(waiting);
  }
};

/// Deletes a wait that nobody else owns.
void delete_wait(CompletionAwaiter& awaiter) noexcept { delete &static_cast<CompletionWait&>(awaiter); }

}  // namespace

bool Completion::is_complete() const noexcept {
  return state_->awaiters.load(std::memory_order_acquire) == &complete_mark();
}

void Completion::finish(std::exception_ptr failure) const {
  if (state_->claimed.exchange(true, std::memory_order_relaxed)) {
    throw SchedulerError(to_string({.operation = "Completion",
                                    .problem = "it has been signalled before",
                                    .advice = "signal() or fail() exactly once"}));
  }
  state_->failure = std::move(failure);
  CompletionAwaiter* awaiter = state_->awaiters.exchange(&complete_mark(), std::memory_order_acq_rel);
  while (awaiter != nullptr) {
    CompletionAwaiter* const next = awaiter->next;
    OpState& op = *awaiter->op;
    if (awaiter->is_owned) delete_wait(*awaiter);
    op.engine->resume(op);  // an awaiter in a coroutine may be gone after this
    awaiter = next;
  }
}

bool await_completion(CompletionAwaiter& awaiter) noexcept {
  std::atomic<CompletionAwaiter*>& awaiters = awaiter.state->awaiters;
  CompletionAwaiter* head = awaiters.load(std::memory_order_acquire);
  do {
    if (head == &complete_mark()) return false;
    awaiter.next = head;
  } while (!awaiters.compare_exchange_weak(head, &awaiter, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

bool CompletionAwaiter::await_suspend(std::coroutine_handle<> point) {
  op = &current_op("co_await of a Completion");
  op->set_resume_point(point);
  return await_completion(*this);
}

ThreadContext& schedule::context_that_gives_up_its_turn() {
  ThreadContext& context = thread_context();
  const bool may_wait = context.op != nullptr && !context.op->has(OpState::is_coroutine);
  if (may_wait && context.turn_wait == nullptr) return context;
  throw SchedulerError(
      to_string({.operation = "give_up_turn",
                 .problem = may_wait ? "the op has given up its turn already"
                                     : "no op with a callable body is running on this thread",
                 .advice = may_wait ? "return from the op's body" : "in a coroutine, co_await what it waits for"}));
}

void schedule::give_up_turn_until(const Completion& completion) {
  ThreadContext& context = context_that_gives_up_its_turn();
  context.turn_wait = new CompletionWait(completion.state());
}

}  // namespace tessera
