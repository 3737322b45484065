module;
#include <cstddef>
export module tessera.expr:assign_parameter;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :scopes;
import :accesses;
import :ordered;
import :async;
import :accesses;
import :deferred;
import :lowering;
import :node;
import :parameter_node;
import :assign;

// Assignment to an array that each replay of a recording is given.
namespace tessera {

[[noreturn]] void throw_no_scope();

/// Records the assignment, which each replay then makes to its argument. In the body of a recorded op it is made at once. Throws ShapeError
/// and DeviceError as any assignment, SchedulerError outside of an Async scope while it is recorded.
export template <ArrayParameter D, class S>
  requires AssignableSource<S, typename D::value_type, D::rank, typename D::place_type>
void assign(const D& destination, const S& source) {
  if (!schedule::is_being_recorded(destination.slot())) {
    const auto& array = destination.array();
    return assign(array, source);
  }
  const auto& node = as_assigned_node<typename D::value_type>(source);
  using Node = std::remove_cvref_t<decltype(node)>;
  storage::check_broadcast(Dim<Node::rank>(node.shape()).extents(), destination.shape().extents(), "assignment");
  Async* const scope = current_async();
  AssignmentAccesses accesses({.rewrites = true, .parameter = &destination.slot()});
  static_cast<void>(node.any_leaf(OperandVisitor(accesses)));
  if (scope == nullptr || !accesses.are_known()) throw_no_scope();
  submit_deferred(accesses, *scope, destination.place(), {.destination = &destination, .node = &node},
                  assignment_form<Node, D>);
}

}  // namespace tessera
