module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

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
      refuse_replay(replay, which + ": Var " + std::to_string(var->id) + twice + ", and one of the two is written",
                    "record a step of its own for these Vars");
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

}  // namespace tessera
