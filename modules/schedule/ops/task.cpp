module;
#include <cstddef>
module tessera.schedule;
import tessera.core;

// Checks of tasks.
namespace tessera {

Engine& current_engine(const char* operation) { return *current_op(operation).engine; }

void throw_no_task(bool is_awaited) {
  throw SchedulerError(
      to_string({.operation = "co_await of a Task",
                 .problem = is_awaited ? "the task has been awaited already" : "the task has been moved from",
                 .advice = "a task computes its value once: keep the value"}));
}

void check_some_tasks(std::size_t count) {
  if (count != 0) return;
  throw SchedulerError(to_string({.operation = "when_any", .problem = "there is no task to wait for"}));
}

}  // namespace tessera
