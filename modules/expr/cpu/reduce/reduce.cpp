module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The evaluator of reductions: small ones at once, large ones in units or chunks on all threads.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Few outputs with many values each: parts of the values are folded, in parallel or not, and merged in order.
void run_chunks(const ReductionTask& task) {
  const Reducer& reducer = *task.reduction.reducer;
  const std::ptrdiff_t bytes = Pieces::padded(task.unit_outputs * reducer.accumulator_bytes);
  const std::ptrdiff_t jobs = task.units * task.chunks;
  const memory::Allocation memory(
      CpuPlace{}, jobs * bytes + PairwiseMerge::bytes_for(task.chunks, task.unit_outputs * reducer.accumulator_bytes));
  std::byte* partials = static_cast<std::byte*>(memory.data());
  parallel_for(jobs, [&](std::ptrdiff_t job) {
    const std::ptrdiff_t first = job % task.chunks * task.chunk_size;
    std::byte* partial = partials + job * bytes;
    reducer.clear(partial, task.unit_outputs);
    Folder(task).fold(job / task.chunks, first, std::min(task.reduced, first + task.chunk_size), partial);
  });
  Folder folder(task);
  for (std::ptrdiff_t unit = 0; unit < task.units; ++unit) {
    const std::ptrdiff_t width = folder.place(unit);
    PairwiseMerge pairwise_merge(reducer, width, task.chunks, partials + jobs * bytes);
    for (std::ptrdiff_t chunk = 0; chunk < task.chunks; ++chunk) {
      reducer.merge(pairwise_merge.next(), partials + (unit * task.chunks + chunk) * bytes, width);
      pairwise_merge.push();
    }
    reducer.clear(folder.accumulators(), width);
    pairwise_merge.finish(folder.accumulators());
    folder.store(folder.accumulators(), width);
  }
}

/// No values behind the outputs: they get the reducer's neutral value.
void store_cleared(const ReductionTask& task) {
  Folder folder(task);
  task.reduction.reducer->clear(folder.accumulators(), 1);
  for (std::ptrdiff_t unit = 0; unit < task.outputs; ++unit) {
    folder.place(unit);
    folder.store(folder.accumulators(), 1);
  }
}

/// Parts of the units that may be folded at the same time.
std::ptrdiff_t unit_tasks(const ReductionTask& task) {
  const std::ptrdiff_t elements = task.outputs * task.reduced;
  if (!task.reduction.parallel || elements < parallel_threshold) return 1;
  const std::ptrdiff_t groups = (task.units - 1) / rows_together(task) + 1;
  return std::min(groups, std::max<std::ptrdiff_t>(1, elements / task_elements));
}

void run_units(const ReductionTask& task) {
  const std::ptrdiff_t tasks = unit_tasks(task);
  if (tasks == 1) return Folder(task).run(0, task.units);
  const std::ptrdiff_t together = rows_together(task);
  const std::ptrdiff_t groups = (task.units - 1) / together + 1;
  parallel_for(tasks, [&](std::ptrdiff_t i) {
    Folder(task).run(groups * i / tasks * together, std::min(task.units, groups * (i + 1) / tasks * together));
  });
}

/// Number of values if there is one result and all operands lie in row-major order without gaps; 0 otherwise.
std::ptrdiff_t values_in_order(const Reduction& reduction) {
  std::ptrdiff_t count = 1;
  for (int axis = reduction.rank; axis-- > 0;) {
    const std::ptrdiff_t extent = reduction.extents[at(axis)];
    if (extent == 1) continue;
    if (!reduction.reduced[at(axis)] || extent > block_elements) return 0;
    for (const Operand& leaf : reduction.leaves) {
      if (leaf.strides[at(axis)] != count) return 0;
    }
    count *= extent;
    if (count > block_elements) return 0;
  }
  return count;
}

