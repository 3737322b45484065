module;
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// What all assignments do that may have to wait.
namespace tessera {

namespace {

/// What is recorded writes the same storage in each replay, so a name that has come to share it would change with this one.
void require_one_name(const Buffer& buffer) {
  if (thread_context().recorder == nullptr) return;
  add_replay_condition(&buffer, [](const void* written) {
    if (static_cast<const Buffer*>(written)->names() <= 1) return;
    throw SchedulerError(to_string(Failure{
        .operation = "replay",
        .problem = "a recorded step gives a name a new value in storage that another name has come to share",
        .advice = "keep copies of it, as in history.push_back(copy(a)), or record a(ellipsis) = x, which writes "
                  "the elements for all who see them"}));
  });
}

const char* name_of(AssignmentForm& form) {
  const char* name = form.name.load(std::memory_order_acquire);
  if (name == nullptr) form.name.store(name = readable_expression(form.function), std::memory_order_release);
  return name;
}

}  // namespace

void submit_later(const AssignmentAccesses& accesses, Async& scope, const AssignmentOperands& operands,
                  AssignmentForm& form) {
  submit(accesses, scope,
         make_erased_op(form.body, &operands, {.name = OpName::of_immortal(name_of(form))}, scope.where()));
}

void compute_settled(const AssignmentAccesses& accesses, Place place, const AssignmentOperands& operands,
                     void (*compute)(const void* destination, const void* node)) {
  if (place.on_host()) return compute(operands.destination, operands.node);
  Stream& stream = Stream::current(GpuPlace{place.ordinal()});
  order(accesses, stream);
  try {
    compute(operands.destination, operands.node);
  } catch (...) {
    note(accesses, stream.mark());  // the stream may have been given a part of the work
    throw;
  }
  note(accesses, stream.mark());
}

void compute_in_turn(const AssignmentTarget& target, const AssignmentOperands& operands, const AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node)) {
  if (target.place.kind() == PlaceKind::cpu) return compute(operands.destination, operands.node);
  AssignmentAccesses accesses({.buffer = target.buffer, .memory = target.memory});
  plan::Axes extents;
  form.look(operands.node, OperandVisitor(accesses), extents.data());
  if (target.place.on_host()) {
    if (std::vector<StreamMark> marks = unreached(accesses); !marks.empty()) return give_up_turn(std::move(marks));
  }
  compute_settled(accesses, target.place, operands, compute);
}

void assign_in_order(const AssignmentTarget& target, const AssignmentOperands& operands, AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node)) {
  AssignmentAccesses accesses(
      {.buffer = target.buffer, .memory = target.memory, .rewrites = is_all_of(*target.buffer, target.memory)});
  plan::Axes extents;
  form.look(operands.node, OperandVisitor(accesses), extents.data());
  Async* const scope = current_async();
  if (scope == nullptr || !accesses.are_known()) {
    settle(accesses, target.place);
    compute_settled(accesses, target.place, operands, compute);
    return target.buffer->forget_failure(target.memory);
  }
  check_broadcast(std::span(extents).first(static_cast<std::size_t>(form.rank)), target.memory.shape, "assignment");
  require_distinct_elements(target.memory.shape, target.memory.strides, "assignment");
  if (target.is_name) require_one_name(*target.buffer);
  submit_later(accesses, *scope, operands, form);
}

}  // namespace tessera
