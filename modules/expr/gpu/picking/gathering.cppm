module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picking_gathering;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :gathering;
import :positions;
import :scattering;

// Reading and writing by index on a GPU: what the host looks at, and what it leaves to the GPU.
namespace tessera::plan {

/// Slices of an array along its first axis and where they go; strides in elements, the first axis' first. Memory whose `uses` are null is of this
/// thread's stream.
export struct SliceCopy {
  storage::PlacedMemory to;
  storage::PlacedMemory from;
  std::span<const std::ptrdiff_t> slice;  // extents of one slice
};

/// Slice i of `to` becomes slice indices[i] of `from`, all of which exist, as work of this thread's stream.
export void gather_on_device(const SliceCopy& copy, std::span<const std::int64_t> indices);

/// Writes values to elements at distances, all of which are in its `at`, and of equal ones the last, as work of this thread's stream.
export void scatter_on_device(const ScatteredMemory& memory, Place place);

/// Combines the elements at distances with values, all of those for one element in their order, as work of this thread's stream.
export void combine_on_device(const ScatteredMemory& memory, Scattering how, Place place);

/// Slice i of `from` becomes the slice of `to` at distance distances[i] along its first axis, which may be negative; of equal distances the last one stays.
void scatter_on_device(const SliceCopy& copy, std::span<const std::int64_t> distances);

/// Gathers elements at distances, of which each stands for a position of the axes that are picked from and may be negative, into memory of the GPU for
/// the evaluation; returns the number of its leaf. `shape` is the result's, in which the picked axes stand in the place of axis `from.axis`.
int gather_leaf(Lowering& lowering, const PickedMemory& from, std::span<const std::int64_t> distances,
                std::span<const std::ptrdiff_t> shape);

/// The same by positions along the axis, which have been checked.
int gather_taken(Lowering& lowering, const PickedMemory& from, const IndexList& indices,
                 std::span<const std::ptrdiff_t> shape);

/// The same by index arrays that are in memory of the GPU, along axis `from.axis` and those behind it, one each. The GPU looks whether all indices are
/// inside, for which the host waits. Returns -1 if one is not, or if there is nothing to pick from or to pick.
int gather_picked(Lowering& lowering, const PickedMemory& from, std::span<const Picker> pickers,
                  std::span<const std::ptrdiff_t> shape);

/// The same into memory of the GPU that overlaps with nothing that is read. The GPU looks at the indices before: false, and nothing is written, as above.
bool gather_picked_to(const storage::StridedMemory& to, Place place, const PickedMemory& from,
                      std::span<const Picker> pickers, std::span<const std::ptrdiff_t> shape);

/// Writes values to the elements that such index arrays, which broadcast to `positions`, name: `memory.at` is not used. False, and nothing is written, as
/// above.
bool scatter_picked(const ScatteredMemory& memory, std::span<const Picker> pickers,
                    std::span<const std::ptrdiff_t> positions, Place place);

}  // namespace tessera::plan
