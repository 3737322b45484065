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

// Sorting a reduction's axes and sizing its work.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t column_tile = 2048;  // outputs that are folded side by side, at most
constexpr std::ptrdiff_t column_tile_bytes = std::ptrdiff_t{16} * 1024;  // of their accumulators
constexpr std::ptrdiff_t row_chunk =
    std::ptrdiff_t{64} * 1024;  // values of a long reduction that go to a thread at once,
constexpr std::ptrdiff_t column_chunk = std::ptrdiff_t{128} * 1024;  // more where merging means merging many sums
constexpr std::ptrdiff_t most_split_units = 64;  // with more outputs than this, one output stays on one thread

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Folding side by side pays when the operands lie contiguously along a kept axis and not along a reduced one. One that has the same values for all results,
/// or for all values of a result, is small and counts only where nothing else does.
bool better_by_columns(const ReductionTask& task) {
  if (task.kept == 0 || task.extent(task.last_kept()) < 8) return false;
  int score = 0, of_repeated = 0;
  for (const Operand& leaf : task.space.operands.subspan(1)) {
    const std::ptrdiff_t kept = std::abs(leaf.strides[at(task.last_kept())]);
    const std::ptrdiff_t reduced = std::abs(leaf.strides[at(task.last_reduced())]);
    int& counted = kept != 0 && reduced != 0 ? score : of_repeated;
    counted += (kept == 1 ? 1 : 0) - (reduced == 1 ? 1 : 0);
  }
  return score != 0 ? score > 0 : of_repeated > 0;
}

constexpr std::ptrdiff_t least_values =
    8;  // for each result, so that how they lie counts less than how the operands do

/// The results have so many values that what is read decides how it goes; nothing is empty.
bool reads_most(const Reduction& reduction) {
  std::ptrdiff_t values = 1;
  for (int axis = 0; axis < reduction.rank; ++axis) {
    const std::ptrdiff_t extent = reduction.extents[at(axis)];
    if (extent == 0) return false;  // strides of what has no elements may be any
    if (reduction.reduced[at(axis)] && values < least_values) values *= std::min(extent, least_values);
  }
  return values >= least_values;
}

/// All operands that move along both axes have neighbours nearer to each other along `a` than along `b`.
bool all_lie_nearer(std::span<const Operand> leaves, int a, int b) {
  bool some = false;
  for (const Operand& leaf : leaves) {
    const std::ptrdiff_t along_a = std::abs(leaf.strides[at(a)]), along_b = std::abs(leaf.strides[at(b)]);
    if (along_a == 0 || along_b == 0) continue;
    if (along_a >= along_b) return false;
    some = true;
  }
  return some;
}

/// Moves axes behind those along which the operands agree to lie nearer.
void sort_as_operands_lie(const Reduction& reduction, std::span<int> axes) {
  for (std::size_t i = 1; i < axes.size(); ++i) {
    for (std::size_t k = i; k > 0 && all_lie_nearer(reduction.leaves, axes[k - 1], axes[k]); --k)
      std::swap(axes[k - 1], axes[k]);
  }
}

}  // namespace

void turn_kept_axes(ReductionTask& task) {
  if (!reads_most(task.reduction)) return;
  Space& space = task.space;
  const auto leaves = space.operands.subspan(1);
  for (int axis = 0; axis < task.kept; ++axis) {
    const auto stride = [&](const Operand& leaf) { return leaf.strides[at(axis)]; };
    if (std::ranges::any_of(
            leaves, [](std::ptrdiff_t along) { return along > 0; }, stride) ||
        std::ranges::none_of(leaves, [](std::ptrdiff_t along) { return along < 0; }, stride))
      continue;
    space.advance(axis, task.extent(axis) - 1);
    for (Operand& operand : space.operands) operand.strides[at(axis)] = -operand.strides[at(axis)];
  }
}

void arrange(ReductionTask& task) {
  const Reduction& reduction = task.reduction;
  Space& space = task.space;
  std::array<int, most_axes> order;
  int count = 0;
  for (int axis = 0; axis < reduction.rank; ++axis) {
    if (!reduction.reduced[at(axis)] && reduction.extents[at(axis)] != 1) order[at(count++)] = axis;
  }
  std::ranges::sort(std::span(order).first(at(count)), {},
                    [&](int axis) { return std::pair(-std::abs(reduction.target.strides[at(axis)]), axis); });
  if (reads_most(reduction)) sort_as_operands_lie(reduction, std::span(order).first(at(count)));
  task.kept = count;
  for (int axis = 0; axis < reduction.rank; ++axis) {
    if (reduction.reduced[at(axis)] && reduction.extents[at(axis)] != 1) order[at(count++)] = axis;
  }
  space.rank = count;
  space.add(reduction.target);
  for (const Operand& leaf : reduction.leaves) space.add(leaf);
  for (int to = 0; to < space.rank; ++to) {
    space.extents[at(to)] = reduction.extents[at(order[at(to)])];
    for (std::size_t k = 0; k < space.operands.size(); ++k) {
      const Axes& from = k == 0 ? reduction.target.strides : reduction.leaves[k - 1].strides;
      space.operands[k].strides[at(to)] = from[at(order[at(to)])];
    }
  }
  int last = space.rank;
  space.merge_axes(task.kept, last);
  space.merge_axes(0, task.kept);
  if (task.kept == space.rank) {  // nothing is left to reduce: one value behind each output
    space.extents[at(space.rank)] = 1;
    for (Operand& operand : space.operands) operand.strides[at(space.rank)] = 0;
    ++space.rank;
  }
}

void divide(ReductionTask& task) {
  for (int axis = 0; axis < task.space.rank; ++axis)
    (axis < task.kept ? task.outputs : task.reduced) *= task.extent(axis);
  task.by_columns = better_by_columns(task);
  if (task.by_columns) {
    const std::ptrdiff_t fitting = column_tile_bytes / task.reduction.reducer->accumulator_bytes / 64 * 64;
    task.unit_outputs = std::min({task.extent(task.last_kept()), column_tile, fitting});
  }
  const std::ptrdiff_t row = task.kept == 0 ? 1 : task.extent(task.last_kept());
  const std::ptrdiff_t tiles = (row - 1) / task.unit_outputs + 1;
  task.units = task.by_columns ? task.outputs / row * tiles : task.outputs;
  const std::ptrdiff_t work = task.reduced * task.unit_outputs;
  const std::ptrdiff_t chunk_elements = task.unit_outputs == 1 ? row_chunk : column_chunk;
  const std::ptrdiff_t inner = task.extent(task.last_reduced());
  task.chunk_size = task.reduced;
  if (task.units <= most_split_units && work >= 2 * chunk_elements) {
    const std::ptrdiff_t wanted = chunk_elements / task.unit_outputs;
    task.chunk_size = inner >= wanted ? wanted : (wanted / inner) * inner;
    task.chunks = (task.reduced - 1) / task.chunk_size + 1;
  }
}

}  // namespace tessera::plan
