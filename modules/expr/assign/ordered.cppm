module;
#include <cstddef>
export module tessera.expr:ordered;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :expression_name;
import :lowering;
import :accesses;

// Assignments that are computed at once, after the ops and the work of streams that they must not overtake. Their types have been forgotten, so
// that this exists once for all expressions.
namespace tessera {

/// The two sides of an assignment: an array or parameter, and a node.
struct AssignmentOperands {
  const void* destination;
  const void* node;
};

/// What is known of an assignment's types.
struct AssignmentForm {
  schedule::BodyType body;  // made of AssignmentOperands, of which it keeps copies
  /// Shows the node's leaves to the visitor, and writes its extents.
  void (*look)(const void* node, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents);
  int rank;                   // of the node
  plan::ExpressionName name;  // in errors and pictures
};

/// Memory that an assignment writes.
struct AssignmentTarget {
  const Buffer* buffer;
  plan::Written memory;
  Place place;
  bool is_name = false;  // of the storage, and the only one; otherwise its elements are written whoever sees them
};

/// Computes an assignment whose ops have ended: on a GPU as work of this thread's stream, ordered after what it must not overtake.
void compute_now(const AssignmentAccesses& accesses, Place place, const AssignmentOperands& operands,
                 void (*compute)(const void* destination, const void* node));

/// Computes an assignment when what it needs is ready. In an Async scope it is submitted to the scope's scheduler instead.
void assign_in_order(const AssignmentTarget& target, const AssignmentOperands& operands, AssignmentForm& form,
                     void (*compute)(const void* destination, const void* node));

}  // namespace tessera
