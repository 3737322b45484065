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

// Sorting a normalisation's axes and sizing its work.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t tile_bytes = std::ptrdiff_t{512} * 1024;  // of columns that are normalised side by side
constexpr std::ptrdiff_t least_columns = 64;                       // a step of the widest vectors
constexpr std::ptrdiff_t most_columns = block_elements;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

void arrange(NormaliseTask& task) {
  Space& space = task.space;
  const Axes target = task.loop.target.strides;
  std::array<int, most_axes> order;
  int count = 0;
  const auto take = [&](bool reduced) {
    for (int axis = 0; axis < task.loop.rank; ++axis) {
      if (task.normalisation.reduced[at(axis)] == reduced && task.loop.extents[at(axis)] != 1)
        order[at(count++)] = axis;
    }
  };
  take(false);
  std::ranges::sort(std::span(order).first(at(count)), {},
                    [&](int axis) { return std::pair(-std::abs(target[at(axis)]), axis); });
  task.kept = count;
  take(true);
  space.rank = count;
  space.add(task.loop.target);
  for (const Operand& leaf : task.loop.leaves) space.add(leaf);
  for (const Operand& leaf : task.normalisation.leaves) space.add(leaf);
  const auto strides_of = [&](std::size_t k) -> const Axes& {
    const std::size_t outer = task.loop.leaves.size();
    if (k == 0 || k == at(task.normalisation.leaf) + 1) return target;  // the normalised values follow the target
    return k <= outer ? task.loop.leaves[k - 1].strides : task.normalisation.leaves[k - 1 - outer].strides;
  };
  for (std::size_t k = 0; k < space.operands.size(); ++k) {
    for (int to = 0; to < space.rank; ++to) space.operands[k].strides[at(to)] = strides_of(k)[at(order[at(to)])];
  }
  for (int to = 0; to < space.rank; ++to) space.extents[at(to)] = task.loop.extents[at(order[at(to)])];
  int last = space.rank;
  space.merge_axes(task.kept, last);
  space.merge_axes(0, task.kept);
  if (task.kept == space.rank) {
    space.extents[at(space.rank)] = 1;
    for (Operand& operand : space.operands) operand.strides[at(space.rank)] = 1;
    ++space.rank;
  }
}

/// Side by side pays when memory lies contiguously along a kept axis and not along the reduced one.
bool better_by_columns(const NormaliseTask& task) {
  if (task.kept == 0 || !task.one_axis() || task.extent(task.last_kept()) < least_columns) return false;
  int score = 0;
  for (const Operand& operand : task.space.operands) {
    score += std::abs(operand.strides[at(task.last_kept())]) == 1 ? 1 : 0;
    score -= std::abs(operand.strides[at(task.last())]) == 1 ? 1 : 0;
  }
  return score > 0;
}

}  // namespace

void divide(NormaliseTask& task) {
  arrange(task);
  for (int axis = 0; axis < task.space.rank; ++axis) (axis < task.kept ? task.outputs : task.n) *= task.extent(axis);
  task.by_columns = better_by_columns(task);
  const std::ptrdiff_t row = task.kept == 0 ? 1 : task.extent(task.last_kept());
  if (task.by_columns) {
    const std::ptrdiff_t fitting = tile_bytes / task.item() / task.n / least_columns * least_columns;
    task.unit = std::min(row, std::clamp(fitting, least_columns, most_columns));
  } else if (task.whole_rows()) {
    task.unit = std::min(row, std::max<std::ptrdiff_t>(1, whole_row_bytes / 2 / task.item() / task.n));
  }
  task.units = task.outputs / row * ((row - 1) / task.unit + 1);
}

}  // namespace tessera::plan
