module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Elementwise work and normalisations are one kernel, reductions one or, where several blocks share an output, two.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t threads = device::launching::tile_threads;  // of a block
constexpr std::ptrdiff_t warp = 32;                                  // threads, or columns that a block folds
constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;      // so that i + step fits 32 bits

/// Elements of so many bytes as unsigned integers, or as pairs of doubles.
template <DType Type>
DeviceWork copying() {
  static constexpr DeviceOperation operations[] = {{.kind = DeviceOperation::Kind::leaf, .value = Type}};
  static constinit DeviceForm form{
      .operations = operations, .append_scalars = nullptr, .name = ExpressionName("[Node = copy]")};
  return {.form = &form, .node = nullptr, .written = Type};
}

/// Blocks of which each thread has one piece of work.
std::ptrdiff_t blocks_for(const LoopPlan& plan, const DeviceVariant& variant) {
  if (variant.edge != 0) return tile_count(plan, variant);
  return (thread_pieces(plan, variant) - 1) / threads + 1;
}

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

DeviceFoldPlan plan_of(const ReductionTask& task, const DeviceElement& element, const DeviceVariant& variant) {
  DeviceFoldPlan plan{.cut = fold_cut(task, element, variant)};
  const std::ptrdiff_t outputs_of_a_block = static_cast<std::ptrdiff_t>(fold_threads) / plan.cut.merging;
  plan.blocks = plan.cut.blocks * plan.cut.parts;
  if (plan.cut.parts > 1) plan.merging_blocks = (task.outputs - 1) / outputs_of_a_block + 1;
  return plan;
}

bool has_elements(const Loop& loop) {
  for (int axis = 0; axis < loop.rank; ++axis) {
    if (loop.extents[static_cast<std::size_t>(axis)] == 0) return false;
  }
  return true;
}

/// A loop around a normalisation, whose operands and those of what is normalised are walked as those of one reduction.
struct NormalisingWork {
  NormalisingWork(const Loop& loop, const Normalisation& work)
      : leaves(loop.leaves.size() + work.leaves.size()),
        axes{.rank = loop.rank,
             .extents = loop.extents,
             .reduced = work.reduced,
             .target = loop.target,
             .leaves = joined(loop, work),
             .kernel = nullptr,
             .nodes = nullptr,
             .reducer = &reducer(ReduceOp::sum, DType::float64),
             .store = nullptr,
             .finish = {}},
        storage(axes.leaves.size() + 1),
        task{.reduction = axes, .space = {.operands = storage.empty()}},
        kernel{.outer = element_of(*loop.device.form),
               .inner = element_of(*work.device.form),
               .leaf = static_cast<std::size_t>(work.leaf),
               .op = work.op,
               .kept = 0,
               .threads = 0,
               .held = 0} {
    arrange(task);
    divide(task);
    kernel.kept = task.kept;
    const CombinedLeaves all(kernel.outer, kernel.inner, kernel.leaf);
    variant = normalising_variant(task, all.element, loop.device.written);
    choose_team(kernel, task, variant);
    constexpr std::ptrdiff_t few_values =
        1024;  // behind a statistic: one kernel finds them in a cache when it reads them again
    const std::ptrdiff_t outputs_of_a_block = kernel.threads == 0 ? warp : kernel.block() / kernel.threads;
    cut = kernel.held > 0 ? FoldCut{.blocks = (task.outputs - 1) / outputs_of_a_block + 1}
                          : fold_cut(task, all.element, variant);
    plan = {.rows = task.outputs,
            .length = task.reduced,
            .blocks = cut.blocks * cut.parts,
            .block_threads = kernel.block(),
            .threads = kernel.threads,
            .held = kernel.held,
            .parts = cut.parts,
            .in_one = kernel.held > 0 || (cut.parts == 1 && task.reduced <= few_values)};
  }
  NormalisingWork(const NormalisingWork&) = delete;
  NormalisingWork& operator=(const NormalisingWork&) = delete;

  PerOperand<Operand> leaves;
  Reduction axes;
  OperandStorage storage;
  ReductionTask task;
  NormalisingKernel kernel;
  DeviceVariant variant{};
  FoldCut cut{};
  DeviceNormalisingPlan plan{};

 private:
  /// The operands of both but the normalised one.
  std::span<const Operand> joined(const Loop& loop, const Normalisation& work) {
    Operand* end = leaves.data();
    for (std::size_t k = 0; k < loop.leaves.size(); ++k) {
      if (k != static_cast<std::size_t>(work.leaf)) *end++ = loop.leaves[k];
    }
    end = std::ranges::copy(work.leaves, end).out;
    return {leaves.data(), end};
  }
};

}  // namespace

DeviceWork copying_work(std::ptrdiff_t item) {
  switch (item) {
    case 1: return copying<DType::uint8>();
    case 2: return copying<DType::uint16>();
    case 4: return copying<DType::uint32>();
    case 8: return copying<DType::uint64>();
    default: return copying<DType::complex128>();
  }
}

unsigned grid_of(std::ptrdiff_t blocks) {
  constexpr std::ptrdiff_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks <= most) return static_cast<unsigned>(blocks);
  throw ShapeError(to_string(
      Failure{.operation = "reduction on a GPU",
              .problem = "it needs " + std::to_string(blocks) + " blocks of threads, more than " + std::to_string(most),
              .advice = "reduce it in parts"}));
}

DeviceLoopPlan device_plan(const LoopPlan& loop, const DeviceElement& element, DType written) {
  DeviceLoopPlan plan{.variant = device_variant(loop, element, written), .blocks = 0};
  plan.blocks = std::min(most_blocks, blocks_for(loop, plan.variant));
  return plan;
}

