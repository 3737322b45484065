module;
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Folding box by box: the values of a box are computed into the L1 cache with the results along its rows or columns, folded, and the partial
// results of many boxes merged pairwise, in an order that depends on the shapes and strides only.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t values_per_partial = 64;  // that are folded side by side before a merge
constexpr std::ptrdiff_t least_at_once = 128;      // elements that are worth a call of the reducer where they lie,
constexpr std::ptrdiff_t least_side_by_side = 16;  // and results; fewer are packed with others

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// One thread's share. Its memory is the calling thread's scratch memory.
class BoxFolder {
 public:
  explicit BoxFolder(const BoxTask& task)
      : task_(task),
        reducer_(*task.reduction.reducer),
        memory_(scratch(bytes(task))),
        inputs_(task.space.operands.subspan(1), {.rank = task.space.rank, .extents = task.steps},
                task.reduction.kernel == nullptr ? 0 : reducer_.value_bytes,
                memory_.take(BoxInputs::bytes_for(task.space.operands.size() - 1))),
        row_inputs_(task.space.operands.subspan(1), reducer_.value_bytes, reducer_.lanes,
                    memory_.take(RowInputs::bytes_for(task.reduction))),
        values_(memory_.take(value_bytes(task))),
        transposed_(memory_.take(value_bytes(task))),
        accumulators_(memory_.take(accumulator_bytes(task))),
        side_by_side_(memory_.take(accumulator_bytes(task) * accumulators_of_each(task))),
        gathered_(memory_.take(task.apart > 1 ? accumulator_bytes(task) : 0)),
        pairwise_(memory_.take(pairwise_bytes(task))),
        offsets_(task.space.operands.size()),
        row_axes_(rows_of_boxes()),
        folds_rows_in_place_(has_rows_in_place()) {}

  /// Folds and stores the results of the units [first, last).
  void run(std::ptrdiff_t first, std::ptrdiff_t last) {
    Walk walk = walk_from(first * task_.parts);
    for (std::ptrdiff_t unit = first; unit < last; ++unit) {
      const std::ptrdiff_t target = walk.offset(0);
      for (int axis = task_.kept_first; axis < task_.kept_first + task_.kept; ++axis)
        results_.extents[at(axis)] = walk.box().extents[at(axis)];
      reducer_.clear(accumulators_, task_.unit_outputs);
      fold(walk, task_.parts, accumulators_);
      store(results_, target, accumulators_);
    }
  }

  /// Folds the parts [first, last) of a unit into cleared accumulators.
  void run_parts(std::ptrdiff_t unit, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
    Walk walk = walk_from(unit * task_.parts + first);
    fold(walk, last - first, accumulators);
  }

  /// Stores the results of a unit.
  void store_unit(std::ptrdiff_t unit, const std::byte* accumulators) {
    const Walk walk = walk_from(unit * task_.parts);
    store(walk.box(), walk.offset(0), accumulators);
  }

  std::byte* accumulators() const { return accumulators_; }

 private:
  static std::ptrdiff_t value_bytes(const BoxTask& task) {
    return task.unit_outputs * task.apart * task.row * task.box_values * task.reduction.reducer->value_bytes;
  }
  static std::ptrdiff_t accumulator_bytes(const BoxTask& task) {
    return task.unit_outputs * task.reduction.reducer->accumulator_bytes;
  }
  /// How many accumulators a result has before they are merged.
  static std::ptrdiff_t accumulators_of_each(const BoxTask& task) { return task.lanes * task.apart; }
  static std::ptrdiff_t pairwise_bytes(const BoxTask& task) {
    return PairwiseMerge::bytes_for(task.parts, accumulator_bytes(task) * accumulators_of_each(task));
  }
  static std::ptrdiff_t bytes(const BoxTask& task) {
    return BoxInputs::bytes_for(task.space.operands.size() - 1) + RowInputs::bytes_for(task.reduction) +
           2 * Pieces::padded(value_bytes(task)) + 2 * Pieces::padded(accumulator_bytes(task)) +
           Pieces::padded(accumulator_bytes(task) * accumulators_of_each(task)) + pairwise_bytes(task) + 64;
  }

  Walk walk_from(std::ptrdiff_t box) { return {task_.space, task_.steps, box, offsets_.data(), task_.kept_first}; }

