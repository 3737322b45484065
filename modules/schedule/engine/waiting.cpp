module;
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.core;

// Waiting of threads: for a Var, for an op, for all ops.
namespace tessera {

void check_may_block(const char* operation) {
  const OpState* op = context_of_thread.op;
  if (op == nullptr) return;
  throw SchedulerError(
      to_string({.operation = operation,
                 .problem = "it would block the worker that runs op " + description_of(op->name, op->where),
                 .advice = "make the op a coroutine and use co_await"}));
}

namespace {

std::string holders_of(VarState& var) {
  const std::lock_guard lock(var.lock);
  if (var.written) {
    return "op " + description_of(var.writer_name.load(), var.writer_where.load()) + " has not ended";
  }
  if (var.head == nullptr) return "nothing is pending on it now";
  OpState& op = var.head->op();
  return "op " + description_of(op.name, op.where) + " waits for " + std::to_string(var.readers) + " that read it";
}

/// A thread that waits for a Var.
struct BlockedThread : OpState {
  explicit BlockedThread(Parking& parking) : signal(parking) {}
  Signal signal;
};

void wake_thread(OpState& waiter) { static_cast<BlockedThread&>(waiter).signal.set(); }

constexpr OpKind blocked_thread_kind{.run = wake_thread, .drop = nullptr, .free = nullptr};

}  // namespace

void wait_for(Engine& engine, const Var& var, const Deadline& deadline, Purpose purpose) {
  engine.check_process();
  check_not_recording(&engine, "wait");
  check_may_block("wait");
  if (!var) throw SchedulerError(to_string({.operation = "wait", .problem = "the Var has been moved from"}));
  VarState& state = *var.state();
  if (process_number() != 0) engine.take_over(state);
  BlockedThread waiter(engine.parking());
  waiter.kind = &blocked_thread_kind;
  if (!engine.append_waiter(waiter, state, purpose != Purpose::read) &&
      !engine.executor().wait(waiter.signal, deadline)) {
    const std::string holders = holders_of(state);
    if (engine.withdraw_waiter(waiter, state)) {
      throw DeadlineExceeded(to_string({.operation = "wait", .problem = "the deadline has passed: " + holders}));
    }
    waiter.signal.sleep({});  // it has just been granted
  }
  if (waiter.failure && purpose != Purpose::rewrite) throw_failure(*waiter.failure);
}

namespace {

/// For what several schedulers have pending: some of them run ops only while somebody waits with them, so each is waited with in turn.
void wait_among_engines(const std::vector<std::shared_ptr<Engine>>& engines, VarState& var, Purpose purpose) {
  constexpr auto turn = std::chrono::milliseconds(1);
  Engine& first = *engines.front();
  if (process_number() != 0) first.take_over(var);
  BlockedThread waiter(first.parking());
  waiter.kind = &blocked_thread_kind;
  bool is_granted = first.append_waiter(waiter, var, purpose != Purpose::read);
  while (!is_granted) {
    for (const std::shared_ptr<Engine>& engine : live_engines()) {
      is_granted = engine->executor().wait(waiter.signal, std::chrono::steady_clock::now() + turn);
      if (is_granted) break;
    }
  }
  // An executor may have seen the signal without the mutex of its parking. Who has set it may still be there, on a thread that keeps another engine alive.
  const std::lock_guard lock(first.parking().mutex);
  if (waiter.failure && purpose != Purpose::rewrite) throw_failure(*waiter.failure);
}

/// What is pending on a Var.
struct Pending {
  bool is_in_the_way = false;
  std::shared_ptr<Engine> engine;  // of all that is; none if there are several
  SharedFailure failure;           // of the Var, if nothing is
};

Pending pending_on(VarState& var, Purpose purpose) {
  const std::lock_guard lock(var.lock);
  if (!var.written && var.head == nullptr && (purpose == Purpose::read || var.readers == 0)) {
    return {.is_in_the_way = false, .engine = nullptr, .failure = var.failure};
  }
  // It cannot go away now, because an op ends only with this lock.
  return {
      .is_in_the_way = true, .engine = var.has_many_engines ? nullptr : var.engine->shared_from_this(), .failure = {}};
}

}  // namespace

void schedule::wait_before_access(const Var& var, const Engine* last_named, Purpose purpose) {
  OpState* const op = context_of_thread.op;
  if (op == nullptr) {
    check_not_recording(last_named, "wait");
    const Pending pending = pending_on(*var.state(), purpose);
    if (!pending.is_in_the_way) {
      if (pending.failure && purpose != Purpose::rewrite) throw_failure(*pending.failure);
      return;
    }
    if (pending.engine != nullptr) return wait_for(*pending.engine, var, {}, purpose);
    const std::vector<std::shared_ptr<Engine>> engines = live_engines();
    if (engines.empty()) {
      throw SchedulerError(to_string({.operation = "wait",
                                      .problem = "ops of the parent process were pending on this data when this "
                                                 "process was forked",
                                      .advice = "wait for them before fork()"}));
    }
    return wait_among_engines(engines, *var.state(), purpose);
  }
  if (process_number() != 0) op->engine->take_over(*var.state());
  SharedFailure failure;
  bool is_idle = false;
  {
    const std::lock_guard lock(var.state()->lock);
    is_idle = var.state()->is_idle();
    failure = var.state()->failure;
  }
  for (OpState* around = is_idle ? nullptr : op; around != nullptr; around = around->parent) {
    for (int i = 0; i < around->access_count; ++i) {
      if (around->access(i).var() == var.state()) return;
    }
  }
  if (failure && purpose != Purpose::rewrite) throw_failure(*failure);
  if (is_idle) return;
  throw SchedulerError(
      to_string({.operation = "element access",
                 .problem = "ops are pending on this data, and op " + description_of(op->name, op->where) +
                            " has not declared that it " + (purpose == Purpose::read ? "reads" : "writes") + " it",
                 .advice = "name its Var in reads() or writes(), or co_await it"}));
}

void wait_for(Engine& engine, OpState& op) {
  engine.check_process();
  check_not_recording(&engine, "wait");
  check_may_block("wait");
  if (op.engine != &engine) {
    throw SchedulerError(to_string({.operation = "wait",
                                    .problem = "op " + description_of(op.name, op.where) + " is another scheduler's",
                                    .advice = "wait with the scheduler that it was submitted to"}));
  }
  BlockedThread thread(engine.parking());
  thread.kind = &blocked_thread_kind;
  thread.set(OpState::is_waiter);
  OpAwaiter awaiter{.op = &thread, .next = nullptr, .failure = {}};
  if (await_end(op, awaiter)) engine.executor().wait(thread.signal, {});
  if (awaiter.failure) throw_failure(*awaiter.failure);
}

void wait_for_all(Engine& engine, const Deadline& deadline, const char* operation, SleepWatch* watch) {
  engine.check_process();
  check_not_recording(&engine, operation);
  check_may_block(operation);
  if (engine.backlog().counts().pending() != 0 &&
      !engine.backlog().wait(engine.executor(), 0, PTRDIFF_MAX, deadline, watch)) {
    const std::string begun = engine.begun_coroutines().description();
    throw DeadlineExceeded(
        to_string({.operation = operation,
                   .problem = "the deadline has passed: " + std::to_string(engine.backlog().counts().pending()) +
                              " ops are pending, " + std::to_string(engine.executor().running()) + " workers run" +
                              (begun.empty() ? "" : ", coroutines have not ended: " + begun)}));
  }
  if (const SharedFailure failure = engine.unobserved().take()) throw_failure(*failure);
}

}  // namespace tessera
