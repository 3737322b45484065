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

// What happens to a ready op: it runs, ends, and grants its Vars to others.
namespace tessera {

constinit thread_local ThreadContext context_of_thread{};

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

void Engine::count_ended() noexcept {
  counts_.add_ended();
  const int period = count_period_.load(std::memory_order_seq_cst);
  if (period == 0) [[likely]]
    return;
  int& countdown = context_of_thread.until_count_waiters;
  if (--countdown > 0 && countdown < period) return;
  countdown = period;
  tell_count_waiters();
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
  if (context.stream_wait != nullptr) [[unlikely]] {
    context.op = outer;
    begin_stream_wait(op);
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
    engine.count_ended();
    if (other != nullptr) [[unlikely]]
      engine.look_at_count_waiters();  // its own workers may all be asleep
    op = parent != nullptr && parent->open.fetch_sub(1, std::memory_order_acq_rel) == 1 ? parent : nullptr;
    if (op != nullptr && op->has(OpState::recorded)) [[unlikely]]
      op = end_recorded(*op, ready);
  }
}

void Engine::end_extras(OpState& op, ReadyList& ready) noexcept {
  bool observed = false;
  if (op.has(OpState::is_coroutine)) begun_coroutines_.remove(op);
  if (op.extras != nullptr) {
    if (op.extras->bytes != 0) bytes_.fetch_sub(op.extras->bytes, std::memory_order_seq_cst);
    observed = tell_awaiters(op, ready);
  }
  if (!op.failure || observed || op.failure->cancelled || (op.extras != nullptr && op.extras->skipped)) return;
  for (int i = 0; i < op.access_count; ++i) {
    if (op.access(i).writes()) return;  // its Vars tell
  }
  note_unobserved(op.failure);
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

}  // namespace tessera