  std::ptrdiff_t outputs_of(const Box& box) const { return along(box, task_.kept_first, task_.kept); }
  std::ptrdiff_t values_of(const Box& box) const { return along(box, task_.reduced_first, task_.reduced); }
  static std::ptrdiff_t along(const Box& box, int first, int count) {
    std::ptrdiff_t elements = 1;
    for (int axis = first; axis < first + count; ++axis) elements *= box.extents[at(axis)];
    return elements;
  }

  /// Position along the reduced axes of the box's first value.
  std::ptrdiff_t position(const Walk& walk) const {
    std::ptrdiff_t index = 0;
    for (int axis = task_.reduced_first; axis < task_.reduced_first + task_.reduced; ++axis)
      index = index * task_.extent(axis) + walk.position(axis);
    return index;
  }

  void fold(Walk& walk, std::ptrdiff_t parts, std::byte* accumulators) {
    if (accumulators_of_each(task_) == 1) return fold_parts(walk, parts, 1, accumulators);
    const std::ptrdiff_t outputs = outputs_of(walk.box());
    if (task_.apart > 1) {
      reducer_.clear(side_by_side_, outputs * task_.apart);
      fold_parts(walk, parts, 1, side_by_side_);
      return merge_apart(outputs, accumulators);
    }
    reducer_.clear(side_by_side_, outputs * task_.lanes);
    fold_parts(walk, parts, task_.lanes, side_by_side_);
    for (std::ptrdiff_t half = task_.lanes / 2; half > 0; half /= 2) {
      reducer_.merge(side_by_side_, side_by_side_ + half * outputs * reducer_.accumulator_bytes, half * outputs);
    }
    reducer_.merge(accumulators, side_by_side_, outputs);
  }

  /// Merges what was kept apart, which lies result by result.
  void merge_apart(std::ptrdiff_t outputs, std::byte* accumulators) const {
    const std::ptrdiff_t bytes = reducer_.accumulator_bytes;
    for (std::ptrdiff_t value = 0; value < task_.apart; ++value) {
      for (std::ptrdiff_t k = 0; k < outputs; ++k)
        std::memcpy(gathered_ + k * bytes, side_by_side_ + (k * task_.apart + value) * bytes,
                    static_cast<std::size_t>(bytes));
      reducer_.merge(accumulators, gathered_, outputs);
    }
  }

  void fold_parts(Walk& walk, std::ptrdiff_t parts, std::ptrdiff_t lanes, std::byte* accumulators) {
    if (parts == 1) return fold_next(walk, lanes, accumulators);
    const std::ptrdiff_t outputs = outputs_of(walk.box()) * task_.apart;
    PairwiseMerge pairwise_merge(reducer_, outputs * lanes, task_.parts, pairwise_);
    const std::ptrdiff_t values = task_.row > 1 ? rows_in_turn : values_per_partial * lanes;
    const std::ptrdiff_t together = std::max<std::ptrdiff_t>(1, values / task_.box_values);
    for (std::ptrdiff_t part = 0; part < parts;) {
      std::byte* partial = pairwise_merge.next();
      for (const std::ptrdiff_t end = std::min(parts, part + together); part < end; ++part)
        fold_next(walk, lanes, partial);
      pairwise_merge.push();
    }
    pairwise_merge.finish(accumulators);
  }

