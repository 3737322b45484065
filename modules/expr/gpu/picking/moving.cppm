module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picking_moving;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :picking_lists;

// Elements that a GPU reads or writes where indices in its memory say.
namespace tessera::plan::picking {

/// Not a position: what it would name is not written.
inline constexpr std::int64_t unwritten = std::numeric_limits<std::int64_t>::min();

/// Elements of one size from memory of a GPU to other memory of it. The indices say where one of the two sides lies, the axes the rest.
struct Move {
  void* to;
  const void* from;
  std::ptrdiff_t item;
  std::vector<MovedAxis> axes;  // slowest first
  std::vector<MovingIndices> indices;
  bool scatters = false;                  // the indices are of the side that is written
  device::StreamUses* to_uses = nullptr;  // null for memory of this thread's stream
  device::StreamUses* from_uses = nullptr;
};

/// Moves all elements as work of this thread's stream. Where an index is outside its axis, 1 is written to `outside`, which the GPU can
/// write to, and the first position is taken instead.
void move_elements(Move move, GpuPlace place, std::int32_t* outside);

}  // namespace tessera::plan::picking
