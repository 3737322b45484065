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

// Finding or packing the rows of each leaf.
namespace tessera::plan {

namespace {

std::ptrdiff_t input_bytes_of(std::size_t leaves) {
  return Pieces::padded(static_cast<std::ptrdiff_t>(leaves * sizeof(Input)));
}

std::ptrdiff_t pitch_bytes_of(std::size_t leaves) {
  return Pieces::padded(static_cast<std::ptrdiff_t>(leaves * sizeof(std::ptrdiff_t)));
}

/// Of one leaf: packed, or with one value for each row. The odd line keeps buffers off the same cache sets.
std::ptrdiff_t bytes_of_buffer(std::span<const Operand> leaves, std::ptrdiff_t computed_item) {
  std::ptrdiff_t widest = 1;
  for (const Operand& leaf : leaves) widest = std::max(widest, leaf.item);
  const std::ptrdiff_t repeated = repeated_bytes / computed_item * RowInputs::most_rows;
  return Pieces::padded(std::max(repeated, block_elements) * widest) + 64;
}

}  // namespace

std::ptrdiff_t RowInputs::bytes_for(const Reduction& reduction) {
  if (reduction.folds.rows == nullptr) return 0;
  const std::span<const Operand> leaves = reduction.leaves;
  return input_bytes_of(leaves.size()) + pitch_bytes_of(leaves.size()) +
         static_cast<std::ptrdiff_t>(leaves.size()) * bytes_of_buffer(leaves, reduction.reducer->value_bytes);
}

RowInputs::RowInputs(std::span<const Operand> leaves, std::ptrdiff_t computed_item, std::ptrdiff_t lanes,
                     std::byte* memory)
    : leaves_(leaves),
      computed_item_(computed_item),
      lanes_(lanes),
      buffer_bytes_(bytes_of_buffer(leaves, computed_item)),
      inputs_(new (memory) Input[leaves.size()]),
      pitches_(new (memory + input_bytes_of(leaves.size())) std::ptrdiff_t[leaves.size()]),
      buffers_(memory + input_bytes_of(leaves.size()) + pitch_bytes_of(leaves.size())) {}

InputRows RowInputs::read(const Block& block, const std::ptrdiff_t* offsets) {
  for (std::size_t k = 0; k < leaves_.size(); ++k) read_leaf(k, block, offsets[k]);
  return {.first = inputs_, .pitches = pitches_};
}

void RowInputs::read_leaf(std::size_t k, const Block& block, std::ptrdiff_t offset) {
  const Operand& leaf = leaves_[k];
  const std::ptrdiff_t along = block.columns == 1 ? 1 : column_stride(leaf, block);
  const std::ptrdiff_t down = block.rows == 1 ? 0 : row_stride(leaf, block);
  if (leaf.data != nullptr && along == 1) {
    inputs_[k].read(leaf.data + offset * leaf.item);
    pitches_[k] = down * leaf.item;
    return;
  }
  std::byte* const buffer = buffers_ + static_cast<std::ptrdiff_t>(k) * buffer_bytes_;
  if (leaf.data != nullptr && along == 0) {
    // A row of fewer than four vectors is read by one vector at a time.
    const std::ptrdiff_t copies = block.columns < 4 * lanes_ ? lanes_ : repeated_bytes / computed_item_;
    repeat(leaf, offset, down, down == 0 ? 1 : block.rows, repeated_bytes / copies, buffer);
    inputs_[k].repeat(buffer);
    pitches_[k] = down == 0 ? 0 : copies * leaf.item;
    return;
  }
  pack(leaf, block, offset, buffer);
  inputs_[k].read(buffer);
  pitches_[k] = block.columns * leaf.item;
}

InputRows RowInputs::of_box(const Input* inputs, std::ptrdiff_t first, std::ptrdiff_t columns) {
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    pitches_[k] = inputs[k].along == 0 ? 0 : columns * leaves_[k].item;
    inputs_[k] = inputs[k];
    inputs_[k].data = static_cast<const std::byte*>(inputs[k].data) + first * pitches_[k];
  }
  return {.first = inputs_, .pitches = pitches_};
}

}  // namespace tessera::plan
