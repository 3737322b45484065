module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// Submission: an op takes its place in the queues of its Vars.
namespace tessera {

namespace {

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

/// Some op holds the Var. What the ops around one hold, they hold all the time that it is being submitted.
bool is_held(VarState& var) {
  const std::lock_guard lock(var.lock);
  return var.written || var.readers != 0;
}

/// What the ops around this one hold: what they write this one can never have, for they end only after it; what they read it
/// shares with them.
void check_against_parents(OpState& op) {
  for (int i = 0; i < op.access_count; ++i) {
    Access& mine = op.access(i);
    if (!is_held(*mine.var())) continue;  // so that ops within ops within ops do not each ask all of those around them
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

}  // namespace

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
  if (window_.ops == 0 || thread_context().op != nullptr || executor_->is_stopped()) return;
  const auto most = static_cast<std::uint64_t>(window_.ops);
  if (counts_.pending() > most) wait_for_count(most, PTRDIFF_MAX, {});
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
    refuse(op, "Var " + std::to_string(var->id) + " has been erased", "submit before erase(), or use another Var");
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
  const std::ptrdiff_t bytes = op.extras == nullptr ? 0 : op.extras->bytes;
  if (bytes != 0) bytes_.fetch_add(bytes, std::memory_order_relaxed);
  submitted_before = counts_.add_submitted();
  // An op that waits may run from the first unlock on, but it cannot end before its last Var is unlocked.
  unlock(op, count);
  return waits == 0;
}

}  // namespace tessera
