module;
#include <cstddef>
module tessera.schedule;
import tessera.core;

// Checks of tasks.
namespace tessera {

Engine& current_engine(const char* operation) { return *current_op(operation).engine; }

void check_some_tasks(std::size_t count) {
  if (count != 0) return;
  throw SchedulerError(to_string({.operation = "when_any", .problem = "there is no task to wait for"}));
}

}  // namespace tessera
