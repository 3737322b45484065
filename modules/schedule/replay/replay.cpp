module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <source_location>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;
import tessera.device;

// The submission of a replay.
namespace tessera {

// ---------------------------------------------------------------------------------------------------------- submission

ReplayState::ReplayState(std::shared_ptr<Recording> recorded)
    : recording(std::move(recorded)), open_nodes(recording->last_nodes), is_careful(recording->has_stops) {
  const std::size_t count = recording->vars.size();
  failures = static_cast<SharedFailure*>(take_recycled(count * sizeof(SharedFailure)));
  std::uninitialized_default_construct_n(failures, count);
}

ReplayState::~ReplayState() {
  const std::size_t count = recording->vars.size();
  std::destroy_n(failures, count);
  give_recycled(failures, count * sizeof(SharedFailure));
  for (std::size_t i = 0; traced != nullptr && i < recording->nodes.size(); ++i) free_parts(traced[i]);
  free_parts(*this);
}

VarState& ReplayState::var(std::size_t index) const noexcept {
  const RecordedVar& recorded = recording->vars[index];
  return recorded.parameter < 0 ? *recorded.var.state() : *bound[recorded.parameter];
}

const SharedFailure& ReplayState::of(const VarState& var) const noexcept {
  const auto fixed_end = recording->vars.begin() + static_cast<std::ptrdiff_t>(recording->fixed_vars);
  const auto found =
      std::lower_bound(recording->vars.begin(), fixed_end, &var, [](const RecordedVar& left, const VarState* right) {
        return std::less<>{}(static_cast<const VarState*>(left.var.state()), right);
      });
  auto index = static_cast<std::size_t>(found - recording->vars.begin());
  if (found == fixed_end || found->var.state() != &var) {
    index = recording->fixed_vars;
    while (&this->var(index) != &var) ++index;
  }
  return failures[index];
}

namespace {

[[noreturn]] void refuse_replay(const ReplayState& replay, const std::string& problem, const char* advice) {
  throw SchedulerError(to_string({.operation = std::string("replay of '") + replay.name + "'",
                                  .problem = problem,
                                  .advice = advice,
                                  .where = replay.where}));
}

/// The edges were resolved for Vars that differ.
void check_bound_vars(const ReplayState& replay) {
  const Recording& recording = *replay.recording;
  for (std::size_t at = recording.fixed_vars; at < recording.vars.size(); ++at) {
    const RecordedVar& stand_in = recording.vars[at];
    const VarState* const var = replay.bound[stand_in.parameter];
    const std::string which = "parameter " + std::to_string(stand_in.parameter);
    if (var == nullptr)
      refuse_replay(replay, which + ": its Var has been moved from, or its array has no storage",
                    "give it another one");
    for (std::size_t other = 0; other < at; ++other) {
      const RecordedVar& held = recording.vars[other];
      if (&replay.var(other) != var || (stand_in.writes == 0 && held.writes == 0)) continue;
      const std::string twice =
          held.parameter < 0 ? " is in the recording already" : " is also parameter " + std::to_string(held.parameter);
      std::string problem = which;
      problem.append(": Var ").append(std::to_string(var->id)).append(twice).append(", and one of the two is written");
      refuse_replay(replay, problem, "record a step of its own for these Vars");
    }
  }
}

void declare_all(ReplayState& replay) {
  const Recording& recording = *replay.recording;
  reserve_accesses(replay, recording.vars.size());
  for (std::size_t i = 0; i < recording.vars.size(); ++i) {
    const std::uintptr_t bit = recording.vars[i].writes != 0 ? Access::write_bit : Access::read_bit;
    add_access(replay, &replay.var(i), bit);
  }
}

}  // namespace

void submit_replay(UnsubmittedReplay replay, const std::source_location& where) {
  const Recording& recording = *replay->recording;
  replay->name = recording.options.name.text();
  replay->where = where;
  replay->priority = recording.options.priority;
  replay->set(OpState::recorded);
  const std::shared_ptr<Engine> engine = recording.engine.lock();
  if (engine == nullptr || engine->is_retired())
    refuse_replay(*replay, "its scheduler has been destroyed", "keep the Scheduler until then");
  for (const ReplayCondition& condition : recording.conditions) condition.check(condition.subject);
  replay->check_arguments();
  check_bound_vars(*replay);
  declare_all(*replay);
  replay->name_arguments(*engine);
  OpExtras& extras = extras_of(*replay);
  extras.bytes = recording.bytes;
  if (TraceSink* sink = engine->trace(); sink != nullptr && thread_context().recorder == nullptr) [[unlikely]]
    trace_submission(*replay, *sink);
  engine->submit(*replay);
  static_cast<void>(replay.release());
}

namespace {

Node& node_of(OpState& op) { return const_cast<Node&>(static_cast<const Node&>(*op.kind)); }

ReplayState& replay_of(Recording& recording) { return static_cast<ReplayState&>(*recording.frame.parent); }

/// One predecessor of the node has ended. Returns whether it was the last; then the count is as at the beginning again.
bool count_down(Node& node) noexcept {
  if (node.predecessors == 1) return true;
  // Only predecessors lower the count, so if 1 is left it is this one.
  if (node.waits.load(std::memory_order_acquire) != 1 && node.waits.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return false;
  }
  node.waits.store(node.predecessors, std::memory_order_relaxed);
  return true;
}

/// All nodes have ended. The engine ends the accesses next, and then the next replay may have the recording.
void end_replay(ReplayState& replay) noexcept {
  const std::size_t count = replay.recording->vars.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t writes = replay.recording->vars[i].writes;
    if (writes < 2) continue;
    std::atomic<std::uint64_t>& version = replay.var(i).version;  // the engine counts one of the writes
    version.store(version.load(std::memory_order_relaxed) + writes - 1, std::memory_order_release);
  }
  if (replay.is_careful.load(std::memory_order_relaxed)) replay.extras->outcomes = &replay;
  replay.kind->drop(replay);
}

/// Ends a node: `ready` takes its successors that wait for nobody else. Returns whether all have ended. Nothing of the replay may be
/// touched afterwards, for it may be over, unless the node was the last or there is one in `ready`.
bool end_node(const Node& node, ReplayState& replay, ReadyList& ready) noexcept {
  if (replay.is_careful.load(std::memory_order_relaxed)) [[unlikely]]
    end_writes(node, replay);
  const std::uint32_t successors = node.successors;
  if (successors == 0) return replay.open_nodes.fetch_sub(1, std::memory_order_acq_rel) == 1;
  Node* const* const others = replay.recording->others.data() + node.others;
  if (count_down(*node.first)) ready.add(*node.first->op);
  for (std::uint32_t i = 0; i + 1 < successors; ++i) {
    if (count_down(*others[i])) ready.add(*others[i]->op);
  }
  return false;
}

/// The body is over. Returns whether the ops that it submitted are, too; otherwise the last of them ends the node.
bool end_body(OpState& op) noexcept {
  if (op.open.load(std::memory_order_acquire) == 1) return true;
  if (op.open.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  op.open.store(1, std::memory_order_relaxed);
  return true;
}

void run_body(Node& node, ReplayState& replay, const Engine& engine) noexcept {
  if (node.is_resumed) [[unlikely]] {  // what has begun goes on to its end
    node.is_resumed = false;
  } else if (replay.is_careful.load(std::memory_order_relaxed) || engine.is_cancelled()) [[unlikely]] {
    if (!may_begin(node, replay)) return;
  }
  try {
    node.run(*node.op);
  } catch (...) {
    take_exception(node, replay);
  }
}

void prefetch_ahead(const Node& node, const Recording& recording) {
  const auto* op = reinterpret_cast<const std::byte*>(recording.ops[node.ahead]);
  prefetch_to_write(&recording.nodes[node.ahead]);
  prefetch_to_write(op);
  __builtin_prefetch(op + offsetof(OpState, storage));
}

/// Runs a node and those that follow it on this thread.
OpState* run_nodes(OpState& first) noexcept {
  ThreadContext& context = thread_context();
  Engine& engine = *first.engine;
  Recording& recording = recording_of(first);
  ReplayState& replay = replay_of(recording);
  OpState* const outer = context.op;
  const bool outer_has_submitted = context.has_submitted;
  OpState* op = &first;
  while (op != nullptr && op->has(OpState::recorded) && op->has(OpState::started)) {
    Node& node = node_of(*op);
    prefetch_ahead(node, recording);
    context.op = op;
    context.has_submitted = false;
    run_body(node, replay, engine);
    if (context.turn_wait != nullptr) [[unlikely]] {
      node.is_resumed = true;
      begin_turn_wait(context, *op);
      op = nullptr;
      break;
    }
    if (context.has_submitted && !end_body(*op)) [[unlikely]] {
      op = nullptr;
      break;
    }
    ReadyList ready;
    const bool was_last = end_node(node, replay, ready);
    if (was_last) {
      end_replay(replay);
      engine.complete(replay, ready);
    }
    op = engine.hand_over(ready);
    if (was_last) break;
  }
  context.op = outer;
  context.has_submitted = outer_has_submitted;
  return op;
}

/// Vars that are poisoned already matter to the ops that read them.
void take_failures(ReplayState& replay) noexcept {
  const std::size_t count = replay.recording->vars.size();
  for (std::size_t i = 0; i < count; ++i) {
    VarState& var = replay.var(i);
    if (!var.poisoned.load(std::memory_order_relaxed)) continue;
    const std::lock_guard lock(var.lock);
    replay.failures[i] = var.failure;
    replay.is_careful.store(true, std::memory_order_relaxed);
  }
}

/// The launches could not be given to the GPU, and none of the ops can be told from the others.
void fail_all(ReplayState& replay) noexcept {
  for (const Node& node : replay.recording->nodes) {
    take_exception(node, replay);
    end_writes(node, replay);
  }
}

/// Runs all nodes on this thread in the order of their submission, which is one that their edges allow. Their launches reach the GPU together.
void run_launches(ReplayState& replay) noexcept {
  ThreadContext& context = thread_context();
  OpState* const outer = std::exchange(context.op, nullptr);
  const bool outer_has_submitted = context.has_submitted;
  Recording& recording = *replay.recording;
  try {
    device::CollectedLaunches collected(*recording.graphs);
    for (Node& node : recording.nodes) {
      context.op = node.op;
      run_body(node, replay, *replay.engine);
      if (replay.is_careful.load(std::memory_order_relaxed)) end_writes(node, replay);
    }
    collected.finish();
  } catch (...) {
    fail_all(replay);
  }
  context.op = outer;
  context.has_submitted = outer_has_submitted;
}

OpState* start_replay(ReplayState& replay) noexcept {
  Recording& recording = *replay.recording;
  Engine& engine = *replay.engine;
  recording.frame.parent = &replay;
  replay.kind->run(replay);
  take_failures(replay);
  ReadyList ready;
  const bool is_launched = recording.only_launches && !recording.roots.empty();
  if (is_launched) {
    run_launches(replay);
  } else {
    for (const Node* root : recording.roots) ready.add(*root->op);
  }
  if (recording.roots.empty() || is_launched) {
    end_replay(replay);
    engine.complete(replay, ready);
  }
  return engine.hand_over(ready);
}

}  // namespace

OpState* run_recorded(OpState& op) noexcept {
  return op.has(OpState::started) ? run_nodes(op) : start_replay(static_cast<ReplayState&>(op));
}

OpState* end_recorded(OpState& op, ReadyList& ready) noexcept {
  ReplayState& replay = replay_of(recording_of(op));
  op.open.store(1, std::memory_order_relaxed);
  if (!end_node(node_of(op), replay, ready)) return nullptr;
  end_replay(replay);
  return &replay;
}

}  // namespace tessera
