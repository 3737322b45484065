module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The evaluator of elementwise expressions: simplifies the axes, cuts the work into blocks, runs the kernel on each.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t direct_columns = std::ptrdiff_t{16} * 1024;  // of a block that needs no buffers
constexpr std::ptrdiff_t short_columns = 128;                         // below it, several rows share a block
constexpr std::ptrdiff_t strip_row_bytes = 64;  // of a transposed operand: a cache line is read at once
constexpr std::ptrdiff_t strip_columns = 256;   // so that a transposed strip stays in the L1 cache
constexpr std::ptrdiff_t least_strip_columns = 32;

std::ptrdiff_t element_count(int rank, const Axes& extents) {
  const auto used = std::span(extents).first(static_cast<std::size_t>(rank));
  if (std::ranges::find(used, 0) != used.end()) return 0;  // the other extents of an empty shape may not be countable
  return std::accumulate(used.begin(), used.end(), std::ptrdiff_t{1}, std::multiplies<>{});
}

/// Drops axes of one element, makes the target's strides positive and descending, merges what is contiguous.
void simplify(Space& space) {
  Space::Operand& target = space.operands.front();
  for (int axis = space.rank; axis-- > 0;) {
    const auto at = static_cast<std::size_t>(axis);
    if (space.extents[at] == 1) {
      space.remove_axis(axis);
    } else if (target.strides[at] < 0) {
      space.advance(axis, space.extents[at] - 1);
      for (Space::Operand& operand : space.operands) operand.strides[at] = -operand.strides[at];
    }
  }
  for (int axis = 1; axis < space.rank; ++axis) {  // insertion sort: stable, and ranks are small
    for (int i = axis;
         i > 0 && target.strides[static_cast<std::size_t>(i - 1)] < target.strides[static_cast<std::size_t>(i)]; --i) {
      space.swap_axes(i - 1, i);
    }
  }
  int last = space.rank;
  space.merge_axes(0, last);
  if (space.rank == 0) {
    space.rank = 1;
    space.extents[0] = 1;
    for (Space::Operand& operand : space.operands) operand.strides[0] = 0;
  }
}