  /// Folds the current box and goes to the next.
  void fold_next(Walk& walk, std::ptrdiff_t lanes, std::byte* accumulators) {
    const Box& box = walk.box();
    const std::ptrdiff_t outputs = outputs_of(box) * task_.apart;
    const std::ptrdiff_t count = values_of(box);
    if (folds_rows_in_place_ && fold_rows_in_place(walk, accumulators)) return walk.next();
    const Input* inputs = inputs_.read(box, offsets_.data() + 1);
    if (fold_as_computed(inputs, lanes, outputs, count, accumulators)) return walk.next();
    const void* values = inputs[0].data;
    if (task_.reduction.kernel != nullptr) {
      task_.reduction.kernel(task_.reduction.nodes, values_, inputs, outputs * count * task_.row);
      values = values_;
    }
    const std::ptrdiff_t first = position(walk);
    if (task_.transposes) values = transposed(outputs, count);
    if (task_.row > 1) {
      fold_rows(accumulators, static_cast<const std::byte*>(values), outputs, count, first);
    } else if (task_.by_columns) {
      const std::ptrdiff_t whole = count / lanes;
      const std::ptrdiff_t width = outputs * lanes;
      if (whole > 0) reducer_.columns(accumulators, values, whole, width, width, first);
      if (whole * lanes < count) {
        reducer_.columns(accumulators, static_cast<const std::byte*>(values) + whole * width * reducer_.value_bytes,
                         count - whole * lanes, outputs, outputs, first);
      }
    } else {
      const std::ptrdiff_t n = folds_by_sets(box) ? row_axes_.columns.count(box) : count;
      for (std::ptrdiff_t done = 0; done < count; done += n) {
        reducer_.rows(accumulators, static_cast<const std::byte*>(values) + done * reducer_.value_bytes, outputs, count,
                      n, first + done);
      }
    }
    walk.next();
  }

  /// Rows of a box's values: side by side those of the last axis of the results, or each along the last of a result's own axes, or all of them.
  RowAxes rows_of_boxes() const {
    const int rank = task_.space.rank;
    if (task_.by_columns)
      return {.sets = {task_.kept_first, rank - 1}, .rows = {0, task_.kept_first}, .columns = {rank - 1, rank}};
    if (has_sets_of_values())
      return {.sets = {task_.reduced_first, rank - 1}, .rows = {0, task_.reduced_first}, .columns = {rank - 1, rank}};
    const int last = std::max(task_.reduced_first - 1, 0);
    return {.sets = {0, last}, .rows = {last, task_.reduced_first}, .columns = {task_.reduced_first, rank}};
  }

  /// A result's values in a box lie along several axes.
  bool has_sets_of_values() const {
    for (int axis = task_.reduced_first; axis + 1 < task_.space.rank; ++axis) {
      if (!task_.by_columns && task_.step(axis) > 1) return true;
    }
    return false;
  }

  /// Boxes may be folded without packing what lies in rows with others between them.
  bool has_rows_in_place() const {
    const Box largest{.rank = task_.space.rank, .extents = task_.steps};
    const bool may = task_.lanes == 1 && task_.apart == 1 && task_.row == 1 && !task_.transposes && task_.kept > 0 &&
                     task_.reduced > 0;
    return may && (task_.reduction.kernel == nullptr || inputs_.has_rows(largest, row_axes_));
  }

  /// Folds a box whose rows lie in memory without packing them. Returns false where none lies so, or the loops for rows take only longer ones.
  bool fold_rows_in_place(const Walk& walk, std::byte* accumulators) {
    if (task_.reduction.kernel == nullptr) return fold_memory(walk, accumulators);
    const auto& [by_rows, by_columns] = task_.reduction.folds;
    if (by_rows == nullptr || !has_long_rows(walk.box())) return false;
    auto rows = inputs_.read_rows(walk.box(), offsets_.data() + 1, row_axes_);
    if (!rows) return false;
    rows->sets.accumulators = accumulators_of_set(walk.box());
    (task_.by_columns ? by_columns : by_rows)(task_.reduction.nodes, accumulators, rows->inputs, rows->sets);
    return true;
  }

  bool has_long_rows(const Box& box) const {
    const std::ptrdiff_t n = row_axes_.columns.count(box);
    return n >= 4 * reducer_.lanes && folds_in_lanes(task_.reduction, n);
  }

  /// The values of a result in a box are folded set by set, whether or not there are loops that compute them: the order of a sum depends on shapes
  /// and strides only.
  bool folds_by_sets(const Box& box) const {
    return folds_rows_in_place_ && task_.reduction.kernel != nullptr && has_sets_of_values() && has_long_rows(box) &&
           inputs_.has_rows(box, row_axes_);
  }

  std::ptrdiff_t accumulators_of_set(const Box& box) const {
    return has_sets_of_values() ? 0 : (task_.by_columns ? row_axes_.columns : row_axes_.rows).count(box);
  }

