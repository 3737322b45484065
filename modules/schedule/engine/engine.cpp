module;
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// What happens to an op: it takes its place in the queues of its Vars, runs when it is ready, ends, and grants its Vars to others.
namespace tessera {

namespace {

void move_urgent_to_front(ReadyList& ready) {
  if (ready.first->priority == Priority::high) return;
  for (OpState* before = ready.first; before->next != nullptr; before = before->next) {
    OpState* const op = before->next;
    if (op->priority != Priority::high) continue;
    before->next = op->next;
    if (ready.last == op) ready.last = before;
    op->next = std::exchange(ready.first, op);
    return;
  }
}

/// An op that waits may begin at the first unlock, and sets its flags then: they are read before.
void unlock(OpState& op, int count) {
  if (op.has(OpState::has_long_list)) {
    const LongAccess* const list = op.many.list;
    for (int i = 0; i < count; ++i) list[i].var()->lock.unlock();
    return;
  }
  for (int i = 0; i < count; ++i) op.accesses[i].var()->lock.unlock();
}

}  // namespace

std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Engine::attach(std::shared_ptr<TraceSink> sink) {
  const std::lock_guard lock(parking_.mutex);
  sinks_.push_back(std::move(sink));
  trace_.store(sinks_.back().get(), std::memory_order_release);
}

void Engine::detach(const TraceSink& sink) noexcept {
  auto* expected = const_cast<TraceSink*>(&sink);
  trace_.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
}

void Engine::take_over(VarState& var) const {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (var.process.load(std::memory_order_relaxed) == process_) return;
  if (var.lock.try_lock()) {
    const bool is_idle = var.is_idle();
    if (is_idle) var.process.store(process_, std::memory_order_relaxed);
    var.lock.unlock();
    if (is_idle) return;
  }
  throw SchedulerError(to_string({.operation = "scheduler",
                                  .problem = "an op of the parent process was pending on Var " +
                                             std::to_string(var.id) + " when this process was forked",
                                  .advice = "wait for the Var before fork(), or use another one"}));
}

void Engine::check_process() const {
  if (process_ == process_number()) return;
  throw SchedulerError(to_string({.operation = "scheduler",
                                  .problem = "it belongs to the parent process, whose threads do not exist in this one",
                                  .advice = "make a new Scheduler in the child process"}));
}

void Engine::submit(OpState& op) {
  check_process();
  op.engine = this;
  ThreadContext& context = thread_context();
  if (context.recorder != nullptr) [[unlikely]]
    return record_submission(*context.recorder, op);
  const bool nested = context.op != nullptr;
  if (nested) {
    op.parent = context.op;
    context.has_submitted = true;
  } else if (op.extras != nullptr && op.extras->bytes != 0 && backlog_.bounds_bytes()) {
    backlog_.wait_for_room(*executor_, op.extras->bytes);
  }
  check_accesses(op);
  std::uint64_t before = 0;
  if (register_accesses(op, before)) {
    ReadyList ready;
    ready.add(op);
    executor_->push(ready);
  }
  if (backlog_.bounds_ops() && !nested) backlog_.bound_now_and_then(*executor_, before);
}

void Engine::enlist(OpState& op, ReadyList& ready) {
  check_process();
  op.engine = this;
  ThreadContext& context = thread_context();
  if (context.op != nullptr && !is_join(op)) {  // a join is nobody's child: others wait for it too
    op.parent = context.op;
    context.has_submitted = true;
  }
  check_accesses(op);
  std::uint64_t before = 0;
  if (register_accesses(op, before)) ready.add(op);
}

void Engine::start(ReadyList& ready) {
  if (ready.first != nullptr) distribute(ready);
  if (backlog_.bounds_ops() && thread_context().op == nullptr) backlog_.bound(*executor_);
}

[[gnu::always_inline]] inline void Engine::check_accesses(OpState& op) {
  normalise_accesses(op);
  if (process_ != 0) [[unlikely]] {
    for (int i = 0; i < op.access_count; ++i) take_over(*op.access(i).var());
  }
  if (op.parent != nullptr) check_against_parents(op);
  if (TraceSink* sink = trace(); sink != nullptr && !op.has(OpState::recorded)) [[unlikely]] {
    static_cast<void>(extras_of(op));
    sink->submitted(op);
  }
}

/// Returns whether the op is ready; if not, it may have ended by then.
[[gnu::always_inline]] inline bool Engine::register_accesses(OpState& op, std::uint64_t& submitted_before) {
  const int count = op.access_count;
  for (int i = 1; i < count; ++i) prefetch_to_write(op.access(i).var());
  for (int i = 0; i < count; ++i) {
    VarState* var = op.access(i).var();
    var->lock.lock();
    if (!var->closed || (var->divided && is_join(op))) [[likely]]
      continue;
    const bool is_divided = var->divided;
    unlock(op, i + 1);
    if (is_divided) throw VarIsDivided{};
    refuse_submission(op, "Var " + std::to_string(var->id) + " has been erased",
                      "submit before erase(), or use another Var");
  }
  std::uint32_t waits = 0;
  for (int i = 0; i < count; ++i) {
    Access& access = op.access(i);
    VarState& var = *access.var();
    waits += var.append(access, *this) ? 0 : 1;
    if (op.has(OpState::closes_vars)) [[unlikely]]
      var.closed = true;
  }
  op.pending.store(waits, std::memory_order_relaxed);
  if (op.parent != nullptr) op.parent->open.fetch_add(1, std::memory_order_relaxed);
  submitted_before = backlog_.add(op.extras == nullptr ? 0 : op.extras->bytes);
  // An op that waits may run from the first unlock on, but it cannot end before its last Var is unlocked.
  unlock(op, count);
  return waits == 0;
}

void Engine::became_ready(OpState& op, ReadyList& ready) noexcept {
  if (!op.has(OpState::is_waiter)) [[likely]]
    return ready.add(op);
  VarState& var = *op.accesses[0].var();
  var.lock.lock();
  op.failure = var.failure;
  Access* granted = var.pass_on(op.accesses[0]);
  unlock_and_collect(var);
  op.kind->run(op);  // its memory may be gone after this
  grant(granted, ready);
}

void Engine::grant(Access* granted, ReadyList& ready) noexcept {
  while (granted != nullptr) {
    Access* const next = granted->next;
    OpState& op = granted->op();
    if (next != nullptr) prefetch_to_write(&next->op());
    // Only grants lower the count, so if 1 is left it is this one.
    if (op.pending.load(std::memory_order_acquire) == 1 || op.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      became_ready(op, ready);
    }
    granted = next;
  }
}

void Engine::end_accesses(OpState& op, ReadyList& ready) noexcept {
  if (op.extras != nullptr && op.extras->outcomes != nullptr) [[unlikely]]
    return end_with_outcomes(op, ready);
  const int count = op.access_count;
  for (int i = 1; i < count; ++i) prefetch_to_write(op.access(i).var());
  for (int i = 0; i < count; ++i) {
    const Access& access = op.access(i);
    VarState& var = *access.var();
    Access* granted = nullptr;
    if (!access.writes() || !var.end_in_batch(op.failure, granted)) {
      SharedFailure dropped;
      var.lock.lock();
      granted = var.end(access, op.failure, dropped);
      unlock_and_collect(var);
    }
    if (granted != nullptr) grant(granted, ready);
  }
}

void Engine::end_with_outcomes(OpState& op, ReadyList& ready) noexcept {
  for (int i = 0; i < op.access_count; ++i) {
    const Access& access = op.access(i);
    VarState& var = *access.var();
    SharedFailure outcome, before, none;
    if (access.writes()) outcome = op.extras->outcomes->of(var);
    var.lock.lock();
    if (access.writes()) {
      before = std::exchange(var.failure, outcome);
      var.poisoned.store(static_cast<bool>(outcome), std::memory_order_relaxed);
    }
    Access* const granted = var.end(access, outcome, none);
    unlock_and_collect(var);
    if (granted != nullptr) grant(granted, ready);
  }
}

void Engine::find_failure(OpState& op) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) [[unlikely]] {
    op.failure = cancelled_failure(op.name, op.where, "its scheduler was told to cancel what is pending");
    return;
  }
  if (op.extras != nullptr && op.extras->stop.stop_requested()) {
    op.failure = cancelled_failure(op.name, op.where, "a stop was requested before it began");
    return;
  }
  for (int i = 0; i < op.access_count; ++i) {
    const Access& access = op.access(i);
    VarState& var = *access.var();
    if (access.reads() && var.poisoned.load(std::memory_order_relaxed)) [[unlikely]] {
      const std::lock_guard lock(var.lock);
      op.failure = var.failure;
      if (!op.failure) continue;  // cleared meanwhile
      if (op.extras != nullptr) op.extras->skipped = true;
      return;
    }
  }
}

