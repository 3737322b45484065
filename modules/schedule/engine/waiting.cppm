module;
#include <cstdint>
export module tessera.schedule:waiting;
import tessera.standard;
import :op_state;
import :signal;
import :var;
import :engine;

// Waiting of threads: for a Var, for an op, for all ops.
namespace tessera {

/// Throws SchedulerError if this thread runs an op.
void check_may_block(const char* operation);

namespace schedule {

/// Waits for what is pending on the Var of some data that this thread is about to access. Inside an op it does not wait: the op must
/// have declared the Var, or nothing may be pending on it. Throws OperationFailed if the Var is poisoned and not rewritten,
/// SchedulerError, also while this thread records for the engine that `last_named` once was. That one is only compared: it may be gone.
export void wait_before_access(const Var& var, const Engine* last_named, Purpose purpose);

}  // namespace schedule

/// Waits for the writes of a Var that are pending now. Unless it is for reading, for its reads too. Throws DeadlineExceeded,
/// OperationFailed if the Var is poisoned and not to be rewritten, SchedulerError inside an op.
void wait_for(Engine& engine, const Var& var, const Deadline& deadline, Purpose purpose = Purpose::read);

/// Waits for an op that has extras. Throws OperationFailed if it failed, SchedulerError inside an op.
void wait_for(Engine& engine, OpState& op);

/// Waits until nothing is pending. Throws DeadlineExceeded, SchedulerError inside an op, and the first failure since the last call of
/// which no Var tells.
void wait_for_all(Engine& engine, const Deadline& deadline, const char* operation = "wait_all",
                  SleepWatch* watch = nullptr);

}  // namespace tessera
