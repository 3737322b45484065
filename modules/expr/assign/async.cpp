module;
#include <atomic>
#include <source_location>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// The beginning and the end of scopes.
namespace tessera {

Async::Async(Scheduler& scheduler, const AsyncOptions& options, const std::source_location& where)
    : engine_(scheduler.engine().get()),
      options_(options),
      op_(schedule::thread_context().op),
      where_(where),
      scopes_(AsyncScopes::here()),
      outer_(nullptr) {
  engine_->check_process();
  storage::buffers_have_vars.store(true, std::memory_order_relaxed);
  if (options.disjoint_views) views_have_vars.store(true, std::memory_order_relaxed);
  scopes_->begin(*this);
}

Async::~Async() { scopes_->end(*this); }

void ScopeOfAssignment::submit(const AssignmentAccesses& accesses, schedule::UnsubmittedOp op) const {
  tessera::submit(accesses, *scope.engine_, std::move(op));
}

}  // namespace tessera
