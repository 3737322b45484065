module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.core;
import tessera.device;

// Taking ops into a recording, and resolving what waits for what.
namespace tessera {

namespace {

[[noreturn]] void refuse_in_capture(const OpState& op, const char* problem, const char* advice) {
  throw SchedulerError(to_string({.operation = std::string("capture of op '") + op.name + "'",
                                  .problem = problem,
                                  .advice = advice,
                                  .where = op.where}));
}

void check_can_be_recorded(const OpState& op) {
  if (op.has(OpState::recorded)) {
    refuse_in_capture(op, "it is a replay of another recording", "record the ops of both in one capture");
  }
  if (op.has(OpState::is_coroutine)) {
    refuse_in_capture(op, "it is a coroutine, which runs only once",
                      "submit a callable, or let a recorded op submit the coroutine");
  }
  if (op.has(OpState::closes_vars)) {
    refuse_in_capture(op, "a Var can be erased only once", "erase it outside the capture");
  }
  if (op.shares.load(std::memory_order_relaxed) != 1) {
    refuse_in_capture(op, "launch() makes a handle of one op, and a recorded op runs many times", "use submit()");
  }
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------- recording

Recording::~Recording() {
  for (OpState* op : ops) {
    op->kind->drop(*op);
    op->kind->free(*op);
  }
}

std::vector<OpRecord> Recording::records() const {
  std::vector<OpRecord> records(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    OpState& op = *ops[i];
    OpRecord& record = records[i];
    record.id = i + 1;
    record.name = op.name;
    record.where = op.where;
    for (int at = 0; at < op.access_count; ++at) {
      const Access& access = op.access(at);
      if (access.reads()) record.reads.push_back(access.var()->id);
      if (access.writes()) record.writes.push_back(access.var()->id);
    }
  }
  return records;
}

Recorder::Recorder(std::shared_ptr<Engine> engine, std::shared_ptr<Recording> recording,
                   std::span<ParameterSlot* const> slots)
    : engine_(std::move(engine)),
      recording_(std::move(recording)),
      slots_(slots),
      outer_(std::exchange(thread_context().recorder, this)) {
  recording_->engine = engine_;
  recording_->frame.engine = engine_.get();
  recording_->frame.recording = recording_.get();
  for (ParameterSlot* slot : slots_) slot->recorder = this;
}

Recorder::~Recorder() {
  for (ParameterSlot* slot : slots_) slot->recorder = nullptr;
  thread_context().recorder = outer_;
}

void Recorder::take(OpState& op) {
  if (op.engine != engine_.get()) {
    refuse_in_capture(op, "it was submitted to another scheduler than the one that records", "capture on each of them");
  }
  check_can_be_recorded(op);
  normalise_accesses(op);
  Recording& recording = *recording_;
  for (int i = 0; i < op.access_count; ++i) {
    VarState* var = op.access(i).var();
    if (index_of_.contains(var)) continue;
    recording.vars.push_back({.var = Var::of(*var)});
    index_of_.emplace(var, 0);
  }
  recording.ops.push_back(&op);
  op.set(OpState::recorded);
  op.set(OpState::started);
  op.parent = &recording.frame;
  recording.only_launches = recording.only_launches && op.extras != nullptr && op.extras->only_launches;
  if (op.extras == nullptr) return;
  recording.bytes += op.extras->bytes;
  recording.has_stops = recording.has_stops || op.extras->stop.stop_possible();
}

// --------------------------------------------------------------------------------------------------------------- edges

void Recorder::sort_vars() {
  std::vector<RecordedVar>& vars = recording_->vars;
  vars.push_back({.var = recording_->own, .writes = 1});
  for (RecordedVar& var : vars) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i]->stand_in && *slots_[i]->stand_in == var.var) var.parameter = static_cast<int>(i);
    }
  }
  std::ranges::sort(vars, [](const RecordedVar& left, const RecordedVar& right) {
    const bool is_fixed = left.parameter < 0;
    if (is_fixed != (right.parameter < 0)) return is_fixed;
    return std::less<>{}(left.var.state(), right.var.state());
  });
  recording_->fixed_vars =
      static_cast<std::size_t>(std::ranges::count_if(vars, [](const RecordedVar& var) { return var.parameter < 0; }));
  for (std::size_t i = 0; i < vars.size(); ++i) index_of_[vars[i].var.state()] = static_cast<std::uint32_t>(i);
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (vars.size() <= most) return;
  throw SchedulerError(
      to_string({.operation = "capture",
                 .problem = std::to_string(vars.size()) + " Vars are more than " + std::to_string(most),
                 .advice = "record it in parts"}));
}

