module;
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// When a reduction goes by boxes, and how large these are.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t short_row = 128;   // rows, or results side by side, from which on plain loops are fast
constexpr std::ptrdiff_t long_row = 2048;   // that need not be computed with others to hide the cost of a call
constexpr std::ptrdiff_t few_outputs = 16;  // not worth lanes of their own
constexpr std::ptrdiff_t few_values = 48;   // not worth lanes along themselves
constexpr std::ptrdiff_t enough_side_by_side = 128;  // for the reducers
constexpr std::ptrdiff_t least_rows = 8;             // that the reducers add up before they touch the accumulators
constexpr std::ptrdiff_t most_apart = 32;            // values along an axis that is folded in the end
constexpr std::ptrdiff_t chunk_values = std::ptrdiff_t{128} * 1024;
constexpr std::ptrdiff_t most_split_units = 64;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Positions are counted along the reduced axes in their order, so their boxes have to be whole ranges of it.
bool counts_positions(const Reduction& reduction) {
  return reduction.op == ReduceOp::argmin || reduction.op == ReduceOp::argmax;
}

/// No operand has elements nearer to each other than those along the axis, unless it has one value for them.
bool all_along(const Space& space, int axis) {
  return std::ranges::all_of(space.operands.subspan(1), [&](const Operand& leaf) {
    return leaf.data == nullptr || leaf.strides[at(axis)] == 0 || nearest_axis(leaf, space.rank, space.extents) == axis;
  });
}

/// Operands whose elements are nearest to each other along a kept axis, less those that are along a reduced one. One that has the same values for all
/// results, or for all values of a result, is small and counts only where nothing else does.
int for_columns(const ReductionTask& task) {
  int score = 0, of_repeated = 0;
  for (const Operand& leaf : task.space.operands.subspan(1)) {
    const int nearest = nearest_axis(leaf, task.space.rank, task.space.extents);
    if (nearest < 0) continue;
    const auto moves = [&](int axis) { return leaf.strides[at(axis)] != 0 && task.extent(axis) > 1; };
    bool along_kept = false, along_reduced = false;
    for (int axis = 0; axis < task.space.rank; ++axis) (axis < task.kept ? along_kept : along_reduced) |= moves(axis);
    (along_kept && along_reduced ? score : of_repeated) += nearest < task.kept ? 1 : -1;
  }
  return score != 0 ? score : of_repeated;
}

/// Most operands are read fast in the order of values that are computed result by result: they lie so, or with equal steps or backwards.
bool lie_by_results(const ReductionTask& task) {
  const auto leaves = task.space.operands.subspan(1);
  const auto lies = [&](const Operand& leaf) {
    const std::ptrdiff_t along = leaf.strides[at(task.last_reduced())];
    const std::ptrdiff_t across = leaf.strides[at(task.last_kept())];
    const std::ptrdiff_t length = task.extent(task.last_reduced());
    const bool continues = length == 0 ? across == 0 : across % length == 0 && across / length == along;
    return leaf.data != nullptr && (continues || (along == -1 && across == length));
  };
  return 2 * std::ranges::count_if(leaves, lies) > static_cast<std::ptrdiff_t>(leaves.size());
}

/// Rows of a few numbers are folded fast where they lie.
bool has_fast_rows(const ReductionTask& task) {
  const ReduceOp op = task.reduction.op;
  const bool combines = op == ReduceOp::sum || op == ReduceOp::mean || op == ReduceOp::product ||
                        op == ReduceOp::minimum || op == ReduceOp::maximum;
  return combines && task.reduction.reducer->accumulator_bytes <= 8 && lie_by_results(task);
}

bool is_fast_row(std::ptrdiff_t length) { return length <= 4 || length >= 8; }

/// Results have rows of values that are folded fast where they lie, and others across kept axes: packing all values of a result together would part the rows.
bool folds_rows(const ReductionTask& task) {
  return task.kept > 0 && task.space.rank - task.kept >= 2 && task.extent(task.last_reduced()) <= most_apart &&
         is_fast_row(task.extent(task.last_reduced())) && has_fast_rows(task) && task.outputs >= few_outputs;
}

/// Every result is the sum of one row that lies in memory, or is repeated: in lanes it is folded in one order, whoever does it.
bool folds_whole_rows(const ReductionTask& task) {
  const int inner = task.last_reduced();
  return task.space.rank == task.kept + 1 && folds_in_lanes(task.reduction, task.extent(inner)) &&
         Values::pack_nothing(task.space.operands.subspan(1), inner) && all_along(task.space, inner);
}

bool better_by_columns(const ReductionTask& task) {
  if (!task.by_columns && folds_whole_rows(task)) return false;
  if (task.outputs < few_outputs) return task.outputs > 1 && for_columns(task) > 0 && !counts_positions(task.reduction);
  const std::ptrdiff_t length = task.extent(task.last_reduced());
  if (has_fast_rows(task) && is_fast_row(length)) return false;
  return length < few_values || for_columns(task) > 0;
}

