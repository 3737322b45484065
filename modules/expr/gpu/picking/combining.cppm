module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picking_combining;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :picking_lists;
import :scattering;

// Combining elements of a GPU with values.
namespace tessera::plan::picking {

/// Elements of a GPU that are combined with values, all of those for one element in their order.
struct Combination {
  void* to;
  const void* from;
  DType type;  // of elements and values
  Scattering how;
  std::span<const std::int64_t> slots;   // where each element is, in elements
  std::span<const std::int64_t> starts;  // of each element in `order`, and the end
  std::span<const std::int64_t> order;   // numbers of values
  std::ptrdiff_t values_step;            // from one value to the next
  std::vector<MovedAxis> others;         // axes that are the same for each slot
};

/// Combines all of them as work of this thread's stream. The three lists are in memory of the GPU.
void combine_elements(const Combination& combination, GpuPlace place);

}  // namespace tessera::plan::picking
