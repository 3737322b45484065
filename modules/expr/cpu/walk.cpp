module;
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// How an elementwise evaluation is cut into blocks.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t short_columns = 128;  // below it, several rows share a block
constexpr std::ptrdiff_t least_strip_columns = 32;
constexpr std::ptrdiff_t most_direct_rows =
    16;  // of a strip that packs nothing: enough to share the cost of a step of the walk

/// The axis along which some leaf is contiguous although it is strided along the last one; -1 if there is none.
int transposed_axis(const Space& space) {
  const auto last = static_cast<std::size_t>(space.rank - 1);
  for (const Operand& leaf : space.operands.subspan(1)) {
    if (leaf.data == nullptr || std::abs(leaf.strides[last]) <= 1) continue;
    for (int axis = 0; axis + 1 < space.rank; ++axis) {
      if (std::abs(leaf.strides[static_cast<std::size_t>(axis)]) == 1) return axis;
    }
  }
  return -1;
}

/// Rows of a strip: one cache line of its largest transposed operand.
std::ptrdiff_t strip_rows(const Space& space, const Block& strip) {
  std::ptrdiff_t item = 1;
  for (const Operand& leaf : space.operands.subspan(1)) {
    if (is_transposed(leaf, strip)) item = std::max(item, leaf.item);
  }
  return strip_row_bytes / item;
}

}  // namespace

Cut cut(Space& space) {
  const int last = space.rank - 1;
  const std::ptrdiff_t extent = space.extents[static_cast<std::size_t>(last)];
  Block block{.rows = 1, .columns = std::min(extent, direct_columns), .row_axis = -1, .column_axis = last};
  const Operand& target = space.operands.front();
  const auto leaves = space.operands.subspan(1);
  const bool unpacked = is_direct(target, block) && std::ranges::all_of(leaves, [&](const Operand& leaf) {
                          return is_direct(leaf, block) || is_repeated(leaf, block);
                        });
  if (const int axis = transposed_axis(space); axis >= 0) {
    const std::ptrdiff_t rows = space.extents[static_cast<std::size_t>(axis)];
    block.row_axis = axis;
    if (extent >= least_strip_columns) {
      block.rows = std::min(strip_rows(space, block), rows);
      block.columns = std::min(extent, strip_columns);
      space.swap_axes(axis, last);
      std::swap(block.row_axis, block.column_axis);
      return {.shape = block, .strips = true};
    }
    block.rows = std::min(block_elements / extent, rows);
    block.columns = extent;
  } else if (space.rank > 1 && extent < short_columns) {
    block.row_axis = last - 1;
    block.rows = std::min(block_elements / extent, space.extents[static_cast<std::size_t>(last - 1)]);
  } else if (!unpacked) {
    block.columns = std::min(extent, block_elements);
  } else if (const std::ptrdiff_t rows = std::min(most_direct_rows, direct_columns / block.columns);
             space.rank > 1 && rows > 1) {
    const bool buffered = !std::ranges::all_of(leaves, [&](const Operand& leaf) { return is_direct(leaf, block); });
    block.row_axis = last - 1;
    block.rows = std::min(rows, space.extents[static_cast<std::size_t>(last - 1)]);
    return {.shape = block, .strips = true, .buffered = buffered};
  }
  const bool all_direct =
      std::ranges::all_of(space.operands, [&](const Operand& operand) { return is_direct(operand, block); });
  return {.shape = block, .buffered = !all_direct};
}

std::ptrdiff_t count_blocks(const Space& space, const Block& shape) {
  std::ptrdiff_t count = 1;
  for (int axis = 0; axis < space.rank; ++axis) {
    const std::ptrdiff_t step = axis == shape.column_axis ? shape.columns : axis == shape.row_axis ? shape.rows : 1;
    count *= (space.extents[static_cast<std::size_t>(axis)] - 1) / step + 1;
  }
  return count;
}

}  // namespace tessera::plan