  /// Folds a box of the only leaf's own elements where they lie, set by set. Returns false where they lie otherwise, or are so few that packing costs
  /// less.
  bool fold_memory(const Walk& walk, std::byte* accumulators) const {
    const Operand& leaf = task_.space.operands[1];
    const Box& box = walk.box();
    if (leaf.data == nullptr || is_direct(leaf, box)) return false;
    const auto step = [&](RowAxes::Range range) { return step_along(leaf, box, range.first, range.last); };
    const auto set = step(row_axes_.sets), row = step(row_axes_.rows);
    if (step(row_axes_.columns) != 1 || !set || !row) return false;
    const std::ptrdiff_t rows = row_axes_.rows.count(box), n = row_axes_.columns.count(box);
    if (rows * n < least_at_once || (task_.by_columns && n < least_side_by_side)) return false;
    std::ptrdiff_t first = position(walk);
    const std::byte* values = leaf.data + walk.offset(1) * leaf.item;
    for (std::ptrdiff_t left = row_axes_.sets.count(box); left > 0; --left) {
      (task_.by_columns ? reducer_.columns : reducer_.rows)(accumulators, values, rows, *row, n, first);
      values += *set * leaf.item;
      accumulators += accumulators_of_set(box) * reducer_.accumulator_bytes;
      if (has_sets_of_values()) first += n;
    }
    return true;
  }

  /// Folds a box by the loop that computes it. Returns false where there is none, or its rows are too short.
  bool fold_as_computed(const Input* inputs, std::ptrdiff_t lanes, std::ptrdiff_t outputs, std::ptrdiff_t count,
                        std::byte* accumulators) {
    const auto& [rows, columns] = task_.reduction.folds;
    if (rows == nullptr || task_.transposes) return false;
    const void* const nodes = task_.reduction.nodes;
    if (task_.row > 1) {
      if (!folds_in_lanes(task_.reduction, task_.row)) return false;
      for (std::ptrdiff_t set = 0; set < count; ++set)
        rows(nodes, accumulators, row_inputs_.of_box(inputs, set * outputs, task_.row),
             {.sets = 1, .rows = outputs, .n = task_.row});
      return true;
    }
    if (!task_.by_columns) {
      if (!folds_in_lanes(task_.reduction, count)) return false;
      rows(nodes, accumulators, row_inputs_.of_box(inputs, 0, count), {.sets = 1, .rows = outputs, .n = count});
      return true;
    }
    const std::ptrdiff_t width = outputs * lanes;
    const std::ptrdiff_t whole = count / lanes;
    const std::ptrdiff_t rest = count - whole * lanes;
    if (!folds_in_lanes(task_.reduction, width) || whole == 0) return false;
    columns(nodes, accumulators, row_inputs_.of_box(inputs, 0, width), {.sets = 1, .rows = whole, .n = width});
    if (rest == 0) return true;
    const InputRows last = row_inputs_.of_box(inputs, whole * lanes, outputs);
    if (folds_in_lanes(task_.reduction, outputs)) {
      columns(nodes, accumulators, last, {.sets = 1, .rows = rest, .n = outputs});
    } else {
      task_.reduction.kernel(nodes, values_, last.first, rest * outputs);
      reducer_.columns(accumulators, values_, rest, outputs, outputs, 0);
    }
    return true;
  }

  /// One set of rows after the other, a row of each result.
  void fold_rows(std::byte* accumulators, const std::byte* values, std::ptrdiff_t outputs, std::ptrdiff_t sets,
                 std::ptrdiff_t first) const {
    const std::ptrdiff_t bytes = outputs * task_.row * reducer_.value_bytes;
    for (std::ptrdiff_t set = 0; set < sets; ++set, values += bytes)
      reducer_.rows(accumulators, values, outputs, task_.row, task_.row, first);
  }

  /// The values of each of `outputs` results, which lie one after the other, beside those of the other results.
  const void* transposed(std::ptrdiff_t outputs, std::ptrdiff_t count) const {
    Operand values = operand_at(values_, reducer_.value_bytes);
    values.strides[0] = 1;
    values.strides[1] = count;
    Box box{.rank = 2, .extents = {}};
    box.extents[0] = count;
    box.extents[1] = outputs;
    pack(values, box, 0, transposed_);
    return transposed_;
  }

