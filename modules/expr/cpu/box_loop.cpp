module;
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Elementwise evaluation box by box.
namespace tessera::plan {

void run_boxes(const Loop& loop, const Space& space, const Cut& cut, std::ptrdiff_t first, std::ptrdiff_t last) {
  const std::span<const Operand> operands = space.operands;
  const Operand& target = operands.front();
  const Box largest{.rank = space.rank, .extents = cut.steps};
  const bool direct = is_direct(target, largest);
  PerOperand<std::ptrdiff_t> offsets(operands.size());
  std::byte* const memory = scratch(box_bytes + 64 + BoxInputs::bytes_for(operands.size() - 1));
  BoxInputs inputs(operands.subspan(1), largest, target.item, memory + box_bytes + 64);
  Walk walk(space, cut.steps, first, offsets.data());
  for (std::ptrdiff_t number = first; number < last; ++number, walk.next()) {
    const Box& box = walk.box();
    std::byte* to = direct ? target.data + walk.offset(0) * target.item : memory;
    if (loop.copies && direct) {
      pack(operands[1], box, walk.offset(1), to);
      continue;
    }
    loop.kernel(loop.nodes, to, inputs.read(box, offsets.data() + 1), box.elements());
    if (!direct) unpack(target, box, walk.offset(0), memory);
  }
}

}  // namespace tessera::plan
