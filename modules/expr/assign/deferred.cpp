module;
#include <cstddef>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Submitting assignments, and computing them in their turn.
namespace tessera {

namespace {

/// What is recorded writes the same storage in each replay, so a name that has come to share it would change with this one.
void require_one_name(const Buffer& buffer) {
  if (schedule::thread_context().recorder == nullptr) return;
  schedule::add_replay_condition(&buffer, [](const void* written) {
    if (static_cast<const Buffer*>(written)->names() <= 1) return;
    throw SchedulerError(to_string(Failure{
        .operation = "replay",
        .problem = "a recorded step gives a name a new value in storage that another name has come to share",
        .advice = "keep copies of it, as in history.push_back(copy(a)), or record a(ellipsis) = x, which writes "
                  "the elements for all who see them"}));
  });
}

}  // namespace

void submit_deferred(const AssignmentAccesses& accesses, const Async& scope, Place place,
                     const AssignmentOperands& operands, AssignmentForm& form) {
  const ScopeOfAssignment here{scope};
  schedule::UnsubmittedOp op =
      schedule::make_erased_op(form.body, &operands, {.name = OpName::of_immortal(form.name.text())}, here.place());
  if (place.kind() == PlaceKind::gpu) schedule::note_only_launches(*op);
  here.submit(accesses, std::move(op));
}

void compute_in_turn(const AssignmentTarget& target, const AssignmentOperands& operands, const AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node)) {
  if (target.place.kind() == PlaceKind::cpu) return compute(operands.destination, operands.node);
  AssignmentAccesses accesses({.buffer = target.buffer, .memory = target.memory});
  plan::Axes extents;
  form.look(operands.node, OperandVisitor(accesses), extents.data());
  if (target.place.on_host()) {
    if (std::vector<device::StreamMark> marks = unreached(accesses); !marks.empty())
      return schedule::give_up_turn(std::move(marks));
  }
  compute_now(accesses, target.place, operands, compute);
}

bool submit_assignment(const Async& scope, const AssignmentTarget& target, const AssignmentOperands& operands,
                       AssignmentForm& form) {
  AssignmentAccesses accesses({.buffer = target.buffer,
                               .memory = target.memory,
                               .rewrites = storage::is_all_of(*target.buffer, target.memory),
                               .divides = ScopeOfAssignment{scope}.divides()});
  plan::Axes extents;
  form.look(operands.node, OperandVisitor(accesses), extents.data());
  if (!accesses.are_known()) return false;
  storage::check_broadcast(std::span(extents).first(static_cast<std::size_t>(form.rank)), target.memory.shape,
                           "assignment");
  storage::require_distinct_elements(target.memory.shape, target.memory.strides, "assignment");
  if (target.is_name) require_one_name(*target.buffer);
  submit_deferred(accesses, scope, target.place, operands, form);
  return true;
}

void require_rest(const Buffer& buffer, std::ptrdiff_t written_bytes) {
  if (written_bytes != buffer.bytes()) schedule::require_unpoisoned(buffer.var());
}

}  // namespace tessera