  /// Writes a box's results, in one go as far as they lie at equal distances.
  void store(const Box& box, std::ptrdiff_t offset, const std::byte* accumulators) const {
    const Operand& target = task_.space.operands.front();
    const int last = task_.kept_first + task_.kept - 1;
    std::ptrdiff_t run = task_.kept == 0 ? 1 : box.extents[at(last)];
    const std::ptrdiff_t stride = task_.kept == 0 ? 0 : target.strides[at(last)];
    int axis = last;
    while (axis > task_.kept_first && (box.extents[at(axis - 1)] == 1 || target.strides[at(axis - 1)] == stride * run))
      run *= box.extents[at(--axis)];
    const std::ptrdiff_t outputs = outputs_of(box);
    for (std::ptrdiff_t done = 0; done < outputs; done += run) {
      std::ptrdiff_t at_run = offset;
      std::ptrdiff_t number = done / run;
      for (int outer = axis; outer-- > task_.kept_first;) {
        at_run += number % box.extents[at(outer)] * target.strides[at(outer)];
        number /= box.extents[at(outer)];
      }
      task_.reduction.store(target.data + at_run * target.item, stride,
                            accumulators + done * reducer_.accumulator_bytes, run, task_.reduction.finish);
    }
  }

  const BoxTask& task_;
  const Reducer& reducer_;
  Pieces memory_;
  BoxInputs inputs_;
  RowInputs row_inputs_;
  std::byte* values_;
  std::byte* transposed_;
  std::byte* accumulators_;
  std::byte* side_by_side_;  // accumulators of all lanes, or of all values that are kept apart
  std::byte* gathered_;
  std::byte* pairwise_;
  Box results_;
  PerOperand<std::ptrdiff_t> offsets_;
  RowAxes row_axes_;
  bool folds_rows_in_place_;
};

/// Few results of many boxes each: chunks of these are folded, in parallel or not, and merged in order.
void run_chunks(const BoxTask& task) {
  const Reducer& reducer = *task.reduction.reducer;
  const std::ptrdiff_t bytes = Pieces::padded(task.unit_outputs * reducer.accumulator_bytes);
  const std::ptrdiff_t jobs = task.units * task.chunks;
  const memory::Allocation memory(CpuPlace{}, jobs * bytes + PairwiseMerge::bytes_for(task.chunks, bytes));
  std::byte* partials = static_cast<std::byte*>(memory.data());
  parallel_for(jobs, [&](std::ptrdiff_t job) {
    const std::ptrdiff_t first = job % task.chunks * task.chunk_parts;
    std::byte* partial = partials + job * bytes;
    reducer.clear(partial, task.unit_outputs);
    BoxFolder(task).run_parts(job / task.chunks, first, std::min(task.parts, first + task.chunk_parts), partial);
  });
  BoxFolder folder(task);
  for (std::ptrdiff_t unit = 0; unit < task.units; ++unit) {
    PairwiseMerge pairwise_merge(reducer, task.unit_outputs, task.chunks, partials + jobs * bytes);
    for (std::ptrdiff_t chunk = 0; chunk < task.chunks; ++chunk) {
      reducer.merge(pairwise_merge.next(), partials + (unit * task.chunks + chunk) * bytes, task.unit_outputs);
      pairwise_merge.push();
    }
    reducer.clear(folder.accumulators(), task.unit_outputs);
    pairwise_merge.finish(folder.accumulators());
    folder.store_unit(unit, folder.accumulators());
  }
}

}  // namespace

void run_boxes(const ReductionTask& arranged) {
  OperandStorage storage(arranged.space.operands.size());
  BoxTask task{.reduction = arranged.reduction, .space = {.operands = storage.empty()}};
  cut_in_boxes(arranged, task);
  if (task.chunks > 1) return run_chunks(task);
  const std::ptrdiff_t elements = arranged.outputs * arranged.reduced;
  const bool alone = !task.reduction.parallel || elements < parallel_threshold;
  const std::ptrdiff_t tasks = alone ? 1 : std::max<std::ptrdiff_t>(1, std::min(task.units, elements / task_elements));
  if (tasks == 1) return BoxFolder(task).run(0, task.units);
  parallel_for(tasks,
               [&](std::ptrdiff_t i) { BoxFolder(task).run(task.units * i / tasks, task.units * (i + 1) / tasks); });
}

}  // namespace tessera::plan
