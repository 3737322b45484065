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
    awaiter->op->engine->resume(*awaiter->op);  // the awaiter may be gone after this
    awaiter = next;
  }
}

bool CompletionAwaiter::await_suspend(std::coroutine_handle<> point) {
  op = &current_op("co_await of a Completion");
  op->set_resume_point(point);
  std::atomic<CompletionAwaiter*>& awaiters = state->awaiters;
  CompletionAwaiter* head = awaiters.load(std::memory_order_acquire);
  do {
    if (head == &complete_mark()) return false;
    next = head;
  } while (!awaiters.compare_exchange_weak(head, this, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

}  // namespace tessera
