module;
#include <string>
module tessera.schedule;
import tessera.core;

// Parameters while their capture is recorded, and outside of replays.
namespace tessera {

bool schedule::is_being_recorded(const ParameterSlot& slot) noexcept {
  return slot.recorder != nullptr && slot.recorder == thread_context().recorder;
}

VarState* schedule::stand_in_of(const ParameterSlot& slot) {
  if (!is_being_recorded(slot)) {
    throw SchedulerError(to_string({.operation = "reads or writes of a Parameter",
                                    .problem = "its capture is not being recorded on this thread",
                                    .advice = "submit the op in the body of capture()"}));
  }
  return slot.stand_in->state();
}

void throw_no_replay(const ParameterSlot& slot) {
  if (is_being_recorded(slot)) {
    throw SchedulerError(to_string(
        {.operation = "Parameter::value",
         .problem = "the parameter has no value while its capture is recorded",
         .advice = "read it in the body of a recorded op, and assign within an Async scope of the same scheduler"}));
  }
  throw SchedulerError(to_string({.operation = "Parameter::value",
                                  .problem = "no replay of its recording runs",
                                  .advice = "read it in the body of a recorded op"}));
}

}  // namespace tessera
