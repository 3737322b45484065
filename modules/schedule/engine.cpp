module;
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// Submission, grants and completion.
namespace tessera {

namespace {

constinit thread_local ThreadContext context_of_thread{};

[[noreturn]] void refuse(const OpState& op, const std::string& problem, const char* advice) {
  throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                  .problem = problem,
                                  .advice = advice,
                                  .where = op.where}));
}

/// Sorts the accesses by Var and merges those of one Var. They are few, so insertion is the fastest.
template <class A>
void sort_and_merge(A* accesses, std::uint16_t& count) {
  for (int i = 1; i < count; ++i) {
    const std::uintptr_t tagged = accesses[i].tagged;
    int at = i;
    for (; at > 0 && accesses[at - 1].tagged > tagged; --at) accesses[at].tagged = accesses[at - 1].tagged;
    accesses[at].tagged = tagged;
  }
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (kept > 0 && accesses[kept - 1].var() == accesses[i].var()) {
      accesses[kept - 1].tagged |= accesses[i].tagged;
    } else {
      accesses[kept++].tagged = accesses[i].tagged;
    }
  }
  count = static_cast<std::uint16_t>(kept);
}

/// What the ops around this one hold: what they write this one can never have, for they end only after it; what they read it
/// shares with them.
void check_against_parents(OpState& op) {
  for (int i = 0; i < op.access_count; ++i) {
    Access& mine = op.access(i);
    for (OpState* outer = op.parent; outer != nullptr; outer = outer->parent) {
      for (int j = 0; j < outer->access_count; ++j) {
        const Access& theirs = outer->access(j);
        if (theirs.var() != mine.var()) continue;
        if (!theirs.writes() && !mine.writes()) {
          mine.tagged |= Access::inherited_bit;
          continue;
        }
        refuse(op,
               "it accesses a Var that the op around it, " + description_of(outer->name, outer->where) + ", " +
                   (theirs.writes() ? "writes" : "reads") + ", and which ends only after it",
               "leave that Var to one of the two");
      }
    }
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

ThreadContext& thread_context() noexcept { return context_of_thread; }

std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void normalise_accesses(OpState& op) {
  if (op.has(OpState::has_long_list)) {
    sort_and_merge(op.many.list, op.access_count);
    for (int i = 0; i < op.access_count; ++i) {
      op.many.list[i].tagged |= Access::long_bit;
      op.many.list[i].owner = &op;
    }
    return;
  }
  if (op.access_count > 1) sort_and_merge(op.accesses, op.access_count);
  for (int i = 1; i < op.access_count; ++i) {
    op.accesses[i].tagged |= static_cast<std::uintptr_t>(i) * Access::index_unit;
  }
}

void check_may_block(const char* operation) {
  const OpState* op = context_of_thread.op;
  if (op == nullptr) return;
  throw SchedulerError(
      to_string({.operation = operation,
                 .problem = "it would block the worker that runs op " + description_of(op->name, op->where),
                 .advice = "make the op a coroutine and use co_await"}));
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

void Engine::attach(std::shared_ptr<TraceSink> sink) {
  const std::lock_guard lock(parking_.mutex);
  sinks_.push_back(std::move(sink));
  trace_.store(sinks_.back().get(), std::memory_order_release);
}

void Engine::detach(const TraceSink& sink) noexcept {
  auto* expected = const_cast<TraceSink*>(&sink);
  trace_.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
}

// ------------------------------------------------------------------------------------------------------------ counting

OpCounts::Count& OpCounts::here() noexcept {
  static std::atomic<unsigned> threads{0};
  static thread_local const unsigned group = threads.fetch_add(1, std::memory_order_relaxed) % groups;
  return counts_[group];
}

std::uint64_t OpCounts::submitted() const noexcept {
  std::uint64_t sum = 0;
  for (const Count& count : counts_) sum += count.submitted.load(std::memory_order_seq_cst);
  return sum;
}

std::uint64_t OpCounts::ended() const noexcept {
  std::uint64_t sum = 0;
  for (const Count& count : counts_) sum += count.ended.load(std::memory_order_seq_cst);
  return sum;
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

void Engine::look_at_count_waiters() noexcept {
  if (count_period_.load(std::memory_order_seq_cst) != 0) tell_count_waiters();
}

void Engine::set_count_period() noexcept {
  int period = 0;
  for (const CountWaiter* waiter = first_count_waiter_; waiter != nullptr; waiter = waiter->next) {
    constexpr std::uint64_t longest = 256;
    const std::uint64_t sixteenth =
        waiter->most == 0 ? longest : std::clamp<std::uint64_t>(waiter->most / 16, 1, longest);
    const int own = waiter->bytes == PTRDIFF_MAX ? static_cast<int>(sixteenth) : 1;
    period = period == 0 ? own : std::min(period, own);
  }
  count_period_.store(period, std::memory_order_seq_cst);
}

void Engine::tell_count_waiters() noexcept {
  const std::lock_guard lock(parking_.mutex);
  const std::uint64_t pending = counts_.pending();
  for (CountWaiter* waiter = first_count_waiter_; waiter != nullptr; waiter = waiter->next) {
    if (pending == 0 || (pending <= waiter->most && bytes() <= waiter->bytes)) waiter->signal->set_while_locked();
  }
}

bool Engine::wait_for_count(std::uint64_t most, std::ptrdiff_t most_bytes, const Deadline& deadline) {
  Signal signal(parking_);
  CountWaiter waiter{.signal = &signal, .most = most, .bytes = most_bytes, .next = nullptr};
  {
    const std::lock_guard lock(parking_.mutex);
    waiter.next = std::exchange(first_count_waiter_, &waiter);
    set_count_period();
  }
  tell_count_waiters();  // it may be so already
  bool reached = false;
  try {
    reached = executor_->wait(signal, deadline);
  } catch (...) {
    reached = false;
  }
  const std::lock_guard lock(parking_.mutex);
  CountWaiter** at = &first_count_waiter_;
  while (*at != &waiter) at = &(*at)->next;
  *at = waiter.next;
  set_count_period();
  return reached;
}

// ---------------------------------------------------------------------------------------------------------- submission

void Engine::wait_for_room(const OpState& op) {
  const std::ptrdiff_t bytes = op.extras == nullptr ? 0 : op.extras->bytes;
  const std::ptrdiff_t most_bytes =
      window_.bytes == 0 ? PTRDIFF_MAX : std::max<std::ptrdiff_t>(window_.bytes - bytes, 0);
  const std::uint64_t most = window_.ops == 0 ? UINT64_MAX : static_cast<std::uint64_t>(window_.ops) - 1;
  if ((counts_.pending() <= most && this->bytes() <= most_bytes) || executor_->is_stopped()) return;
  wait_for_count(most, most_bytes, {});
}

void Engine::submit(OpState& op) {
  check_process();
  op.engine = this;
  if (context_of_thread.recorder != nullptr) [[unlikely]]
    return record_submission(*context_of_thread.recorder, op);
  const bool nested = context_of_thread.op != nullptr;
  if (nested) {
    op.parent = context_of_thread.op;
    context_of_thread.has_submitted = true;
  } else if (op.extras != nullptr && op.extras->bytes != 0 && window_.bytes != 0) {
    wait_for_room(op);
  }
  check_accesses(op);
  std::uint64_t before = 0;
  if (register_accesses(op, before)) {
    ReadyList ready;
    ready.add(op);
    executor_->push(ready);
  }
  if (window_.ops != 0 && !nested) bound_pending(before);
}

void Engine::enlist(OpState& op, ReadyList& ready) {
  check_process();
  op.engine = this;
  if (context_of_thread.op != nullptr && !is_join(op)) {  // a join is nobody's child: others wait for it too
    op.parent = context_of_thread.op;
    context_of_thread.has_submitted = true;
  }
  check_accesses(op);
  std::uint64_t before = 0;
  if (register_accesses(op, before)) ready.add(op);
}

void Engine::start(ReadyList& ready) {
  if (ready.first != nullptr) distribute(ready);
  if (window_.ops == 0 || context_of_thread.op != nullptr || executor_->is_stopped()) return;
  const auto most = static_cast<std::uint64_t>(window_.ops);
  if (counts_.pending() > most) wait_for_count(most, PTRDIFF_MAX, {});
}

[[gnu::always_inline]] void Engine::check_accesses(OpState& op) {
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
[[gnu::always_inline]] bool Engine::register_accesses(OpState& op, std::uint64_t& submitted_before) {
  const int count = op.access_count;
  for (int i = 1; i < count; ++i) __builtin_prefetch(op.access(i).var(), 1);
  for (int i = 0; i < count; ++i) {
    VarState* var = op.access(i).var();
    var->lock.lock();
    if (!var->closed || (var->divided && is_join(op))) [[likely]]
      continue;
    const bool is_divided = var->divided;
    unlock(op, i + 1);
    if (is_divided) throw VarIsDivided{};
    refuse(op, "Var " + std::to_string(var->id) + " has been erased", "submit before erase(), or use another Var");
  }
  std::uint32_t waits = 0;
  for (int i = 0; i < count; ++i) {
    Access& access = op.access(i);
    VarState& var = *access.var();
    waits += var.append(access) ? 0 : 1;
    if (op.has(OpState::closes_vars)) [[unlikely]]
      var.closed = true;
  }
  op.pending.store(waits, std::memory_order_relaxed);
  if (op.parent != nullptr) op.parent->open.fetch_add(1, std::memory_order_relaxed);
  const std::ptrdiff_t bytes = op.extras == nullptr ? 0 : op.extras->bytes;
  if (bytes != 0) bytes_.fetch_add(bytes, std::memory_order_relaxed);
  submitted_before = counts_.add_submitted();
  // An op that waits may run from the first unlock on, but it cannot end before its last Var is unlocked.
  unlock(op, count);
  return waits == 0;
}

/// Looks only now and then, because counting reads a cache line of each group of threads.
void Engine::bound_pending(std::uint64_t submitted_before) {
  const auto most = static_cast<std::uint64_t>(window_.ops);
  const std::uint64_t mask = std::min<std::uint64_t>(std::bit_floor(most / 16 + 1), 256) - 1;
  if ((submitted_before & mask) != mask || counts_.pending() <= most || executor_->is_stopped()) return;
  wait_for_count(most, PTRDIFF_MAX, {});
}

// -------------------------------------------------------------------------------------------------- grants and the end

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
    __builtin_prefetch(&op);
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
  for (int i = 1; i < count; ++i) __builtin_prefetch(op.access(i).var(), 1);
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

// ------------------------------------------------------------------------------------------------------------- waiting

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
  var.append(waiter.accesses[0]);
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
  check_not_recording(*this, "wait");
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

namespace {

/// Nothing that is pending on a Var is in the way. Throws OperationFailed.
bool is_settled(VarState& var, Purpose purpose) {
  SharedFailure failure;
  {
    const std::lock_guard lock(var.lock);
    if (var.written || var.head != nullptr || (purpose != Purpose::read && var.readers != 0)) return false;
    failure = var.failure;
  }
  if (failure && purpose != Purpose::rewrite) throw_failure(*failure);
  return true;
}

}  // namespace

void settle(const Var& var, Engine* engine, Purpose purpose) {
  OpState* const op = context_of_thread.op;
  if (op == nullptr) {
    if (engine == nullptr) return;
    // The engine is gone if its scheduler is, but not while ops are pending.
    if (context_of_thread.recorder == nullptr && is_settled(*var.state(), purpose)) return;
    engine->wait(var, {}, purpose);
    return;
  }
  for (OpState* around = op; around != nullptr; around = around->parent) {
    for (int i = 0; i < around->access_count; ++i) {
      if (around->access(i).var() == var.state()) return;
    }
  }
  if (process_number() != 0) op->engine->take_over(*var.state());
  SharedFailure failure;
  bool is_idle = false;
  {
    const std::lock_guard lock(var.state()->lock);
    is_idle = var.state()->is_idle();
    failure = var.state()->failure;
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
  check_not_recording(*this, "wait");
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

void Engine::wait_all(const Deadline& deadline) {
  check_process();
  check_not_recording(*this, "wait_all");
  check_may_block("wait_all");
  if (counts_.pending() != 0 && !wait_for_count(0, PTRDIFF_MAX, deadline)) {
    throw DeadlineExceeded(
        to_string({.operation = "wait_all",
                   .problem = "the deadline has passed: " + std::to_string(counts_.pending()) + " ops are pending, " +
                              std::to_string(executor_->running()) + " workers run"}));
  }
  if (const SharedFailure failure = take_unobserved()) throw_failure(*failure);
}

void Engine::drain() noexcept {
  if (counts_.pending() != 0) wait_for_count(0, PTRDIFF_MAX, {});
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
