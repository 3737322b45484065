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

bool Engine::append_waiter(OpState& waiter, VarState& var, bool exclusive) {
  waiter.engine = this;
  waiter.set(OpState::is_waiter);
  waiter.access_count = 1;
  waiter.accesses[0].tagged =
      reinterpret_cast<std::uintptr_t>(&var) | (exclusive ? Access::write_bit : Access::read_bit);
  waiter.pending.store(1, std::memory_order_relaxed);
  const std::lock_guard lock(var.lock);
  if (var.head == nullptr && !var.written &&
      (!exclusive || var.readers == 0)) {  // nothing is written: no need to become a reader
    waiter.failure = var.failure;
    return true;
  }
  var.append(waiter.accesses[0], *this);
  return false;
}

bool Engine::withdraw_waiter(OpState& waiter, VarState& var) noexcept {
  ReadyList ready;
  Access* granted = nullptr;
  var.lock.lock();
  const bool withdrawn = var.withdraw(waiter.accesses[0], granted);
  unlock_and_collect(var);
  grant(granted, ready);
  distribute(ready);
  return withdrawn;
}

std::string Engine::holders_of(VarState& var) {
  const std::lock_guard lock(var.lock);
  if (var.written) {
    return "op " + description_of(var.writer_name.load(), var.writer_where.load()) + " has not ended";
  }
  if (var.head == nullptr) return "nothing is pending on it now";
  OpState& op = var.head->op();
  return "op " + description_of(op.name, op.where) + " waits for " + std::to_string(var.readers) + " that read it";
}

namespace {

/// A thread that waits for a Var.
struct BlockedThread : OpState {
  explicit BlockedThread(Parking& parking) : signal(parking) {}
  Signal signal;
};

void wake_thread(OpState& waiter) { static_cast<BlockedThread&>(waiter).signal.set(); }

constexpr OpKind blocked_thread_kind{.run = wake_thread, .drop = nullptr, .free = nullptr};

}  // namespace

void Engine::wait(const Var& var, const Deadline& deadline, Purpose purpose) {
  check_process();
  check_not_recording(this, "wait");
  check_may_block("wait");
  if (!var) throw SchedulerError(to_string({.operation = "wait", .problem = "the Var has been moved from"}));
  VarState& state = *var.state();
  if (process_ != 0) take_over(state);
  BlockedThread waiter(parking_);
  waiter.kind = &blocked_thread_kind;
  if (!append_waiter(waiter, state, purpose != Purpose::read) && !executor_->wait(waiter.signal, deadline)) {
    const std::string holders = holders_of(state);
    if (withdraw_waiter(waiter, state)) {
      throw DeadlineExceeded(to_string({.operation = "wait", .problem = "the deadline has passed: " + holders}));
    }
    waiter.signal.sleep({});  // it has just been granted
  }
  if (waiter.failure && purpose != Purpose::rewrite) throw_failure(*waiter.failure);
}

/// For what several schedulers have pending: some of them run ops only while somebody waits with them, so each is waited with in turn.
void Engine::wait_among_engines(VarState& var, Purpose purpose) {
  constexpr auto turn = std::chrono::milliseconds(1);
  const std::shared_ptr<Engine> self = shared_from_this();
  if (process_ != 0) take_over(var);
  BlockedThread waiter(parking_);
  waiter.kind = &blocked_thread_kind;
  bool is_granted = append_waiter(waiter, var, purpose != Purpose::read);
  while (!is_granted) {
    for (const std::shared_ptr<Engine>& engine : live_engines()) {
      is_granted = engine->executor_->wait(waiter.signal, std::chrono::steady_clock::now() + turn);
      if (is_granted) break;
    }
  }
  if (waiter.failure && purpose != Purpose::rewrite) throw_failure(*waiter.failure);
}

namespace {

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

void settle(const Var& var, const Engine* last_named, Purpose purpose) {
  OpState* const op = context_of_thread.op;
  if (op == nullptr) {
    check_not_recording(last_named, "wait");
    const Pending pending = pending_on(*var.state(), purpose);
    if (!pending.is_in_the_way) {
      if (pending.failure && purpose != Purpose::rewrite) throw_failure(*pending.failure);
      return;
    }
    if (pending.engine != nullptr) return pending.engine->wait(var, {}, purpose);
    const std::vector<std::shared_ptr<Engine>> engines = live_engines();
    if (engines.empty()) {
      throw SchedulerError(to_string({.operation = "wait",
                                      .problem = "ops of the parent process were pending on this data when this "
                                                 "process was forked",
                                      .advice = "wait for them before fork()"}));
    }
    return engines.front()->wait_among_engines(*var.state(), purpose);
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

void Engine::wait(OpState& op) {
  check_process();
  check_not_recording(this, "wait");
  check_may_block("wait");
  if (op.engine != this) {
    throw SchedulerError(to_string({.operation = "wait",
                                    .problem = "op " + description_of(op.name, op.where) + " is another scheduler's",
                                    .advice = "wait with the scheduler that it was submitted to"}));
  }
  BlockedThread thread(parking_);
  thread.kind = &blocked_thread_kind;
  thread.set(OpState::is_waiter);
  OpAwaiter awaiter{.op = &thread, .next = nullptr, .failure = {}};
  if (await_end(op, awaiter)) executor_->wait(thread.signal, {});
  if (awaiter.failure) throw_failure(*awaiter.failure);
}

void Engine::wait_all(const Deadline& deadline, const char* operation, SleepWatch* watch) {
  check_process();
  check_not_recording(this, operation);
  check_may_block(operation);
  if (counts_.pending() != 0 && !wait_for_count(0, PTRDIFF_MAX, deadline, watch)) {
    const std::string begun = description_of_begun_coroutines();
    throw DeadlineExceeded(
        to_string({.operation = operation,
                   .problem = "the deadline has passed: " + std::to_string(counts_.pending()) + " ops are pending, " +
                              std::to_string(executor_->running()) + " workers run" +
                              (begun.empty() ? "" : ", coroutines have not ended: " + begun)}));
  }
  if (const SharedFailure failure = take_unobserved()) throw_failure(*failure);
}

SharedFailure Engine::take_unobserved() noexcept {
  const std::lock_guard lock(unobserved_mutex_);
  forget_observed();
  SharedFailure first = unobserved_.front();
  unobserved_.fill(SharedFailure());
  return first;
}

void Engine::note_unobserved(const SharedFailure& failure) noexcept {
  const std::lock_guard lock(unobserved_mutex_);
  forget_observed();
  const auto free = std::ranges::find_if(unobserved_, [](const SharedFailure& kept) { return !kept; });
  if (free != unobserved_.end()) *free = failure;
}

/// Somebody has waited for an op after it had ended.
void Engine::forget_observed() noexcept {
  const auto is_gone = [](const SharedFailure& kept) {
    return !kept || kept->was_thrown.load(std::memory_order_relaxed);
  };
  const auto rest = std::ranges::remove_if(unobserved_, is_gone);
  std::ranges::fill(rest, SharedFailure());
}

}  // namespace tessera
