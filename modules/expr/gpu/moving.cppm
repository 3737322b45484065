module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_moving;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;

// Elements that a GPU reads or writes where indices in its memory say.
namespace tessera::plan {

/// Indices in memory of the GPU, of the types of an IndexList, and what they mean: positions along an axis, those below 0 from its end.
struct MovingIndices {
  const void* data;
  DType type;
  std::ptrdiff_t extent;  // of the axis; 0: its positions have been counted and checked, and may be any number
  std::ptrdiff_t step;    // elements from one position to the next
};

/// One axis along which elements are moved. Steps are in elements; those of indices are one for each list.
struct MovedAxis {
  std::ptrdiff_t extent, to, from;
  std::vector<std::ptrdiff_t> indices;

  bool is_picked() const;
};

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

/// What is done with the positions of an axis, or of several, that lists of indices name together.
enum class Claiming : std::uint8_t {
  check,   // notes indices outside their axes, and that nothing has been written to the elements inside
  claim,   // of those that name one element, the last gets it
  settle,  // writes where each writes: `unwritten` without an element
};

/// Positions that claim elements of a GPU: of equal ones the last gets the element. `owners` has an int64 for each element of the axes that the
/// indices pick from, `slots` one for each position: multiples of `unit` elements. Steps of the axes are those of the indices alone.
struct Claims {
  std::vector<MovedAxis> axes;
  std::vector<MovingIndices> indices;
  std::int64_t* owners;
  std::int64_t* slots;
  std::ptrdiff_t unit;
};

/// One of the three, which belong together, as work of this thread's stream.
void claim_elements(const Claims& claims, Claiming step, GpuPlace place, std::int32_t* outside);

}  // namespace tessera::plan