/// The axis along which some leaf is contiguous although it is strided along the last one; -1 if there is none.
int transposed_axis(const Space& space) {
  const auto last = static_cast<std::size_t>(space.rank - 1);
  for (const Space::Operand& leaf : space.operands.subspan(1)) {
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
  for (const Space::Operand& leaf : space.operands.subspan(1)) {
    if (is_transposed(leaf, strip)) item = std::max(item, leaf.item);
  }
  return strip_row_bytes / item;
}

/// How an evaluation is cut: blocks that are packed and computed at once, or strips, of which transposed operands are packed at
/// once and each row is computed by itself.
struct Cut {
  Block shape;
  bool strips = false;
  bool buffered = true;
};

/// The largest block. May change the order of the axes: strips follow each other along their rows, so that the cache lines and
/// pages of a transposed operand are read by neighbouring strips.
Cut cut(Space& space) {
  const int last = space.rank - 1;
  const std::ptrdiff_t extent = space.extents[static_cast<std::size_t>(last)];
  Block block{.rows = 1, .columns = std::min(extent, direct_columns), .row_axis = -1, .column_axis = last};
  const Space::Operand& target = space.operands.front();
  const auto leaves = space.operands.subspan(1);
  const bool unpacked = is_direct(target, block) && std::ranges::all_of(leaves, [&](const Space::Operand& leaf) {
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
  }
  const bool all_direct =
      std::ranges::all_of(space.operands, [&](const Space::Operand& operand) { return is_direct(operand, block); });
  return {.shape = block, .buffered = !all_direct};
}

/// Visits blocks in order of their number; a position is the block's first index along every axis.
class Walk {
 public:
  Walk(const Space& space, const Block& shape) : space_(space), shape_(shape) {
    for (int axis = 0; axis < space.rank; ++axis) {
      step_[at(axis)] = axis == shape.column_axis ? shape.columns : axis == shape.row_axis ? shape.rows : 1;
      count_ *= (space.extents[at(axis)] - 1) / step_[at(axis)] + 1;
    }
  }

  std::ptrdiff_t count() const { return count_; }

  void start_at(std::ptrdiff_t number) {
    for (int axis = space_.rank; axis-- > 0;) {
      const std::ptrdiff_t steps = (space_.extents[at(axis)] - 1) / step_[at(axis)] + 1;
      position_[at(axis)] = number % steps * step_[at(axis)];
      number /= steps;
    }
  }

  void next() {
    for (int axis = space_.rank; axis-- > 0;) {
      position_[at(axis)] += step_[at(axis)];
      if (position_[at(axis)] < space_.extents[at(axis)]) return;
      position_[at(axis)] = 0;
    }
  }

  Block block() const {
    Block current = shape_;
    current.columns = std::min(shape_.columns, left(shape_.column_axis));
    if (shape_.row_axis >= 0) current.rows = std::min(shape_.rows, left(shape_.row_axis));
    return current;
  }

  std::ptrdiff_t offset(const Space::Operand& operand) const {
    std::ptrdiff_t elements = 0;
    for (int axis = 0; axis < space_.rank; ++axis) elements += position_[at(axis)] * operand.strides[at(axis)];
    return elements;
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  std::ptrdiff_t left(int axis) const { return space_.extents[at(axis)] - position_[at(axis)]; }

  const Space& space_;
  Block shape_;
  Axes step_{};
  Axes position_{};
  std::ptrdiff_t count_ = 1;
};

struct Evaluation {
  const Loop& loop;
  Space space;
  Cut cut;

  /// Bytes of buffers that one block can need.
  std::ptrdiff_t buffer_bytes() const { return static_cast<std::ptrdiff_t>(space.operands.size()) * buffer_stride; }

  void run_blocks(std::ptrdiff_t first, std::ptrdiff_t last) const {
    std::byte* buffers = cut.buffered ? scratch(buffer_bytes()) : nullptr;
    std::array<Input, 16> few;
    std::vector<Input> many(space.operands.size() > few.size() ? space.operands.size() : 0);
    Input* delivered = many.empty() ? few.data() : many.data();
    Walk walk(space, cut.shape);
    walk.start_at(first);
    for (std::ptrdiff_t number = first; number < last; ++number, walk.next()) {
      if (cut.strips) {
        run_strip(walk, buffers, delivered);
      } else {
        run_block(walk, buffers, delivered);
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t buffer_stride =
      block_elements * 16 + 64;  // the odd line keeps buffers off the same cache sets
  static_assert(strip_row_bytes * strip_columns <= buffer_stride);

  void run_block(const Walk& walk, std::byte* buffers, Input* delivered) const {
    const Block block = walk.block();
    for (std::size_t k = 1; k < space.operands.size(); ++k) {
      const Space::Operand& leaf = space.operands[k];
      const std::ptrdiff_t offset = walk.offset(leaf);
      if (is_direct(leaf, block)) {
        delivered[k - 1].read(leaf.data + offset * leaf.item);
        continue;
      }
      std::byte* packed = buffer(buffers, k);
      if (is_repeated(leaf, block)) {
        repeat(leaf, offset, space.operands.front().item, packed);
        delivered[k - 1].repeat(packed);
      } else {
        pack(leaf, block, offset, packed);
        delivered[k - 1].read(packed);
      }
    }
    const Space::Operand& target = space.operands.front();
    const std::ptrdiff_t offset = walk.offset(target);
    const bool direct = is_direct(target, block);
    void* to = direct ? static_cast<void*>(target.data + offset * target.item) : buffers;
    loop.kernel(loop.nodes, to, delivered, block.rows * block.columns);
    if (!direct) unpack(target, block, offset, buffers);
  }

  void run_strip(const Walk& walk, std::byte* buffers, Input* delivered) const {
    const Block strip = walk.block();
    for (std::size_t k = 1; k < space.operands.size(); ++k) {
      const Space::Operand& leaf = space.operands[k];
      if (is_transposed(leaf, strip)) pack(leaf, strip, walk.offset(leaf), buffer(buffers, k));
    }
    for (std::ptrdiff_t r = 0; r < strip.rows; ++r) run_row(walk, strip, r, buffers, delivered);
  }

  void run_row(const Walk& walk, const Block& strip, std::ptrdiff_t r, std::byte* buffers, Input* delivered) const {
    Block row = strip;
    row.rows = 1;
    const auto offset_of = [&](const Space::Operand& operand) {
      return walk.offset(operand) + r * row_stride(operand, strip);
    };
    for (std::size_t k = 1; k < space.operands.size(); ++k) {
      const Space::Operand& leaf = space.operands[k];
      std::byte* packed = buffer(buffers, k);
      if (is_transposed(leaf, strip)) {
        packed += r * strip.columns * leaf.item;
      } else if (is_direct(leaf, row)) {
        packed = leaf.data + offset_of(leaf) * leaf.item;
      } else if (is_repeated(leaf, row)) {
        repeat(leaf, offset_of(leaf), space.operands.front().item, packed);
        delivered[k - 1].repeat(packed);
        continue;
      } else {
        pack(leaf, row, offset_of(leaf), packed);
      }
      delivered[k - 1].read(packed);
    }
    const Space::Operand& target = space.operands.front();
    const bool direct = is_direct(target, row);
    void* to = direct ? target.data + offset_of(target) * target.item : buffers;
    loop.kernel(loop.nodes, to, delivered, strip.columns);
    if (!direct) unpack(target, row, offset_of(target), buffers);
  }

  static std::byte* buffer(std::byte* buffers, std::size_t k) {
    return buffers + static_cast<std::ptrdiff_t>(k) * buffer_stride;
  }
};

bool is_contiguous(int rank, const Axes& extents, const Axes& strides) {
  std::ptrdiff_t expected = 1;
  for (int axis = rank; axis-- > 0;) {
    const auto at = static_cast<std::size_t>(axis);
    if (extents[at] == 1) continue;
    if (strides[at] != expected) return false;
    expected *= extents[at];
  }
  return true;
}

/// Small evaluations over contiguous memory need no walk: one call of the kernel. Returns whether it was made.
bool run_at_once(const Loop& loop, std::ptrdiff_t elements) {
  std::array<Input, 8> operands;
  if (elements > direct_columns || loop.leaves.size() > operands.size()) return false;
  if (!is_contiguous(loop.rank, loop.extents, loop.target.strides)) return false;
  for (std::size_t k = 0; k < loop.leaves.size(); ++k) {
    const Leaf& leaf = loop.leaves[k];
    if (leaf.data == nullptr || !is_contiguous(loop.rank, loop.extents, leaf.strides)) return false;
    operands[k].read(leaf.data);
  }
  loop.kernel(loop.nodes, loop.target.data, operands.data(), elements);
  return true;
}

}  // namespace

void run(const Loop& loop) {
  const std::ptrdiff_t elements = element_count(loop.rank, loop.extents);
  if (elements == 0 || run_at_once(loop, elements)) return;
  OperandStorage storage(loop.leaves.size() + 1);
  Evaluation evaluation{
      .loop = loop, .space = {.rank = loop.rank, .extents = loop.extents, .operands = storage.empty()}, .cut = {}};
  evaluation.space.add(loop.target);
  for (const Leaf& leaf : loop.leaves) evaluation.space.add(leaf);
  simplify(evaluation.space);
  evaluation.cut = cut(evaluation.space);
  const std::ptrdiff_t blocks = Walk(evaluation.space, evaluation.cut.shape).count();
  if (!loop.parallel || elements < parallel_threshold) return evaluation.run_blocks(0, blocks);
  const std::ptrdiff_t tasks = std::min(blocks, elements / task_elements);
  parallel_for(tasks,
               [&](std::ptrdiff_t task) { evaluation.run_blocks(blocks * task / tasks, blocks * (task + 1) / tasks); });
}

LoopPlan plan_of(const Loop& loop) {
  LoopPlan plan{.elements = element_count(loop.rank, loop.extents)};
  if (plan.elements == 0) return plan;
  plan.operands.resize(loop.leaves.size() + 1);
  Space space{.rank = loop.rank, .extents = loop.extents, .operands = std::span(plan.operands).first(0)};
  space.add(loop.target);
  for (const Leaf& leaf : loop.leaves) space.add(leaf);
  simplify(space);
  plan.rank = space.rank;
  plan.extents = space.extents;
  plan.walked = plan.operands;
  space.operands = plan.walked;
  const Cut made = cut(space);
  plan.walked_extents = space.extents;
  plan.block = made.shape;
  plan.strips = made.strips;
  plan.blocks = Walk(space, made.shape).count();
  const bool alone = !loop.parallel || plan.elements < parallel_threshold;
  plan.tasks = alone ? 1 : std::min(plan.blocks, plan.elements / task_elements);
  return plan;
}

}  // namespace tessera::plan
