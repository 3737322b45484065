module;
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Reductions on a GPU: one kernel on this thread's stream, or two where several blocks share an output.
namespace tessera::plan {

namespace {

bool has_outputs(const Reduction& reduction) {
  for (int axis = 0; axis < reduction.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (!reduction.reduced[at] && reduction.extents[at] == 0) return false;
  }
  return true;
}

/// Sizes the work; nothing is said of chunks, which are the CPU's.
void size(ReductionTask& task) {
  bool is_empty = false;
  for (int axis = 0; axis < task.space.rank; ++axis) is_empty = is_empty || task.extent(axis) == 0;
  if (!is_empty) return divide(task);
  for (int axis = 0; axis < task.kept; ++axis) task.outputs *= task.extent(axis);
  task.reduced = 0;
}

DeviceFoldPlan plan_of(const ReductionTask& task) {
  constexpr std::ptrdiff_t outputs_of_a_block = fold_threads / 32;
  DeviceFoldPlan plan{.cut = fold_cut(task)};
  plan.blocks = plan.cut.blocks * plan.cut.parts;
  if (plan.cut.parts > 1) plan.merging_blocks = (task.outputs - 1) / outputs_of_a_block + 1;
  return plan;
}

}  // namespace

DeviceFoldPlan device_plan(const Reduction& reduction) {
  if (!has_outputs(reduction)) return {};
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  arrange(task);
  size(task);
  return plan_of(task);
}

void run_on_device(const Reduction& reduction) {
  if (!has_outputs(reduction)) return;
  DeviceForm& form = *reduction.device.form;
  const DeviceElement& element = element_of(form);
  require_device_text(element);
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  arrange(task);
  size(task);
  const DeviceFoldPlan plan = plan_of(task);
  const FoldCut& cut = plan.cut;
  const GpuPlace place{reduction.place.ordinal()};
  const FoldKernel fold{.op = reduction.op, .shape = cut.shape, .kept = task.kept};
  const DeviceVariant variant = folding_variant(task, element, reduction.device.written);
  const DeviceKernelKey key{.variant = variant, .task = DeviceTask::fold, .fold = fold, .place = place};
  const device::Kernel& kernel = kernel_of_form(
      form, key, [&] { return folding_support(element, variant.target) + folding_kernel(element, variant, fold); });
  const std::vector<std::byte> scalars = scalars_of(form, reduction.device.node);
  const bool merges = plan.merging_blocks > 0;
  const std::ptrdiff_t partial_bytes =
      merges ? task.outputs * cut.parts * device_accumulator_bytes(reduction.op, element.value) : 0;
  const Temporary partials(place, partial_bytes);
  Stream& stream = Stream::current(place);
  const std::source_location where = std::source_location::current();
  kernel.launch(stream, grid_of(plan.blocks), fold_threads, 0,
                folding_arguments(task, element, variant, cut, partials.data(), scalars), name_of(form), where);
  if (!merges) return;
  const DeviceKernelKey merge_key{.variant = variant, .task = DeviceTask::merge, .fold = fold, .place = place};
  const device::Kernel& merge = kernel_of_form(form, merge_key, [&] {
    return folding_support(element, variant.target) + merging_kernel(element, variant, fold);
  });
  merge.launch(stream, grid_of(plan.merging_blocks), fold_threads, 0,
               merging_arguments(task, variant, cut, partials.data()), name_of(form), where);
}

}  // namespace tessera::plan
