module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:scattering;
import tessera.standard;
import tessera.core;
import tessera.array;
import :plan;

// Writing elements that indices pick, in the order of the indices: of equal ones the last wins, or all of them are added, whatever the number of threads is.
namespace tessera::plan {

/// What becomes of an element and the value that is written to it.
export enum class Scattering : std::uint8_t { assign, add, subtract, multiply, divide, minimum, maximum };

/// Where the elements are that are written: index number i names the one (i-th index) * stride from the first on; an index below 0 counts from `extent`. With 0 and 1
/// these are offsets.
export struct ScatteredIndices {
  std::span<const std::int64_t> indices;
  std::int64_t extent = 0;
  std::int64_t stride = 1;
};

/// Elements that are written, and the values for them. The other axes are the same for each index.
export struct ScatteredMemory {
  void* data;
  DType type;
  ScatteredIndices at;
  const void* values;          // of the same type
  std::ptrdiff_t values_step;  // from one index to the next, in elements
  std::span<const std::ptrdiff_t> extents;
  std::span<const std::ptrdiff_t> strides, value_strides;  // of elements and values along the other axes
};

/// Writes all values. Nothing of `values` may lie where is written.
void scatter(const ScatteredMemory& memory, Scattering how);

}  // namespace tessera::plan
