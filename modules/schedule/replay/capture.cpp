module;
#include <source_location>
module tessera.schedule;
import tessera.core;

// What is said of a Step that has been moved from.
namespace tessera {

void throw_no_step(const std::source_location& where) {
  throw SchedulerError(
      to_string({.operation = "Step::replay", .problem = "the step has been moved from", .where = where}));
}

}  // namespace tessera
