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

namespace {

/// Copies the box of the only leaf to where the target has it, through `buffer` if neither lies as it is packed.
void copy_box(std::span<const Operand> operands, const Box& box, const Walk& walk, bool to_direct, bool from_direct,
              std::byte* buffer) {
  const Operand& target = operands[0];
  const Operand& leaf = operands[1];
  std::byte* to = to_direct ? target.data + walk.offset(0) * target.item : buffer;
  const std::byte* packed = from_direct ? leaf.data + walk.offset(1) * leaf.item : to;
  if (to_direct || !from_direct) pack(leaf, box, walk.offset(1), to);
  if (!to_direct) unpack(target, box, walk.offset(0), packed);
}

}  // namespace

void run_boxes(const Loop& loop, const Space& space, const Cut& cut, std::ptrdiff_t first, std::ptrdiff_t last) {
  const std::span<const Operand> operands = space.operands;
  const Operand& target = operands.front();
  const Box largest{.rank = space.rank, .extents = cut.steps};
  const bool direct = is_direct(target, largest);
  const bool is_first_direct = loop.copies && is_direct(operands[1], largest);
  PerOperand<std::ptrdiff_t> offsets(operands.size());
  std::byte* const memory = scratch(box_bytes + 64 + BoxInputs::bytes_for(operands.size() - 1));
  BoxInputs inputs(operands.subspan(1), largest, target.item, memory + box_bytes + 64);
  Walk walk(space, cut.steps, first, offsets.data());
  for (std::ptrdiff_t number = first; number < last; ++number, walk.next()) {
    const Box& box = walk.box();
    if (loop.copies) {
      copy_box(operands, box, walk, direct, is_first_direct && is_direct(operands[1], box), memory);
      continue;
    }
    void* to = direct ? target.data + walk.offset(0) * target.item : memory;
    loop.kernel(loop.nodes, to, inputs.read(box, offsets.data() + 1), box.elements());
    if (!direct) unpack(target, box, walk.offset(0), memory);
  }
}

}  // namespace tessera::plan