bool Engine::begin(OpState& op) noexcept {
  op.set(OpState::started);
  find_failure(op);
  if (op.failure) [[unlikely]] {
    if (!op.has(OpState::always_run)) return false;
    op.failure = SharedFailure();
  }
  if (op.has(OpState::is_coroutine)) begun_coroutines_.add(op);
  if (op.extras != nullptr && trace() != nullptr) [[unlikely]] {
    op.extras->started = now();
    op.extras->worker = context_of_thread.worker;
  }
  return true;
}

OpState* Engine::run(OpState& op) noexcept {
  if (op.has(OpState::recorded)) return run_recorded(op);
  ThreadContext& context = context_of_thread;
  const bool is_coroutine = op.has(OpState::is_coroutine);
  OpState* const outer =
      std::exchange(context.op, &op);  // until its body has been destroyed, whose parts may submit ops
  if (!op.has(OpState::started) && !begin(op)) [[unlikely]] {
    if (!is_coroutine) op.kind->drop(op);
    context.op = outer;
    return finish(op);
  }
  try {
    op.kind->run(op);
  } catch (...) {
    op.failure = failure_of_current_exception(op.name, op.where);
  }
  if (context.turn_wait != nullptr) [[unlikely]] {
    context.op = outer;
    begin_turn_wait(context, op);
    return nullptr;
  }
  if (!is_coroutine) op.kind->drop(op);
  context.op = outer;
  return is_coroutine ? std::exchange(context.next, nullptr) : finish(op);
}

