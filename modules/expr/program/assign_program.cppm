module;
#include <cstddef>
export module tessera.expr:assign_program;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :function;
import :program;

// Programs and loops written into the elements of an array.
namespace tessera::dynamic {

/// Elements that a program is written into.
export struct Destination {
  const storage::BufferShare* share;
  void* data;
  DType dtype;
  Place place;
  std::span<const std::ptrdiff_t> shape;
  std::span<const std::ptrdiff_t> strides;
};

/// Memory that a loop reads.
export struct LeafView : storage::ViewMemory {
  Place place;
};

/// Computes the elements of the destination by a kernel over these leaves, which broadcast, by one call of it where that can be.
/// `copies`: its values are those of its only leaf. Nothing is waited for. Throws ShapeError, PlaceError, OutOfMemory.
export void evaluate(const Destination& destination, std::span<const LeafView> leaves, plan::Kernel kernel,
                     const void* nodes, bool copies = false);

/// Writes the expression, broadcast, into elements, now or in the thread's Async scope. `is_name`: nobody else sees them. Throws
/// DTypeError where an assignment does not convert, ShapeError, PlaceError, OutOfMemory.
export void assign(const Destination& destination, const DExpression& expression, bool is_name = false);

/// A value with the shape and type of `shape_of` may be written into this storage of a name: it is its own, and no element is there
/// twice. Names that are leaves of the expression, each held `holds` times, do not count where it is not kept: `holds` is 0 then.
export bool fits_own_storage(const Destination& destination, const DExpression& expression, int holds);

/// Throws SchedulerError while the thread records: a name that gets new storage for the expression would need it in each replay.
export void check_renaming(const DExpression& expression);

}  // namespace tessera::dynamic
