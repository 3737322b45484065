module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:replay;
import tessera.standard;
import :failure;
import :op_state;
import :var;
import :op_end;
import :engine;
import :recording;
import :trace_sink;

// A replay: the op that stands for a whole recording in the queues of its Vars.
namespace tessera {

/// Holds what belongs to one replay, so that the next one may be pending already. Its kind's run() hands the arguments to the
/// recording's slots and drop() takes them back.
struct ReplayState : OpState, Outcomes {
  explicit ReplayState(std::shared_ptr<Recording> recorded);
  ReplayState(const ReplayState&) = delete;
  ReplayState& operator=(const ReplayState&) = delete;
  ~ReplayState() override;

  VarState& var(std::size_t index) const noexcept;
  const SharedFailure& of(const VarState& var) const noexcept override;

  /// Throws if the recorded ops cannot work on the arguments.
  virtual void check_arguments() const = 0;
  /// Ops on what is behind the arguments are about to be submitted to the engine. Throws std::bad_alloc.
  virtual void name_arguments(Engine& to) const = 0;

  std::shared_ptr<Recording> recording;
  VarState* const* bound = nullptr;       // by parameter; nullptr where no Var is behind it
  std::atomic<std::uint32_t> open_nodes;  // last ones that have not ended
  std::atomic<bool> is_careful;           // some op may have to be left out: look before each
  SharedFailure* failures = nullptr;      // of each Var of the recording
  std::unique_ptr<OpState[]> traced;      // what a trace is told of each op, while one is taken
};

/// Frees a replay that was not submitted after all.
struct DropReplay {
  void operator()(ReplayState* replay) const noexcept { replay->kind->free(*replay); }
};
using UnsubmittedReplay = std::unique_ptr<ReplayState, DropReplay>;

/// Throws SchedulerError (no scheduler any more, a Var bound so that the edges would be wrong, and as Engine::submit), std::bad_alloc.
void submit_replay(UnsubmittedReplay replay, const std::source_location& where);

/// Starts a replay, or runs an op of one. Returns the op to run next on this thread, or nullptr.
OpState* run_recorded(OpState& op) noexcept;

/// Ends an op of a recording after the ops that it submitted. Returns its replay if it was the last one of that.
OpState* end_recorded(OpState& op, ReadyList& ready) noexcept;

}  // namespace tessera
