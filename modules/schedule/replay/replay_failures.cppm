export module tessera.schedule:replay_failures;
import tessera.standard;
import :var;
import :recording;
import :replay;
import :trace_sink;

// What happens in a replay beside the way on which all goes well.
namespace tessera {

/// Looks whether an op may run, as Engine::begin does for others; if not, its failure says why.
bool may_begin(const Node& node, ReplayState& replay) noexcept;

namespace schedule {

/// In the body of a recorded op that accesses `var`: throws OperationFailed if it is poisoned. For ops that find out only then whether they
/// depend on what it holds.
export void require_unpoisoned(const Var& var);

}  // namespace schedule
using schedule::require_unpoisoned;

/// The body of an op has thrown.
void take_exception(const Node& node, ReplayState& replay) noexcept;

/// Leaves the Vars that an op writes as its failure says, if it has one, and forgets that.
void end_writes(const Node& node, ReplayState& replay) noexcept;

/// Tells the trace of the recorded ops as if each had been submitted now. Throws std::bad_alloc.
void trace_submission(ReplayState& replay, TraceSink& sink);

}  // namespace tessera
