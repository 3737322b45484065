module;
#include <cstddef>
export module tessera.expr:deferred;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :async;
import :accesses;
import :ordered;

// Assignments that become ops of a scheduler, their types forgotten.
namespace tessera {

/// Submits an assignment to the scope's scheduler. Returns false, and does nothing, if an operand has no buffer that can be waited for. Throws
/// ShapeError, SchedulerError.
bool submit_assignment(const Async& scope, const AssignmentTarget& target, const AssignmentOperands& operands,
                       AssignmentForm& form);

/// Computes an assignment when its turn has come as an op, a callable one. While streams work with memory of the host, it gives up its turn instead.
void compute_in_turn(const AssignmentTarget& target, const AssignmentOperands& operands, const AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node));

/// Submits an assignment that has been checked, and that writes to the place.
void submit_deferred(const AssignmentAccesses& accesses, const Async& scope, Place place,
                     const AssignmentOperands& operands, AssignmentForm& form);

/// Some of a buffer, when the op that writes it runs: throws OperationFailed if what it leaves there is poisoned.
void require_rest(const Buffer& buffer, std::ptrdiff_t written_bytes);

}  // namespace tessera
