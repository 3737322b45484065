module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The evaluator of elementwise expressions: simplifies the axes, cuts the work into blocks, runs the kernel on each.
namespace tessera::plan {

namespace {

std::ptrdiff_t element_count(int rank, const Axes& extents) {
  const auto used = std::span(extents).first(static_cast<std::size_t>(rank));
  if (std::ranges::find(used, 0) != used.end()) return 0;  // the other extents of an empty shape may not be countable
  return std::accumulate(used.begin(), used.end(), std::ptrdiff_t{1}, std::multiplies<>{});
}

/// Drops axes of one element, makes the target's strides positive and descending, merges what is contiguous.
void simplify(Space& space) {
  Operand& target = space.operands.front();
  for (int axis = space.rank; axis-- > 0;) {
    const auto at = static_cast<std::size_t>(axis);
    if (space.extents[at] == 1) {
      space.remove_axis(axis);
    } else if (target.strides[at] < 0) {
      space.advance(axis, space.extents[at] - 1);
      for (Operand& operand : space.operands) operand.strides[at] = -operand.strides[at];
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
    for (Operand& operand : space.operands) operand.strides[0] = 0;
  }
}

/// How the elements of a block of one operand come to the kernel, or get from it to their places.
enum class Delivery : std::uint8_t {
  direct,      // they lie one after the other
  repeated,    // one value
  packed,      // through a buffer
  transposed,  // through a buffer that holds all rows of a strip
};

/// Delivery of a block, or of a row of a strip. It holds for the smaller ones at the end of an axis too.
Delivery delivery_of(const Operand& operand, const Cut& cut) {
  Block block = cut.shape;
  if (cut.strips) {
    if (is_transposed(operand, block)) return Delivery::transposed;
    block.rows = 1;
  }
  if (is_direct(operand, block)) return Delivery::direct;
  return is_repeated(operand, block) ? Delivery::repeated : Delivery::packed;
}

/// Elements that are copied as they lie need no kernel.
void run_kernel(const Loop& loop, bool copies, void* to, const Input* inputs, std::ptrdiff_t n) {
  if (!copies) return loop.kernel(loop.nodes, to, inputs, n);
  std::memcpy(to, inputs[0].data, static_cast<std::size_t>(n * loop.target.item));
}

struct Evaluation {
  const Loop& loop;
  Space space;
  Cut cut;

  void run_blocks(std::ptrdiff_t first, std::ptrdiff_t last) const;
};

/// One thread's share of an evaluation: walks from block to block, delivers the operands, calls the kernel.
class Worker {
 public:
  Worker(const Evaluation& evaluation, std::ptrdiff_t first)
      : loop_(evaluation.loop),
        operands_(evaluation.space.operands),
        target_(operands_.front()),
        cut_(evaluation.cut),
        buffers_(cut_.buffered ? scratch(static_cast<std::ptrdiff_t>(operands_.size()) * buffer_stride) : nullptr),
        deliveries_(operands_.size()),
        inputs_(operands_.size()),
        offsets_(operands_.size()),
        rows_(operands_.size()),
        pitches_(operands_.size()),
        walk_(evaluation.space, cut_.steps, first, offsets_.data()) {
    for (std::size_t k = 0; k < operands_.size(); ++k) deliveries_.data()[k] = delivery_of(operands_[k], cut_);
  }

  /// Computes the current block and goes to the next.
  void run() {
    if (cut_.strips) {
      run_strip();
    } else {
      run_block(walk_.block(cut_.shape));
    }
    walk_.next();
  }

 private:
  static constexpr std::ptrdiff_t buffer_stride =
      block_elements * 16 + 64;  // the odd line keeps buffers off the same cache sets
  static_assert(strip_row_bytes * strip_columns <= buffer_stride);

  /// Where the rows of a strip of one operand lie.
  struct Rows {
    const std::byte* first;
    std::ptrdiff_t step;  // bytes
  };

  void run_block(const Block& block) {
    for (std::size_t k = 1; k < operands_.size(); ++k) deliver(k, block, offset(k));
    compute(block, offset(0));
  }

  void run_strip() {
    const Block strip = walk_.block(cut_.shape);
    const bool together = computes_together(strip);
    for (std::size_t k = 1; k < operands_.size(); ++k)
      find_rows(k, strip, together ? loop_.rows.copied_bytes : repeated_bytes);
    const std::ptrdiff_t target_step = row_stride(target_, strip);
    if (all_have_rows()) {
      return together ? compute_together(strip, target_step * target_.item)
                      : compute_rows(strip, target_step * target_.item);
    }
    Block row = strip;
    row.rows = 1;
    for (std::ptrdiff_t r = 0; r < strip.rows; ++r) {
      for (std::size_t k = 1; k < operands_.size(); ++k) {
        const Rows& rows = rows_.data()[k];
        if (rows.first != nullptr) {
          input(k).data = rows.first + r * rows.step;
        } else {
          deliver(k, row, offset(k) + r * row_stride(operands_[k], strip));
        }
      }
      compute(row, offset(0) + r * target_step);
    }
  }

  bool all_have_rows() {
    if (delivery(0) != Delivery::direct) return false;
    for (std::size_t k = 1; k < operands_.size(); ++k) {
      if (rows_.data()[k].first == nullptr) return false;
    }
    return true;
  }

  /// The kernel for rows computes all those of a strip in one call.
  bool computes_together(const Block& strip) {
    const bool copies = loop_.copies && delivery(1) == Delivery::direct;
    return loop_.rows.run != nullptr && !copies && strip.columns * target_.item >= vector_bytes;
  }

  void compute_together(const Block& strip, std::ptrdiff_t target_step) {
    for (std::size_t k = 1; k < operands_.size(); ++k) pitches_.data()[k - 1] = rows_.data()[k].step;
    loop_.rows.run(loop_.nodes, target_.data + offset(0) * target_.item, target_step,
                   {.first = inputs_.data(), .pitches = pitches_.data()}, strip.rows, strip.columns);
  }

  /// The rows of a strip, whose inputs are those of the first one.
  void compute_rows(const Block& strip, std::ptrdiff_t target_step) {
    const std::span<Input> inputs(inputs_.data(), operands_.size() - 1);
    const Rows* const rows = rows_.data() + 1;
    const bool copies = loop_.copies && delivery(1) == Delivery::direct;
    std::byte* to = target_.data + offset(0) * target_.item;
    for (std::ptrdiff_t left = strip.rows; left > 0; --left, to += target_step) {
      run_kernel(loop_, copies, to, inputs.data(), strip.columns);
      for (std::size_t k = 0; k < inputs.size(); ++k)
        inputs[k].data = static_cast<const std::byte*>(inputs[k].data) + rows[k].step;
    }
  }

  /// Finds the rows of a strip of operand number k, or packs all of them; none if each has to be delivered by itself. One value for a row is
  /// repeated for so many bytes that are written.
  void find_rows(std::size_t k, const Block& strip, std::ptrdiff_t written_bytes) {
    const Operand& leaf = operands_[k];
    Rows& rows = rows_.data()[k];
    rows = {nullptr, 0};
    if (delivery(k) == Delivery::direct) {
      rows = {leaf.data + offset(k) * leaf.item, row_stride(leaf, strip) * leaf.item};
    } else if (delivery(k) == Delivery::transposed) {
      pack(leaf, strip, offset(k), buffer(k));
      rows = {buffer(k), strip.columns * leaf.item};
    } else if (const std::ptrdiff_t copies = written_bytes / target_.item;
               delivery(k) == Delivery::repeated && strip.rows * copies * leaf.item <= buffer_stride) {
      repeat(leaf, offset(k), row_stride(leaf, strip), strip.rows, repeated_bytes / copies, buffer(k));
      rows = {buffer(k), copies * leaf.item};
      return input(k).repeat(buffer(k));
    }
    input(k).read(rows.first);
  }

  /// Gives the kernel operand number k's elements of a block, which begin `offset` elements into it.
  void deliver(std::size_t k, const Block& block, std::ptrdiff_t offset) {
    const Operand& leaf = operands_[k];
    if (delivery(k) == Delivery::direct) return input(k).read(leaf.data + offset * leaf.item);
    plan::deliver(leaf, block, offset, target_.item, buffer(k), input(k));
  }

  void compute(const Block& block, std::ptrdiff_t offset) {
    const bool direct = delivery(0) == Delivery::direct;
    void* to = direct ? target_.data + offset * target_.item : buffers_;
    run_kernel(loop_, loop_.copies && delivery(1) == Delivery::direct, to, inputs_.data(), block.rows * block.columns);
    if (!direct) unpack(target_, block, offset, buffers_);
  }

  Delivery delivery(std::size_t k) { return deliveries_.data()[k]; }
  std::ptrdiff_t offset(std::size_t k) const { return walk_.offset(k); }
  Input& input(std::size_t k) { return inputs_.data()[k - 1]; }
  std::byte* buffer(std::size_t k) const { return buffers_ + static_cast<std::ptrdiff_t>(k) * buffer_stride; }

  const Loop& loop_;
  std::span<const Operand> operands_;
  const Operand& target_;
  const Cut& cut_;
  std::byte* buffers_;  // one for each operand, the target's first
  PerOperand<Delivery> deliveries_;
  PerOperand<Input> inputs_;
  PerOperand<std::ptrdiff_t> offsets_;
  PerOperand<Rows> rows_;
  PerOperand<std::ptrdiff_t> pitches_;  // of the leaves' rows
  Walk walk_;
};

void Evaluation::run_blocks(std::ptrdiff_t first, std::ptrdiff_t last) const {
  if (cut.boxes) return plan::run_boxes(loop, space, cut, first, last);
  Worker worker(*this, first);
  for (std::ptrdiff_t number = first; number < last; ++number) worker.run();
}

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

/// Small evaluations over contiguous memory need no walk: one call of the kernel, whose inputs are set.
bool is_at_once(const Loop& loop, std::ptrdiff_t elements, std::array<Input, 8>& inputs) {
  if (elements > direct_columns || loop.leaves.size() > inputs.size()) return false;
  if (!is_contiguous(loop.rank, loop.extents, loop.target.strides)) return false;
  for (std::size_t k = 0; k < loop.leaves.size(); ++k) {
    const Operand& leaf = loop.leaves[k];
    if (leaf.data == nullptr || !is_contiguous(loop.rank, loop.extents, leaf.strides)) return false;
    inputs[k].read(leaf.data);
  }
  return true;
}

/// Returns whether the call was made.
bool run_at_once(const Loop& loop, std::ptrdiff_t elements) {
  std::array<Input, 8> inputs;
  if (!is_at_once(loop, elements, inputs)) return false;
  run_kernel(loop, loop.copies, loop.target.data, inputs.data(), elements);
  return true;
}

/// Parts of the blocks that may run at the same time.
std::ptrdiff_t tasks_of(const Loop& loop, std::ptrdiff_t elements, std::ptrdiff_t blocks) {
  return !loop.parallel || elements < parallel_threshold ? 1 : std::min(blocks, elements / task_elements);
}

}  // namespace

void run(const Loop& loop) {
  if (!loop.place.on_host()) [[unlikely]]
    return run_on_device(loop);
  const std::ptrdiff_t elements = element_count(loop.rank, loop.extents);
  if (elements == 0 || run_at_once(loop, elements)) return;
  OperandStorage storage(loop.leaves.size() + 1);
  Evaluation evaluation{
      .loop = loop, .space = {.rank = loop.rank, .extents = loop.extents, .operands = storage.empty()}, .cut = {}};
  evaluation.space.add(loop.target);
  for (const Operand& leaf : loop.leaves) evaluation.space.add(leaf);
  simplify(evaluation.space);
  evaluation.cut = cut(evaluation.space, loop.copies);
  const std::ptrdiff_t blocks = count_blocks(evaluation.space, evaluation.cut.steps);
  const std::ptrdiff_t tasks = tasks_of(loop, elements, blocks);
  if (tasks == 1 || num_threads() == 1) return evaluation.run_blocks(0, blocks);
  parallel_for(tasks,
               [&](std::ptrdiff_t task) { evaluation.run_blocks(blocks * task / tasks, blocks * (task + 1) / tasks); });
}

LoopPlan simplified(const Loop& loop) {
  LoopPlan plan{.elements = element_count(loop.rank, loop.extents)};
  if (plan.elements == 0) return plan;
  plan.operands.resize(loop.leaves.size() + 1);
  Space space{.rank = loop.rank, .extents = loop.extents, .operands = std::span(plan.operands).first(0)};
  space.add(loop.target);
  for (const Operand& leaf : loop.leaves) space.add(leaf);
  simplify(space);
  plan.rank = space.rank;
  plan.extents = space.extents;
  return plan;
}

LoopPlan plan_of(const Loop& loop) {
  LoopPlan plan = simplified(loop);
  if (plan.elements == 0) return plan;
  plan.walked.assign(plan.operands.begin(), plan.operands.end());
  Space space{.rank = plan.rank, .extents = plan.extents, .operands = plan.walked};
  const Cut made = cut(space, loop.copies);
  plan.walked_extents = space.extents;
  plan.block = made.shape;
  plan.strips = made.strips;
  plan.blocks = count_blocks(space, made.steps);
  plan.tasks = tasks_of(loop, plan.elements, plan.blocks);
  std::array<Input, 8> inputs;
  plan.at_once = is_at_once(loop, plan.elements, inputs);
  return plan;
}

}  // namespace tessera::plan
