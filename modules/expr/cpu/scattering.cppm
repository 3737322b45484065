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
enum class Scattering : std::uint8_t { assign, add, subtract, multiply, divide, minimum, maximum };

/// Elements that are written, and the values for them: `offsets` are those of what is picked, in elements; the other axes are the same for each.
struct ScatteredMemory {
  void* data;
  DType type;
  std::span<const std::int64_t> offsets;
  const void* values;          // of the same type
  std::ptrdiff_t values_step;  // from one offset to the next, in elements
  std::span<const std::ptrdiff_t> extents;
  std::span<const std::ptrdiff_t> strides, value_strides;  // of elements and values along the other axes
};

/// Writes all values. Nothing of `values` may lie where is written.
void scatter(const ScatteredMemory& memory, Scattering how);

}  // namespace tessera::plan
