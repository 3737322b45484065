module tessera.expr;
import tessera.core;
import tessera.schedule;
import tessera.array;

// What assignments to parameters check.
namespace tessera {

void throw_no_scope() {
  throw SchedulerError(
      to_string(Failure{.operation = "assignment to a Parameter",
                        .problem = "it cannot be computed now, while its capture is recorded",
                        .advice = "assign within an Async scope of the same scheduler, and name no ArrayView"}));
}

}  // namespace tessera
