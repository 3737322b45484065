module;
#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Packing operands and running the kernel on one block.
namespace tessera::plan {

namespace {

std::ptrdiff_t input_bytes(std::size_t leaves) {
  return Pieces::padded(static_cast<std::ptrdiff_t>(leaves * sizeof(Input)));
}

}  // namespace

std::ptrdiff_t Values::bytes_for(std::size_t leaves) {
  return input_bytes(leaves) + static_cast<std::ptrdiff_t>(leaves) * packing_stride;
}

Values::Values(std::span<const Operand> leaves, Kernel kernel, const void* nodes, std::ptrdiff_t item,
               std::byte* memory)
    : leaves_(leaves),
      kernel_(kernel),
      nodes_(nodes),
      item_(item),
      delivered_(new (memory) Input[leaves.size()]),
      packed_(memory + input_bytes(leaves.size())) {}

bool Values::pack_nothing(std::span<const Operand> leaves, int axis) {
  return std::ranges::all_of(leaves, [axis](const Operand& leaf) {
    const std::ptrdiff_t stride = leaf.strides[static_cast<std::size_t>(axis)];
    return leaf.data != nullptr && (stride == 0 || stride == 1);
  });
}

void deliver(const Operand& leaf, const Block& block, std::ptrdiff_t offset, std::ptrdiff_t written_item,
             std::byte* buffer, Input& input) {
  if (is_direct(leaf, block)) return input.read(leaf.data + offset * leaf.item);
  if (is_repeated(leaf, block)) {
    repeat(leaf, offset, 0, 1, written_item, buffer);
    return input.repeat(buffer);
  }
  pack(leaf, block, offset, buffer);
  input.read(buffer);
}

const std::byte* Values::block(const Block& block, const std::ptrdiff_t* offsets, std::byte* to) const {
  if (kernel_ == nullptr) {
    if (is_direct(leaves_[0], block)) return leaves_[0].data + offsets[0] * leaves_[0].item;
    pack(leaves_[0], block, offsets[0], to);
    return to;
  }
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const Operand& leaf = leaves_[k];
    deliver(leaf, block, offsets[k], item_, packed_ + static_cast<std::ptrdiff_t>(k) * packing_stride, delivered_[k]);
  }
  kernel_(nodes_, to, delivered_, block.rows * block.columns);
  return to;
}

}  // namespace tessera::plan
