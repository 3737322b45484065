module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
module tessera.schedule;

// What happens in a replay beside the way on which all goes well: failures, cancellation and the trace.
namespace tessera {

namespace {

const NodeAccess* accesses_of(const Node& node, const ReplayState& replay) {
  return replay.recording->accesses.data() + node.accesses;
}

OpState* traced_op(const Node& node, const ReplayState& replay) {
  if (replay.traced == nullptr) return nullptr;
  return &replay.traced[static_cast<std::size_t>(&node - replay.recording->nodes.data())];
}

SharedFailure failure_of_reads(const Node& node, const ReplayState& replay) {
  const NodeAccess* const accesses = accesses_of(node, replay);
  for (int i = 0; i < node.op->access_count; ++i) {
    if (accesses[i].reads && replay.failures[accesses[i].var]) return replay.failures[accesses[i].var];
  }
  return {};
}

SharedFailure reason_against(const Node& node, const ReplayState& replay, bool& skipped) {
  const OpState& op = *node.op;
  if (op.engine->is_cancelled()) {
    return cancelled_failure(op.name, op.where, "its scheduler was told to cancel what is pending");
  }
  if (replay.recording->options.stop.stop_requested() || (op.extras != nullptr && op.extras->stop.stop_requested())) {
    return cancelled_failure(op.name, op.where, "a stop was requested before it began");
  }
  SharedFailure failure = failure_of_reads(node, replay);
  skipped = static_cast<bool>(failure);
  return failure;
}

}  // namespace

bool may_begin(const Node& node, ReplayState& replay) noexcept {
  OpState& op = *node.op;
  bool skipped = false;
  SharedFailure failure = reason_against(node, replay, skipped);
  const bool begins = !failure || op.has(OpState::always_run);
  if (!begins) {
    op.failure = std::move(failure);
    replay.is_careful.store(true, std::memory_order_relaxed);
  }
  if (OpState* traced = traced_op(node, replay); traced != nullptr) {
    traced->extras->skipped = skipped && !begins;
    traced->extras->started = begins ? now() : 0;
    traced->extras->worker = thread_context().worker;
  }
  return begins;
}

void schedule::require_unpoisoned(const Var& var) {
  OpState* const op = thread_context().op;
  if (op == nullptr || !op->has(OpState::recorded)) return;
  const auto& replay = static_cast<const ReplayState&>(*recording_of(*op).frame.parent);
  if (const SharedFailure& failure = replay.of(*var.state())) throw_failure(*failure);
}

void take_exception(const Node& node, ReplayState& replay) noexcept {
  OpState& op = *node.op;
  op.failure = failure_of_current_exception(op.name, op.where);
  replay.is_careful.store(true, std::memory_order_relaxed);
  const NodeAccess* const accesses = accesses_of(node, replay);
  for (int i = 0; i < op.access_count; ++i) {
    if (accesses[i].writes) return;  // its Vars tell
  }
  op.engine->unobserved().note(op.failure);
}

void end_writes(const Node& node, ReplayState& replay) noexcept {
  OpState& op = *node.op;
  const SharedFailure failed = std::exchange(op.failure, SharedFailure());
  const NodeAccess* const accesses = accesses_of(node, replay);
  for (int i = 0; i < op.access_count; ++i) {
    if (!accesses[i].writes) continue;
    SharedFailure& failure = replay.failures[accesses[i].var];
    if (!failed || !failure) failure = failed;  // of two the first one stays
  }
  OpState* const traced = traced_op(node, replay);
  if (traced == nullptr) return;
  traced->failure = failed;
  if (TraceSink* sink = op.engine->trace(); sink != nullptr) sink->ended(*traced);
}

void trace_submission(ReplayState& replay, TraceSink& sink) {
  const Recording& recording = *replay.recording;
  replay.traced = std::make_unique<OpState[]>(recording.nodes.size());
  replay.is_careful.store(true, std::memory_order_relaxed);
  for (std::size_t i = 0; i < recording.nodes.size(); ++i) {
    const OpState& op = *recording.nodes[i].op;
    const NodeAccess* const accesses = accesses_of(recording.nodes[i], replay);
    OpState& traced = replay.traced[i];
    traced.name = op.name;
    traced.where = op.where;
    traced.priority = op.priority;
    traced.engine = op.engine;
    reserve_accesses(traced, op.access_count);
    for (int at = 0; at < op.access_count; ++at) {
      const std::uintptr_t bits =
          (accesses[at].reads ? Access::read_bit : 0) | (accesses[at].writes ? Access::write_bit : 0);
      traced.access(traced.access_count++).tagged =
          reinterpret_cast<std::uintptr_t>(&replay.var(accesses[at].var)) | bits;
    }
    static_cast<void>(extras_of(traced));
    sink.submitted(traced);
  }
}

}  // namespace tessera
