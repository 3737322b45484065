module;
#include <cstddef>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Waiting for ops, or ordering a stream, around an assignment that is computed at once.
namespace tessera {

void compute_now(const AssignmentAccesses& accesses, Place place, const AssignmentOperands& operands,
                 void (*compute)(const void* destination, const void* node)) {
  if (place.on_host()) return compute(operands.destination, operands.node);
  device::Stream& stream = device::Stream::current(GpuPlace{place.ordinal()});
  order(accesses, stream);
  try {
    compute(operands.destination, operands.node);
  } catch (...) {
    note(accesses, stream.mark());  // the stream may have been given a part of the work
    throw;
  }
  note(accesses, stream.mark());
}

void assign_in_order(const AssignmentTarget& target, const AssignmentOperands& operands, AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node)) {
  if (Async* const scope = current_async(); scope != nullptr && submit_assignment(*scope, target, operands, form))
    return;
  AssignmentAccesses accesses({.buffer = target.buffer, .memory = target.memory});
  plan::Axes extents;
  form.look(operands.node, OperandVisitor(accesses), extents.data());
  wait_for(accesses, target.place);
  compute_now(accesses, target.place, operands, compute);
  target.buffer->forget_failure(target.memory);
}

}  // namespace tessera