OpState* Engine::finish(OpState& op) noexcept {
  if (op.open.load(std::memory_order_acquire) != 1 && op.open.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return nullptr;  // the last op that it submitted ends it
  }
  ReadyList ready;
  complete(op, ready);
  return hand_over(ready);
}

void Engine::complete(OpState& ended, ReadyList& ready) noexcept {
  OpState* op = &ended;
  while (op != nullptr) {
    Engine& engine = *op->engine;
    // An op around this one may be another scheduler's, which may be destroyed as soon as its last op is counted as ended.
    const std::shared_ptr<Engine> other = &engine == this ? nullptr : engine.shared_from_this();
    if (TraceSink* sink = engine.trace(); sink != nullptr && op->extras != nullptr && !op->has(OpState::recorded))
        [[unlikely]]
      sink->ended(*op);
    end_accesses(*op, ready);
    OpState* const parent = op->parent;
    if (op->extras != nullptr || op->failure) [[unlikely]]
      engine.end_extras(*op, ready);
    release_op(*op);
    engine.backlog_.remove();
    if (other != nullptr) [[unlikely]]
      engine.backlog_.look_at_waiters();  // its own workers may all be asleep
    op = parent != nullptr && parent->open.fetch_sub(1, std::memory_order_acq_rel) == 1 ? parent : nullptr;
    if (op != nullptr && op->has(OpState::recorded)) [[unlikely]]
      op = end_recorded(*op, ready);
  }
}

void Engine::end_extras(OpState& op, ReadyList& ready) noexcept {
  bool observed = false;
  if (op.has(OpState::is_coroutine)) begun_coroutines_.remove(op);
  if (op.extras != nullptr) {
    if (op.extras->bytes != 0) backlog_.remove_bytes(op.extras->bytes);
    observed = tell_awaiters(op, ready);
  }
  if (!op.failure || observed || op.failure->cancelled || (op.extras != nullptr && op.extras->skipped)) return;
  for (int i = 0; i < op.access_count; ++i) {
    if (op.access(i).writes()) return;  // its Vars tell
  }
  unobserved_.note(op.failure);
}

OpState* Engine::hand_over(ReadyList& ready) noexcept {
  if (ready.first == nullptr) return nullptr;
  move_urgent_to_front(ready);
  OpState* const first = ready.first;
  if (may_go_on_with(*first)) {
    ready.first = first->next;
    if (ready.first != nullptr) distribute(ready);
    return first;
  }
  context_of_thread.handed_over = 0;
  distribute(ready);
  return nullptr;
}

bool Engine::may_go_on_with(const OpState& op) noexcept {
  constexpr unsigned most_in_a_row = 64;
  return op.engine == this && executor_->may_hand_over(op) && ++context_of_thread.handed_over < most_in_a_row;
}

void Engine::distribute(ReadyList& ready) noexcept {
  while (OpState* op = ready.first) {
    ReadyList same;
    Engine& engine = *op->engine;
    // As soon as they are pushed, its ops may end and its scheduler with them.
    const std::shared_ptr<Engine> other = &engine == this ? nullptr : engine.shared_from_this();
    while (ready.first != nullptr && ready.first->engine == &engine) {
      OpState* next = ready.first->next;
      same.add(*ready.first);
      ready.first = next;
    }
    engine.executor_->push(same);
  }
}

void Engine::resume(OpState& op) noexcept {
  const std::shared_ptr<Engine> self =
      shared_from_this();  // the op may end, and the scheduler with it, before push returns
  ReadyList ready;
  ready.add(op);
  executor_->push(ready);
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

}  // namespace tessera
