module;
#include <cstddef>
export module tessera.expr:gathering;
import tessera.standard;
import tessera.core;
import tessera.array;
import :plan;
import :lowering;

// Elements that a vector of indices picks along one axis of what is in memory: an operand that is gathered block by block, in runs as long as
// rows are, so that no array of what is picked is made.
namespace tessera::plan {

/// Indices on the host: int32, int64, or uint64 of which none is above the largest int64 once it has been checked.
struct IndexList {
  const void* data;
  std::ptrdiff_t count;
  std::ptrdiff_t step;  // elements from one to the next
  DType type;
};

/// What indices pick from, and the axis along which they pick.
struct PickedMemory : storage::ViewMemory {
  int axis;
};

/// Throws IndexError for the first index outside an axis of so many elements, which the message calls `axis`.
void check_indices(const IndexList& indices, std::ptrdiff_t extent, int axis);

/// The position of the first index outside an axis of so many elements; their count if there is none.
std::ptrdiff_t first_outside(const IndexList& indices, std::ptrdiff_t extent);

/// Registers what the indices, which have been checked, pick; returns the number of its leaf. Memory and indices must stay until the evaluation is
/// over.
int add_gathered(Lowering& lowering, const PickedMemory& from, const IndexList& indices);

/// The same, with several axes instead of the one that is picked: `shape` is the result's. An extent of 0 of the axis that is picked from stands for offsets that
/// may be negative.
int add_gathered(Lowering& lowering, const PickedMemory& from, const IndexList& indices,
                 std::span<const std::ptrdiff_t> shape);

}  // namespace tessera::plan
