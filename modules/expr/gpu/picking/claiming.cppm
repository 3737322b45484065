module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picking_claiming;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :picking_lists;
import :picking_moving;

// Which of equal indices writes an element of a GPU: the last.
namespace tessera::plan::picking {

/// What is done with the positions of an axis, or of several, that lists of indices name together.
enum class Claiming : std::uint8_t {
  look,    // notes indices outside their axes, and no more
  check,   // notes indices outside their axes, and that nothing has been written to the elements inside
  claim,   // of those that name one element, the last gets it
  assign,  // writes where each writes: `unwritten` without an element
};

/// Positions that claim elements of a GPU: of equal ones the last gets the element. `owners` has an int64 for each element of the axes that the
/// indices pick from, `slots` one for each position: multiples of `unit` elements. Steps of the axes are those of the indices alone. To look at them there need be neither.
struct Claims {
  std::vector<MovedAxis> axes;
  std::vector<MovingIndices> indices;
  std::int64_t* owners;
  std::int64_t* slots;
  std::ptrdiff_t unit;
};

/// One of the steps as work of this thread's stream: check, claim and assign belong together, in this order.
void claim_elements(const Claims& claims, Claiming step, GpuPlace place, std::int32_t* outside);

}  // namespace tessera::plan::picking
