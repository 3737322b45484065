module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The evaluator of reductions. Values are computed block by block into the L1 cache and folded at once; the partial
// results of blocks are merged pairwise, in an order that depends on the shapes only.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t rows_per_partial = 16;  // rows added one after the other before a merge
constexpr std::ptrdiff_t buffer_stride = block_elements * 16 + 64;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Computes values of one unit and folds them.
class Worker {
 public:
  explicit Worker(const ReductionTask& task)
      : task_(task),
        reducer_(*task.reduction.reducer),
        buffers_(scratch(static_cast<std::ptrdiff_t>(task.space.operands.size()) * buffer_stride)),
        delivered_(task.space.operands.size()),
        offsets_(task.space.operands.size()),
        cascade_(reducer_, task.unit_outputs),
        partial_(static_cast<std::size_t>(task.unit_outputs * reducer_.accumulator_bytes)) {}

  /// Folds values [first, last) of the unit's outputs into `accumulators`, cleared before.
  void fold(std::ptrdiff_t unit, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
    const std::ptrdiff_t width = place(unit);
    if (task_.by_columns) {
      fold_columns(width, first, last, accumulators);
    } else {
      fold_row(first, last, accumulators);
    }
  }

  /// Outputs of a unit, after moving the operands' offsets to its first one.
  std::ptrdiff_t place(std::ptrdiff_t unit) {
    std::ptrdiff_t width = 1;
    std::ranges::fill(offsets_, 0);
    for (int axis = task_.last_kept(); axis >= 0; --axis) {
      const std::ptrdiff_t step = axis == task_.last_kept() ? task_.unit_outputs : 1;
      const std::ptrdiff_t steps = (task_.extent(axis) - 1) / step + 1;
      const std::ptrdiff_t position = unit % steps * step;
      unit /= steps;
      if (axis == task_.last_kept()) width = std::min(step, task_.extent(axis) - position);
      move(offsets_, axis, position);
    }
    return width;
  }

  void store(const std::byte* accumulators, std::ptrdiff_t width) const {
    const Space::Operand& target = task_.space.operands.front();
    const std::ptrdiff_t stride = task_.kept == 0 ? 0 : target.strides[at(task_.last_kept())];
    task_.reduction.store(target.data + offsets_[0] * target.item, stride, accumulators, width);
  }

  /// Folds `rows` whole units that lie along the last kept axis, each short enough for several to share a block.
  void fold_short_rows(std::ptrdiff_t unit, std::ptrdiff_t rows, std::byte* accumulators) {
    place(unit);
    const std::ptrdiff_t columns = task_.extent(task_.last_reduced());
    const Block block{
        .rows = rows, .columns = columns, .row_axis = task_.last_kept(), .column_axis = task_.last_reduced()};
    const std::byte* values = compute(block, offsets_);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      reducer_.row(accumulators + r * reducer_.accumulator_bytes, values + r * columns * reducer_.value_bytes, columns,
                   0);
    }
  }

 private:
  void move(std::vector<std::ptrdiff_t>& offsets, int axis, std::ptrdiff_t count) const {
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] += task_.space.operands[k].strides[at(axis)] * count;
  }

  /// Offsets of value number `index` of the reduced axes, and how many values follow it on the last of them.
  std::ptrdiff_t seek(std::ptrdiff_t index, std::vector<std::ptrdiff_t>& offsets) const {
    offsets = offsets_;
    std::ptrdiff_t left = 0;
    for (int axis = task_.last_reduced(); axis >= task_.kept; --axis) {
      const std::ptrdiff_t position = index % task_.extent(axis);
      index /= task_.extent(axis);
      if (axis == task_.last_reduced()) left = task_.extent(axis) - position;
      move(offsets, axis, position);
    }
    return left;
  }

  const std::byte* compute(const Block& block, const std::vector<std::ptrdiff_t>& offsets) {
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      const Space::Operand& leaf = task_.space.operands[k];
      std::byte* packed = buffers_ + static_cast<std::ptrdiff_t>(k) * buffer_stride;
      const bool direct = is_direct(leaf, block);
      if (!direct) pack(leaf, block, offsets[k], packed);
      delivered_[k - 1].read(direct ? leaf.data + offsets[k] * leaf.item : packed);
    }
    if (task_.reduction.kernel == nullptr) return static_cast<const std::byte*>(delivered_[0].data);
    task_.reduction.kernel(task_.reduction.nodes, buffers_, delivered_.data(), block.rows * block.columns);
    return buffers_;
  }

  void fold_row(std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
    if (last - first <= block_elements && task_.space.rank == task_.kept + 1) {
      fold_part(first, last - first, accumulators);
      return;
    }
    for (std::ptrdiff_t index = first; index < last;) {
      reducer_.clear(partial_.data(), 1);
      index += fold_part(index, last - index, partial_.data());
      cascade_.push(partial_.data());
    }
    cascade_.finish(accumulators);
  }

  std::ptrdiff_t fold_part(std::ptrdiff_t index, std::ptrdiff_t most, std::byte* partial) {
    const std::ptrdiff_t n = std::min({seek(index, moved_), most, block_elements});
    const Block block{.rows = 1, .columns = n, .row_axis = -1, .column_axis = task_.last_reduced()};
    reducer_.row(partial, compute(block, moved_), n, index);
    return n;
  }

  void fold_columns(std::ptrdiff_t width, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
    const std::ptrdiff_t most_rows =
        task_.reduction.kernel == nullptr ? 1 : std::max<std::ptrdiff_t>(1, block_elements / width);
    for (std::ptrdiff_t index = first; index < last;) {
      reducer_.clear(partial_.data(), task_.unit_outputs);
      const std::ptrdiff_t end = std::min(last, index + rows_per_partial);
      while (index < end) {
        const std::ptrdiff_t rows = std::min({seek(index, moved_), end - index, most_rows});
        const Block block{
            .rows = rows, .columns = width, .row_axis = task_.last_reduced(), .column_axis = task_.last_kept()};
        const std::byte* values = compute(block, moved_);
        for (std::ptrdiff_t r = 0; r < rows; ++r)
          reducer_.columns(partial_.data(), values + r * width * reducer_.value_bytes, width, index + r);
        index += rows;
      }
      cascade_.push(partial_.data());
    }
    cascade_.finish(accumulators);
  }

  const ReductionTask& task_;
  const Reducer& reducer_;
  std::byte* buffers_;
  std::vector<Input> delivered_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::ptrdiff_t> moved_;
  Cascade cascade_;
  std::vector<std::byte> partial_;
};