/// Results have a few values along the axis in which the operands lie, and many others across kept axes: folding those first reads memory as it
/// lies, where packing would part or transpose it.
bool keeps_apart(const ReductionTask& task) {
  const int last = task.last_reduced();
  if (task.kept == 0 || task.space.rank - task.kept < 2 || counts_positions(task.reduction)) return false;
  // Merging what was apart costs some ten times what folding a value does.
  if (task.extent(last) > most_apart || task.reduced / task.extent(last) < most_apart) return false;
  const int next = task.last_kept();
  return std::ranges::all_of(task.space.operands.subspan(1), [&](const Operand& leaf) {
    if (leaf.data == nullptr) return false;
    if (leaf.strides[at(last)] == 0) return true;
    const bool continues = leaf.strides[at(next)] == leaf.strides[at(last)] * task.extent(last);
    return (continues || leaf.strides[at(next)] == 0 || std::abs(leaf.strides[at(last)]) == 1) &&
           nearest_axis(leaf, task.space.rank, task.space.extents) == last;
  });
}

/// The axes [first, first + count), the fastest first.
std::span<const int> fastest_first(int first, int count, std::array<int, most_axes>& order) {
  for (int number = 0; number < count; ++number) order[at(number)] = first + count - 1 - number;
  return std::span(order).first(at(count));
}

/// Bytes between neighbours along an axis, of all operands together. Strides of what has no elements may be any.
double distance(const Space& space, int axis) {
  double bytes = 0;
  for (const Operand& leaf : space.operands.subspan(1))
    bytes += std::abs(static_cast<double>(leaf.strides[at(axis)])) * static_cast<double>(leaf.item);
  return bytes;
}

/// All axes, those first along which the operands' elements are nearest to each other.
std::span<const int> nearest_first(const Space& space, std::array<int, most_axes>& order) {
  for (int axis = 0; axis < space.rank; ++axis) {
    int to = axis;
    for (; to > 0 && distance(space, order[at(to - 1)]) > distance(space, axis); --to)
      order[at(to)] = order[at(to - 1)];
    order[at(to)] = axis;
  }
  return std::span(order).first(at(space.rank));
}

/// No operand has to be packed for each box: the others have the same values for all results, or for all values of one.
bool lies_in_place(const BoxTask& task, const Axes& steps) {
  const Box box{.rank = task.space.rank, .extents = steps};
  return std::ranges::all_of(task.space.operands.subspan(1), [&](const Operand& leaf) {
    bool along_kept = false, along_reduced = false;
    for (int axis = 0; axis < task.space.rank; ++axis) {
      const bool is_kept = axis >= task.kept_first && axis < task.kept_first + task.kept;
      (is_kept ? along_kept : along_reduced) |= leaf.strides[at(axis)] != 0 && task.extent(axis) > 1;
    }
    return is_direct(leaf, box) || !along_kept || !along_reduced;
  });
}

/// The largest box whose operands are read where they lie. Returns false if it is too small to be worth its step of the walk.
bool size_in_place(BoxTask& task, std::ptrdiff_t most) {
  constexpr std::ptrdiff_t least = 512;  // elements
  Axes steps;
  std::fill_n(steps.begin(), task.space.rank, 1);
  for (int axis = task.space.rank; axis-- > 0;) {
    const Axes smaller = steps;
    grow(task.space, {&axis, 1}, most, steps);
    if (!lies_in_place(task, steps)) steps = smaller;
  }
  if (Box{.rank = task.space.rank, .extents = steps}.elements() < std::min(least, most)) return false;
  task.steps = steps;
  return true;
}

void size_boxes(BoxTask& task, std::ptrdiff_t most) {
  std::array<int, most_axes> kept_order, reduced_order;
  const std::span<const int> kept = fastest_first(task.kept_first, task.kept, kept_order);
  const std::span<const int> reduced = fastest_first(task.reduced_first, task.reduced, reduced_order);
  const auto product = [&](std::span<const int> axes) {
    std::ptrdiff_t elements = 1;
    for (const int axis : axes) elements *= task.step(axis);
    return elements;
  };
  std::fill_n(task.steps.begin(), task.space.rank, 1);
  if (const std::ptrdiff_t last = std::max(task.apart, task.row); last > 1) {
    task.steps[at(task.space.rank - 1)] = last;
    grow(task.space, kept, std::max(most / least_rows, last), task.steps);
    const std::ptrdiff_t most_sets = task.row > 1 ? rows_in_turn : most;
    grow(task.space, reduced, std::min(most, product(kept) * last * most_sets), task.steps);
    return grow(task.space, kept, most, task.steps);
  }
  if (!task.transposes && !counts_positions(task.reduction) && size_in_place(task, most)) return;
  cover_lines(task.space, most, task.steps);
  if (task.by_columns && !task.transposes) {
    grow(task.space, reduced, std::min(most, product(kept) * least_rows), task.steps);
  } else {
    grow(task.space, reduced.first(1), most, task.steps);
  }
  std::array<int, most_axes> near_order;
  grow(task.space, nearest_first(task.space, near_order), most, task.steps);
  if (!counts_positions(task.reduction)) return;
  bool is_whole = true;  // all axes that are faster than this one
  for (const int axis : reduced) {
    if (!is_whole) task.steps[at(axis)] = 1;
    is_whole = is_whole && task.step(axis) == task.extent(axis);
  }
}

}  // namespace