void Recorder::resolve_accesses() {
  Recording& recording = *recording_;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    OpState& op = *recording.ops[i];
    recording.nodes[i].accesses = static_cast<std::uint32_t>(recording.accesses.size());
    for (int at = 0; at < op.access_count; ++at) {
      const Access& access = op.access(at);
      const std::uint32_t var = index_of_.at(access.var());
      recording.accesses.push_back({.var = var, .reads = access.reads(), .writes = access.writes()});
      recording.vars[var].writes += access.writes() ? 1 : 0;
    }
  }
}

void Recorder::resolve_edges() {
  Recording& recording = *recording_;
  const DependencyGraph graph(recording.records());
  std::vector<Node>& nodes = recording.nodes;
  for (const DependencyGraph::Edge& edge : graph.edges()) {
    ++nodes[edge.from].successors;
    ++nodes[edge.to].predecessors;
  }
  std::vector<std::size_t> begin_of(nodes.size());
  std::size_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    begin_of[i] = total;
    total += nodes[i].successors > 1 ? nodes[i].successors - 1 : 0;
  }
  recording.others.resize(total);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].others = static_cast<std::uint32_t>(begin_of[i]);
  for (const DependencyGraph::Edge& edge : graph.edges()) {
    Node& from = nodes[edge.from];
    if (from.first == nullptr) {
      from.first = &nodes[edge.to];
    } else {
      recording.others[begin_of[edge.from]++] = &nodes[edge.to];
    }
  }
}

/// Many steps, because a step takes a tenth of the time in which memory answers.
void Recorder::look_ahead() {
  constexpr int steps = 8;
  std::vector<Node>& nodes = recording_->nodes;
  for (Node& node : nodes) {
    const Node* ahead = &node;
    for (int i = 0; i < steps && ahead->first != nullptr; ++i) ahead = ahead->first;
    node.ahead = static_cast<std::uint32_t>(ahead - nodes.data());
  }
}

void Recorder::finish() {
  if (failure_) std::rethrow_exception(failure_->cause);
  Recording& recording = *recording_;
  recording.nodes = std::vector<Node>(recording.ops.size());
  sort_vars();
  resolve_accesses();
  resolve_edges();
  look_ahead();
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    Node& node = recording.nodes[i];
    OpState& op = *recording.ops[i];
    static_cast<OpKind&>(node) = *op.kind;
    node.op = &op;
    op.kind = &node;
    node.waits.store(node.predecessors, std::memory_order_relaxed);
    if (node.predecessors == 0) recording.roots.push_back(&node);
    recording.last_nodes += node.successors == 0 ? 1 : 0;
  }
  recording.has_stops = recording.has_stops || recording.options.stop.stop_possible();
  if (recording.only_launches) recording.graphs = std::make_unique<device::LaunchGraphs>();
}

// ---------------------------------------------------------------------------------------------- what the engine asks for

void record_submission(Recorder& recorder, OpState& op) { recorder.take(op); }

void record_failure(Recorder& recorder, const SharedFailure& failure) noexcept { recorder.take_failure(failure); }

void check_not_recording(const Engine* engine, const char* operation) {
  const Recorder* recorder = thread_context().recorder;
  if (recorder == nullptr || !recorder->records_for(engine)) return;
  throw SchedulerError(to_string({.operation = operation,
                                  .problem = "this thread records ops, which do not run before their replay",
                                  .advice = "wait outside the body of capture()"}));
}

void Recorder::add_condition(const ReplayCondition& condition) {
  auto& conditions = recording_->conditions;
  if (std::ranges::find(conditions, condition) == conditions.end()) conditions.push_back(condition);
}

void schedule::add_replay_condition(const void* subject, void (*check)(const void* subject)) {
  thread_context().recorder->add_condition({.subject = subject, .check = check});
}

void schedule::note_only_launches(OpState& op) {
  if (thread_context().recorder != nullptr) extras_of(op).only_launches = true;
}

}  // namespace tessera