/// Outputs whose short rows share one block: how many.
std::ptrdiff_t rows_together(const ReductionTask& task) {
  const bool one_short_axis = task.space.rank == task.kept + 1 && task.kept > 0 && task.reduced <= block_elements / 2;
  if (task.by_columns || !one_short_axis) return 1;
  return std::min(block_elements / task.reduced, task.extent(task.last_kept()));
}

void run_units(const ReductionTask& task, std::ptrdiff_t first, std::ptrdiff_t last) {
  Worker worker(task);
  const std::ptrdiff_t bytes = task.reduction.reducer->accumulator_bytes;
  const std::ptrdiff_t together = rows_together(task);
  std::vector<std::byte> accumulators(static_cast<std::size_t>(std::max(task.unit_outputs, together) * bytes));
  for (std::ptrdiff_t unit = first; unit < last;) {
    std::ptrdiff_t width;  // outputs of this round
    if (together > 1) {
      const std::ptrdiff_t row = task.extent(task.last_kept());
      width = std::min({together, row - unit % row, last - unit});
      task.reduction.reducer->clear(accumulators.data(), width);
      worker.fold_short_rows(unit, width, accumulators.data());
      unit += width;
    } else {
      task.reduction.reducer->clear(accumulators.data(), task.unit_outputs);
      width = worker.place(unit);
      worker.fold(unit, 0, task.reduced, accumulators.data());
      ++unit;
    }
    worker.store(accumulators.data(), width);
  }
}

/// Few outputs with many values each: parts of the values are folded in parallel and merged in order.
void run_chunks(const ReductionTask& task) {
  const Reducer& reducer = *task.reduction.reducer;
  const std::ptrdiff_t bytes = task.unit_outputs * reducer.accumulator_bytes;
  std::vector<std::byte> partials(static_cast<std::size_t>(task.units * task.chunks * bytes));
  parallel_for(task.units * task.chunks, [&](std::ptrdiff_t job) {
    const std::ptrdiff_t first = job % task.chunks * task.chunk_size;
    std::byte* partial = partials.data() + job * bytes;
    reducer.clear(partial, task.unit_outputs);
    Worker(task).fold(job / task.chunks, first, std::min(task.reduced, first + task.chunk_size), partial);
  });
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  Worker worker(task);
  Cascade cascade(reducer, task.unit_outputs);
  for (std::ptrdiff_t unit = 0; unit < task.units; ++unit) {
    const std::ptrdiff_t width = worker.place(unit);
    for (std::ptrdiff_t chunk = 0; chunk < task.chunks; ++chunk)
      cascade.push(partials.data() + (unit * task.chunks + chunk) * bytes);
    reducer.clear(result.data(), task.unit_outputs);
    cascade.finish(result.data());
    worker.store(result.data(), width);
  }
}

/// No values behind the outputs: they get the reducer's neutral value.
void store_cleared(const ReductionTask& task) {
  std::vector<std::byte> cleared(64);
  task.reduction.reducer->clear(cleared.data(), 1);
  Worker worker(task);
  for (std::ptrdiff_t unit = 0; unit < task.outputs; ++unit) {
    worker.place(unit);
    worker.store(cleared.data(), 1);
  }
}

}  // namespace

void run(const Reduction& reduction) {
  for (int axis = 0; axis < reduction.rank; ++axis) {
    if (!reduction.reduced[at(axis)] && reduction.extents[at(axis)] == 0) return;
  }
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  arrange(task);
  for (int axis = task.kept; axis < task.space.rank; ++axis) {
    if (task.extent(axis) != 0) continue;
    for (int kept = 0; kept < task.kept; ++kept) task.outputs *= task.extent(kept);
    return store_cleared(task);
  }
  divide(task);
  if (task.chunks > 1) return run_chunks(task);
  const std::ptrdiff_t elements = task.outputs * task.reduced;
  if (elements < parallel_threshold) return run_units(task, 0, task.units);
  const std::ptrdiff_t together = rows_together(task);
  const std::ptrdiff_t groups = (task.units - 1) / together + 1;
  const std::ptrdiff_t tasks = std::min(groups, std::max<std::ptrdiff_t>(1, elements / task_elements));
  parallel_for(tasks, [&](std::ptrdiff_t i) {
    run_units(task, groups * i / tasks * together, std::min(task.units, groups * (i + 1) / tasks * together));
  });
}

}  // namespace tessera::plan
