module;
#include <atomic>
#include <coroutine>
#include <memory>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// Coroutine ops: how they are begun, suspended and ended.
namespace tessera {

OpState& current_op(const char* operation) {
  OpState* op = thread_context().op;
  if (op == nullptr || !op->has(OpState::is_coroutine)) {
    throw SchedulerError(to_string({.operation = operation,
                                    .problem = "no coroutine op is running on this thread",
                                    .advice = "await access() first, or wait with Scheduler::wait"}));
  }
  return *op;
}

std::shared_ptr<void>* schedule::local_of_coroutine() noexcept {
  OpState* const op = thread_context().op;
  return op != nullptr && op->has(OpState::is_coroutine) && op->extras != nullptr ? &op->extras->local : nullptr;
}

Engine& engine_of(Scheduler& scheduler) noexcept { return *scheduler.engine(); }

void throw_moved_from_op() {
  throw SchedulerError(to_string({.operation = "Op", .problem = "the handle has been moved from"}));
}

void throw_second_access(const OpState& op) {
  throw SchedulerError(
      to_string({.operation = "access",
                 .problem = "op " + description_of(op.name, op.where) + " has declared its Vars already",
                 .advice = "name all Vars in one access(reads(...), writes(...))"}));
}

void submit_coroutine(OpState& op, Engine* engine, std::coroutine_handle<> point) {
  if (thread_context().open_scopes > op.extras->open_scopes) {
    throw SchedulerError(
        to_string({.operation = "access",
                   .problem = "an Async scope that this coroutine has begun would stay with the thread "
                              "that submits it",
                   .advice = "begin the scope after co_await access(...)"}));
  }
  op.set_resume_point(point);
  op.set(OpState::is_submitted);
  engine->submit(op);
}

void check_is_submitted(const OpState& op) {
  if (op.has(OpState::is_submitted)) return;
  throw SchedulerError(to_string({.operation = "co_await",
                                  .problem = "this coroutine has not declared what it accesses, so it is no op yet",
                                  .advice = "co_await access(...) first"}));
}

void check_not_around(const OpState& target, const OpState& op) {
  for (const OpState* around = &op; around != nullptr; around = around->parent) {
    if (around != &target) continue;
    throw SchedulerError(
        to_string({.operation = "co_await of an op",
                   .problem = "op " + description_of(op.name, op.where) + (&target == &op ? " is" : " is a part of") +
                              " the op that it would wait for",
                   .advice = "an op ends only after the ops that it has submitted"}));
  }
}

void run_coroutine(OpState& op) { op.resume_point().resume(); }

void drop_coroutine(OpState&) noexcept {}

std::coroutine_handle<> end_coroutine(OpState& op) noexcept {
  ThreadContext& context = thread_context();
  if (!op.has(OpState::is_submitted)) {  // it failed before its access(), or has none
    ReadyList none;
    static_cast<void>(tell_awaiters(op, none));
    if (op.failure && context.recorder != nullptr) {
      record_failure(*context.recorder, op.failure);
    } else if (op.failure) {
      op.engine->unobserved().note(op.failure);
    }
    release_op(op);
    return std::noop_coroutine();
  }
  context.op = nullptr;  // it may be gone soon
  OpState* next = op.engine->finish(op);
  while (next != nullptr) {
    if (!next->has(OpState::is_coroutine)) break;
    if (next->has(OpState::started) || next->engine->begin(*next)) {
      context.op = next;
      return next->resume_point();
    }
    next = next->engine->finish(*next);
  }
  context.next = next;
  return std::noop_coroutine();
}

const OpKind VarAwaiter::var_awaiter_kind{.run = VarAwaiter::go_on, .drop = nullptr, .free = nullptr};

VarAwaiter::VarAwaiter(const Var& var) noexcept : var_(var) { kind = &var_awaiter_kind; }

void VarAwaiter::go_on(OpState& waiter) {
  OpState& op = *static_cast<VarAwaiter&>(waiter).op_;
  op.engine->resume(op);
}

bool VarAwaiter::await_suspend(std::coroutine_handle<> point) {
  op_ = &current_op("co_await of a Var");
  if (!var_) throw_moved_from_var(*op_);
  for (OpState* outer = op_; outer != nullptr; outer = outer->parent) {
    for (int i = 0; i < outer->access_count; ++i) {
      const Access& held = outer->access(i);
      if (held.var() != var_.state()) continue;
      throw SchedulerError(
          to_string({.operation = "co_await of a Var",
                     .problem = "op " + description_of(outer->name, outer->where) + " accesses it itself",
                     .advice = "an op has what it declared from the beginning"}));
    }
  }
  if (process_number() != 0) op_->engine->take_over(*var_.state());
  op_->set_resume_point(point);
  return !op_->engine->append_waiter(*this, *var_.state());
}

void YieldAwaiter::await_suspend(std::coroutine_handle<> point) const {
  OpState& op = current_op("yield");
  op.set_resume_point(point);
  op.engine->resume(op);
}

}  // namespace tessera