/// Number of values of a reduction that needs no plan of work and no memory, with the inputs of its kernel; 0 for others.
std::ptrdiff_t values_at_once(const Reduction& reduction, std::array<Input, 8>& inputs) {
  const std::ptrdiff_t n = values_in_order(reduction);
  if (n == 0 || reduction.leaves.size() > inputs.size()) return 0;
  for (std::size_t k = 0; k < reduction.leaves.size(); ++k) {
    inputs[k].read(reduction.leaves[k].data);
    if (inputs[k].data == nullptr) return 0;
  }
  return n;
}

/// Returns whether it was such a reduction.
bool run_at_once(const Reduction& reduction) {
  std::array<Input, 8> inputs;
  const std::ptrdiff_t n = values_at_once(reduction, inputs);
  if (n == 0) return false;
  alignas(64) std::byte accumulator[64];
  reduction.reducer->clear(accumulator, 1);
  if (const FoldLoops& folds = reduction.folds; folds.rows != nullptr && folds_in_lanes(reduction, n)) {
    constexpr std::array<std::ptrdiff_t, inputs.size()> no_next_row{};
    folds.rows(reduction.nodes, accumulator, {.first = inputs.data(), .pitches = no_next_row.data()},
               {.sets = 1, .rows = 1, .n = n});
  } else {
    alignas(64) std::byte values[block_elements * 16];
    const void* from = inputs[0].data;
    if (reduction.kernel != nullptr) {
      reduction.kernel(reduction.nodes, values, inputs.data(), n);
      from = values;
    }
    reduction.reducer->row(accumulator, from, n, 0);
  }
  reduction.store(reduction.target.data, 0, accumulator, 1, reduction.finish);
  return true;
}

/// Sizes the work of a reduction that is not done at once, and says how it goes.
ReductionPlan::Way cut(ReductionTask& task) {
  const Reduction& reduction = task.reduction;
  for (int axis = 0; axis < reduction.rank; ++axis) {
    if (!reduction.reduced[at(axis)] && reduction.extents[at(axis)] == 0) return ReductionPlan::Way::nothing;
  }
  arrange(task);
  turn_kept_axes(task);
  sort_reduced_axes(task);
  for (int axis = task.kept; axis < task.space.rank; ++axis) {
    if (task.extent(axis) != 0) continue;
    for (int kept = 0; kept < task.kept; ++kept) task.outputs *= task.extent(kept);
    return ReductionPlan::Way::cleared;
  }
  divide(task);
  return task.chunks > 1 ? ReductionPlan::Way::chunks : ReductionPlan::Way::units;
}

}  // namespace

void run(const Reduction& reduction) {
  if (!reduction.place.on_host()) [[unlikely]]
    return run_on_device(reduction);
  if (run_at_once(reduction)) return;
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  const ReductionPlan::Way way = cut(task);
  switch (way) {
    case ReductionPlan::Way::nothing: return;
    case ReductionPlan::Way::cleared: return store_cleared(task);
    default: break;
  }
  if (asks_for_boxes(task)) return run_boxes(task);
  switch (way) {
    case ReductionPlan::Way::chunks: return run_chunks(task);
    case ReductionPlan::Way::units: return run_units(task);
    default: return;
  }
}

ReductionPlan plan_of(const Reduction& reduction) {
  std::array<Input, 8> inputs;
  if (const std::ptrdiff_t n = values_at_once(reduction, inputs); n > 0)
    return {.way = ReductionPlan::Way::at_once, .reduced = n};
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  const ReductionPlan::Way way = cut(task);
  ReductionPlan plan{.way = way,
                     .by_columns = task.by_columns,
                     .outputs = task.outputs,
                     .reduced = task.reduced,
                     .units = task.units,
                     .unit_outputs = task.unit_outputs,
                     .chunks = task.chunks};
  if (way == ReductionPlan::Way::units) plan.tasks = unit_tasks(task);
  if (way == ReductionPlan::Way::chunks) plan.tasks = task.units * task.chunks;
  return plan;
}

}  // namespace tessera::plan
