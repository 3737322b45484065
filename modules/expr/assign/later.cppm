module;
#include <cstddef>
export module tessera.expr:later;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;
import :async;
import :assignment_accesses;

// Assignments whose types have been forgotten, so that waiting for operands and submission exist once for all expressions.
namespace tessera {

/// The two sides of an assignment: an array or parameter, and a node.
struct AssignmentOperands {
  const void* destination;
  const void* node;
};

/// What is known of an assignment's types.
struct AssignmentForm {
  BodyType body;  // made of AssignmentOperands, of which it keeps copies
  /// Shows the node's leaves to the visitor, and writes its extents.
  void (*look)(const void* node, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents);
  int rank;                                 // of the node
  const char* function;                     // see readable_expression
  std::atomic<const char*> name = nullptr;  // in errors and pictures: the expression; made when it is first asked for
};

/// Memory that an assignment writes.
struct AssignmentTarget {
  const Buffer* buffer;
  plan::Written memory;
  Place place;
  bool is_name = false;  // of the storage, and the only one; otherwise its elements are written whoever sees them
};

/// Submits the assignment to the scheduler of this thread's Async scope; without one, waits until it can be computed and does that.
void assign_in_order(const AssignmentTarget& target, const AssignmentOperands& operands, AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node));

/// Computes an assignment whose ops have been settled: on a GPU as work of this thread's stream, ordered after what it must not overtake.
void compute_settled(const AssignmentAccesses& accesses, Place place, const AssignmentOperands& operands,
                     void (*compute)(const void* destination, const void* node));

/// The same when its turn has come as an op, a callable one. While streams work with memory of the host, it gives up its turn instead.
void compute_in_turn(const AssignmentTarget& target, const AssignmentOperands& operands, const AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node));

/// Submits an assignment that has been checked.
void submit_later(const AssignmentAccesses& accesses, Async& scope, const AssignmentOperands& operands,
                  AssignmentForm& form);

/// Some of a buffer, when the op that writes it runs: throws OperationFailed if what it leaves there is poisoned.
void require_rest(const Buffer& buffer, std::ptrdiff_t written_bytes);

}  // namespace tessera