DeviceFoldPlan device_plan(const Reduction& reduction) {
  if (!has_outputs(reduction)) return {};
  OperandStorage storage(reduction.leaves.size() + 1);
  ReductionTask task{.reduction = reduction, .space = {.operands = storage.empty()}};
  arrange(task);
  size(task);
  const DeviceElement& element = element_of(*reduction.device.form);
  return plan_of(task, element, folding_variant(task, element, reduction.device.written));
}

void run_on_device(const Loop& loop) {
  const LoopPlan plan = simplified(loop);
  if (plan.elements == 0) return;
  DeviceForm& form = *loop.device.form;
  const DeviceElement& element = element_of(form);
  require_device_text(element);
  const GpuPlace place{loop.place.ordinal()};
  DeviceLoopPlan work = device_plan(plan, element, loop.device.written);
  const DeviceKernelKey key{.variant = std::move(work.variant), .place = place};
  const device::Kernel& kernel = kernel_of_form(
      form, key, [&] { return device_support(element, key.variant.target) + device_kernel(element, key.variant); });
  const Scalars scalars = scalars_of(form, loop.device.node);
  device::launching::Arguments arguments;
  put_device_arguments(arguments, plan, element, key.variant, scalars);
  kernel.launch(device::Stream::current(place), static_cast<unsigned>(work.blocks), threads, 0, arguments.padded(),
                form.name.text(), std::source_location::current());
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
  const GpuPlace place{reduction.place.ordinal()};
  DeviceKernelKey key{.variant = folding_variant(task, element, reduction.device.written), .place = place};
  const DeviceVariant& variant = key.variant;
  const DeviceFoldPlan plan = plan_of(task, element, variant);
  const FoldCut& cut = plan.cut;
  key.fold = {.op = reduction.op,
              .shape = cut.shape,
              .kept = task.kept,
              .merging = cut.merging,
              .each = cut.each,
              .most = cut.most};
  key.task = DeviceTask::fold;
  const auto write = [&] {
    return folding_support(element, variant.target) +
           (key.task == DeviceTask::fold ? folding_kernel : merging_kernel)(element, variant, key.fold);
  };
  const device::Kernel& kernel = kernel_of_form(form, key, std::cref(write));  // a copy would need memory
  const Scalars scalars = scalars_of(form, reduction.device.node);
  const bool merges = plan.merging_blocks > 0;
  const std::ptrdiff_t partial_bytes =
      merges ? task.outputs * cut.parts * device_accumulator_bytes(reduction.op, element.value) : 0;
  std::optional<Temporary> partials;
  if (merges) partials.emplace(place, partial_bytes);
  void* const partial_data = merges ? partials->data() : nullptr;
  device::Stream& stream = device::Stream::current(place);
  const std::source_location where = std::source_location::current();
  device::launching::Arguments arguments;
  put_folding_arguments(arguments, task, element, variant, cut, partial_data, scalars);
  kernel.launch(stream, grid_of(plan.blocks), fold_threads, 0, arguments.padded(), form.name.text(), where);
  if (!merges) return;
  key.task = DeviceTask::merge;
  const device::Kernel& merge = kernel_of_form(form, key, std::cref(write));
  device::launching::Arguments merging;
  put_merging_arguments(merging, task, variant, cut, partial_data);
  merge.launch(stream, grid_of(plan.merging_blocks), fold_threads, 0, merging.padded(), form.name.text(), where);
}

DeviceNormalisingPlan device_plan(const Loop& loop, const Normalisation& work) {
  if (!has_elements(loop)) return {};
  return NormalisingWork(loop, work).plan;
}

void run_normalised_on_device(const Loop& loop, const Normalisation& work) {
  DeviceForm& form = *loop.device.form;
  const DeviceElement& outer = element_of(form);
  const DeviceElement& inner = element_of(*work.device.form);
  require_device_text(outer);
  require_device_text(inner);
  if (!has_elements(loop)) return;
  NormalisingWork kernels(loop, work);
  const auto& [rows, length, blocks, block_threads, threads_of_row, held, parts, in_one] = kernels.plan;
  const GpuPlace place{loop.place.ordinal()};
  Scalars scalars = scalars_of(form, loop.device.node);
  const Scalars more = scalars_of(*work.device.form, work.device.node);
  scalars.append(more.data(), more.size());
  std::optional<Temporary> partials;
  if (!in_one) partials.emplace(place, rows * parts * statistics_bytes(work.op));
  device::launching::Arguments arguments;
  put_normalising_arguments(arguments, kernels.task, kernels.variant, kernels.cut, in_one ? nullptr : partials->data(),
                            scalars, work.epsilon);
  NormalisingKernel& which = kernels.kernel;
  DeviceKernelKey key{
      .variant = kernels.variant,
      .task = DeviceTask::normalise,
      .fold = {.op = ReduceOp::sum, .shape = FoldShape::warps, .kept = which.kept},
      .normalising = {.op = work.op, .threads = which.threads, .held = which.held, .inner = work.device.form},
      .place = place};
  const auto write = [&] {
    const CombinedElement both(outer, inner, which.leaf);
    return normalising_support(both.element, key.variant.target) + normalising_kernel(which, both.element, key.variant);
  };
  const auto launch = [&](NormaliseStage stage) {
    which.stage = stage;
    key.normalising.stage = stage;
    const device::Kernel& kernel = kernel_of_form(form, key, std::cref(write));
    kernel.launch(device::Stream::current(place), grid_of(blocks), static_cast<unsigned>(block_threads), 0,
                  arguments.padded(), form.name.text(), std::source_location::current());
  };
  if (in_one) return launch(NormaliseStage::whole);
  launch(NormaliseStage::statistics);
  launch(NormaliseStage::apply);
}

}  // namespace tessera::plan
