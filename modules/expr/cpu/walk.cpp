module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
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

constexpr std::ptrdiff_t short_row_bytes = 512;  // below it, several rows share a block
constexpr std::ptrdiff_t least_row_bytes = 144;  // of rows that are computed where they lie, rather than packed
constexpr std::ptrdiff_t few_rows = 8;           // too few to share the cost of a step of the walk unless they are long
constexpr std::ptrdiff_t least_strip_columns = 32;
constexpr std::ptrdiff_t most_direct_rows =
    64;  // of a strip that packs nothing: enough to share the cost of a step of the walk

bool has_short_rows(const Space& space) {
  return space.extents[static_cast<std::size_t>(space.rank - 1)] * space.operands.front().item < short_row_bytes;
}

/// All operands' rows lie where the kernel reads and writes them, and computing them one by one costs less than packing those that
/// do not follow each other. Of equal operands each is read, but only one is packed.
bool has_rows_in_place(const Space& space) {
  const auto last = static_cast<std::size_t>(space.rank - 1);
  const std::ptrdiff_t extent = space.extents[last];
  const Block row{.rows = 1, .columns = extent, .row_axis = -1, .column_axis = space.rank - 1};
  std::ptrdiff_t apart = 0, distinct = 0;
  for (std::size_t k = 0; k < space.operands.size(); ++k) {
    const Operand& operand = space.operands[k];
    if (!is_direct(operand, row) && !is_repeated(operand, row)) return false;
    const std::ptrdiff_t step = operand.strides[last - 1];
    if (step == 0 || step == extent || operand.strides[last] == 0) continue;
    const auto before = space.operands.first(k);
    apart += 1;
    distinct += std::ranges::find(before, operand.data, &Operand::data) == before.end() ? 1 : 0;
  }
  const std::ptrdiff_t row_bytes = extent * space.operands.front().item;
  const std::ptrdiff_t least = space.extents[last - 1] < few_rows ? short_row_bytes : least_row_bytes;
  if (apart == 0) return row_bytes >= least;
  return row_bytes * distinct * distinct >= least * apart;
}

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

/// Blocks of one or two axes.
Cut cut_in_blocks(Space& space) {
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

/// The nearest axis of some operand is neither the target's nor one by which blocks are cut into strips, or rows are so short that blocks of
/// two axes are small.
bool asks_for_boxes(const Space& space) {
  const int last = space.rank - 1;
  if (space.rank == 1) return false;
  const std::ptrdiff_t extent = space.extents[static_cast<std::size_t>(last)];
  int other = -1;
  for (const Operand& leaf : space.operands.subspan(1)) {
    const int axis = nearest_axis(leaf, space.rank, space.extents);
    if (axis < 0 || axis == last) continue;
    if (leaf.strides[static_cast<std::size_t>(last)] == 0) continue;  // one value for a row
    const bool is_near = std::abs(leaf.strides[static_cast<std::size_t>(axis)]) == 1;
    const bool is_long = space.extents[static_cast<std::size_t>(axis)] >= strip_row_bytes / leaf.item;
    if (!is_near || !is_long || extent < least_strip_columns || (other >= 0 && other != axis)) return true;
    other = axis;
  }
  if (other >= 0 || has_rows_in_place(space)) return false;
  return has_short_rows(space) || extent < block_elements;
}

/// The only leaf is packed along the last axis, or generated: into the target itself, where it is copied.
bool is_packed_along(const Space& space) {
  if (space.operands[1].data == nullptr) return true;
  const std::ptrdiff_t stride = space.operands[1].strides[static_cast<std::size_t>(space.rank - 1)];
  return stride != 0 && stride != 1 && nearest_axis(space.operands[1], space.rank, space.extents) == space.rank - 1;
}

Cut cut_in_boxes(const Space& space) {
  std::ptrdiff_t item = 1;
  for (const Operand& operand : space.operands) item = std::max(item, operand.item);
  const std::ptrdiff_t most = most_box_elements(item);
  const int last = space.rank - 1;
  Cut cut{.shape = {.rows = 1, .columns = 1, .row_axis = -1, .column_axis = last}, .boxes = true};
  std::array<int, most_axes> order;
  for (int axis = 0; axis < space.rank; ++axis) {
    cut.steps[static_cast<std::size_t>(axis)] = 1;
    order[static_cast<std::size_t>(axis)] = last - axis;
  }
  cover_lines(space, most, cut.steps);
  grow(space, std::span(order).first(static_cast<std::size_t>(space.rank)), most, cut.steps);
  cut.shape.columns = cut.steps[static_cast<std::size_t>(last)];
  for (int axis = 0; axis < last; ++axis) {
    const std::ptrdiff_t step = cut.steps[static_cast<std::size_t>(axis)];
    if (step > 1) cut.shape.row_axis = axis;
    cut.shape.rows *= step;
  }
  return cut;
}

}  // namespace

Cut cut(Space& space, bool copies) {
  if (asks_for_boxes(space) || (copies && is_packed_along(space))) return cut_in_boxes(space);
  Cut made = cut_in_blocks(space);
  for (int axis = 0; axis < space.rank; ++axis) {
    std::ptrdiff_t& step = made.steps[static_cast<std::size_t>(axis)];
    step = axis == made.shape.column_axis ? made.shape.columns : axis == made.shape.row_axis ? made.shape.rows : 1;
  }
  return made;
}

std::ptrdiff_t count_blocks(const Space& space, const Axes& steps) {
  std::ptrdiff_t count = 1;
  for (int axis = 0; axis < space.rank; ++axis)
    count *= (space.extents[static_cast<std::size_t>(axis)] - 1) / steps[static_cast<std::size_t>(axis)] + 1;
  return count;
}

}  // namespace tessera::plan
