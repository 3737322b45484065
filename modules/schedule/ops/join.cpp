module;
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
module tessera.schedule;

// Joins, and who may name a divided Var.
namespace tessera {

namespace {

struct JoinState : OpState, Outcomes {
  JoinState() = default;
  JoinState(const JoinState&) = delete;
  JoinState& operator=(const JoinState&) = delete;
  ~JoinState() override = default;

  const SharedFailure& of(const VarState&) const noexcept override { return outcome; }

  SharedFailure outcome;
};

void find_outcome(OpState& op) {
  auto& join = static_cast<JoinState&>(op);
  for (int i = 0; i < join.access_count && !join.outcome; ++i) {
    const Access& access = join.access(i);
    if (!access.reads()) continue;
    const std::lock_guard lock(access.var()->lock);
    join.outcome = access.var()->failure;
  }
}

void drop_nothing(OpState&) noexcept {}

void free_join(OpState& op) noexcept {
  auto& join = static_cast<JoinState&>(op);
  free_parts(join);
  std::destroy_at(&join);
  give_recycled(&join, sizeof(JoinState));
}

/// Frees a join that was not submitted after all.
struct DropJoin {
  void operator()(OpState* join) const noexcept { free_join(*join); }
};

constexpr OpKind join_kind{.run = find_outcome, .drop = drop_nothing, .free = free_join};

VarCondition condition_while_locked(const VarState& var) noexcept {
  return {.is_idle = var.is_idle(), .has_readers = var.readers + var.queued_reads > 0, .failure = var.failure};
}

}  // namespace

void schedule::enlist_join(Engine& engine, const AccessList& accesses, ReadyList& ready) {
  std::unique_ptr<JoinState, DropJoin> join(::new (take_recycled(sizeof(JoinState))) JoinState);
  join->kind = &join_kind;
  join->name = "join of views";
  join->priority = Priority::high;  // others may be waiting for nothing else
  join->set(OpState::always_run);
  extras_of(*join).outcomes = join.get();
  accesses.declare(*join);
  engine.enlist(*join, ready);
  static_cast<void>(join.release());
}

bool is_join(const OpState& op) noexcept { return op.kind == &join_kind; }

VarCondition schedule::condition_of(const Var& var) noexcept {
  const std::lock_guard lock(var.state()->lock);
  return condition_while_locked(*var.state());
}

VarCondition schedule::reserve_for_joins(const Var& var) noexcept {
  VarState& state = *var.state();
  const std::lock_guard lock(state.lock);
  state.closed = state.divided = true;
  return condition_while_locked(state);
}

void schedule::reunite(const Var& var) noexcept {
  VarState& state = *var.state();
  const std::lock_guard lock(state.lock);
  state.closed = state.divided = false;
}

void schedule::reunite(const Var& var, const SharedFailure& failure) noexcept {
  SharedFailure dropped;
  VarState& state = *var.state();
  const std::lock_guard lock(state.lock);
  state.closed = state.divided = false;
  dropped = std::exchange(state.failure, failure);
  state.poisoned.store(static_cast<bool>(failure), std::memory_order_relaxed);
}

}  // namespace tessera