void sort_reduced_axes(ReductionTask& task) {
  if (counts_positions(task.reduction)) return;
  Space& space = task.space;
  for (int axis = task.kept; axis < space.rank; ++axis) {
    const auto backwards = [&](const Operand& leaf) { return leaf.strides[at(axis)] < 0; };
    const auto forwards = [&](const Operand& leaf) { return leaf.strides[at(axis)] > 0; };
    const auto leaves = space.operands.subspan(1);
    if (space.extents[at(axis)] > 0 && std::ranges::any_of(leaves, backwards) &&
        std::ranges::none_of(leaves, forwards)) {
      space.advance(axis, space.extents[at(axis)] - 1);
      for (Operand& leaf : leaves) leaf.strides[at(axis)] = -leaf.strides[at(axis)];
    }
    for (int i = axis; i > task.kept && distance(space, i - 1) < distance(space, i); --i) space.swap_axes(i - 1, i);
  }
  int last = space.rank;
  space.merge_axes(task.kept, last);
}

bool asks_for_boxes(const ReductionTask& task) {
  const int inner = task.by_columns ? task.last_kept() : task.last_reduced();
  const bool lies = all_along(task.space, inner);
  if (task.by_columns) return !lies || task.extent(inner) < short_row;
  if (folds_whole_rows(task))  // by the kernel many rows are computed in one call
    return task.reduction.folds.rows == nullptr && task.outputs > 1 && task.extent(inner) < short_row;
  const auto needs_no_packing = [&](const Operand& leaf) {
    return leaf.strides[at(inner)] == 0 || leaf.strides[at(inner)] == 1;
  };
  if (lies && task.extent(inner) >= short_row && std::ranges::all_of(task.space.operands.subspan(1), needs_no_packing))
    return task.reduction.kernel != nullptr && task.outputs > 1 && task.extent(inner) < long_row;
  return !lies || task.extent(inner) < task.reduced || task.outputs >= few_outputs;
}

void cut_in_boxes(const ReductionTask& arranged, BoxTask& task) {
  const Space& from = arranged.space;
  const bool is_apart = keeps_apart(arranged);
  const bool keeps_last = is_apart || folds_rows(arranged);
  if (keeps_last) (is_apart ? task.apart : task.row) = arranged.extent(arranged.last_reduced());
  task.by_columns = keeps_last || better_by_columns(arranged);
  task.transposes = task.by_columns && !keeps_last && task.reduction.kernel != nullptr && lie_by_results(arranged);
  const bool reduced_come_first = task.by_columns && !task.transposes;
  task.kept = arranged.kept;
  task.reduced = from.rank - arranged.kept - (keeps_last ? 1 : 0);
  (reduced_come_first ? task.kept_first : task.reduced_first) = reduced_come_first ? task.reduced : task.kept;
  task.space.rank = from.rank;
  for (const Operand& operand : from.operands) task.space.add(operand);
  for (int axis = 0; axis < from.rank; ++axis) {
    const bool is_kept = axis < arranged.kept;
    const bool is_last = keeps_last && axis == from.rank - 1;
    const int to = is_kept ? task.kept_first + axis : is_last ? axis : task.reduced_first + axis - arranged.kept;
    task.space.extents[at(to)] = from.extents[at(axis)];
    for (std::size_t k = 0; k < from.operands.size(); ++k)
      task.space.operands[k].strides[at(to)] = from.operands[k].strides[at(axis)];
  }
  std::ptrdiff_t item = std::max(task.reduction.reducer->value_bytes, task.reduction.reducer->accumulator_bytes / 2);
  for (const Operand& leaf : task.space.operands.subspan(1)) item = std::max(item, leaf.item);
  size_boxes(task, most_box_elements(std::min(item, std::ptrdiff_t{16})));
  for (int axis = 0; axis < task.kept + task.reduced; ++axis) {
    const bool is_kept = axis >= task.kept_first && axis < task.kept_first + task.kept;
    (is_kept ? task.unit_outputs : task.box_values) *= task.step(axis);
    (is_kept ? task.units : task.parts) *= (task.extent(axis) - 1) / task.step(axis) + 1;
  }
  if (task.by_columns && !keeps_last && task.unit_outputs < enough_side_by_side / 2 &&
      !counts_positions(task.reduction)) {
    task.lanes =
        static_cast<std::ptrdiff_t>(std::bit_floor(static_cast<std::size_t>(enough_side_by_side / task.unit_outputs)));
    while (task.lanes > 1 && task.box_values < least_rows * task.lanes) task.lanes /= 2;
  }
  task.chunk_parts = task.parts;
  const std::ptrdiff_t box = task.unit_outputs * task.apart * task.row * task.box_values;
  if (task.units <= most_split_units && task.parts * box >= 2 * chunk_values) {
    task.chunk_parts = std::max<std::ptrdiff_t>(1, chunk_values / box);
    task.chunks = (task.parts - 1) / task.chunk_parts + 1;
  }
}

}  // namespace tessera::plan
