module;
#include <memory>
#include <source_location>
#include <string>
module tessera.schedule;
import tessera.core;

// What does not depend on the callable.
namespace tessera {

void free_callable_op(OpState& op) noexcept {
  free_parts(op);
  std::destroy_at(&op);
  give_recycled(&op, sizeof(OpState));
}

void set_options(OpState& op, const OpOptions& options, const std::source_location& where) {
  op.name = options.name.text();
  op.where = where;
  op.priority = options.priority;
  if (options.always_run) op.set(OpState::always_run);
  if (options.bytes < 0) {
    throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                    .problem = std::to_string(options.bytes) + " bytes are less than none",
                                    .where = where}));
  }
  if (options.stop.stop_possible()) extras_of(op).stop = options.stop;
  if (options.bytes != 0) extras_of(op).bytes = options.bytes;
}

void throw_moved_from_var(const OpState& op) {
  throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                  .problem = "one of its Vars has been moved from",
                                  .where = op.where}));
}

}  // namespace tessera
