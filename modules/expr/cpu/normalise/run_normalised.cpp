module;
#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The evaluator of normalisations: whole rows in the L1 cache, long rows in parts, columns in tiles that fit the L2 cache.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

constexpr std::ptrdiff_t rows_per_step = 16;
constexpr std::ptrdiff_t scratch_bytes = std::ptrdiff_t{1} << 20;  // above it, memory comes from the pool

/// One thread's share, in memory that the caller provides.
class Normalising {
 public:
  static std::ptrdiff_t bytes_for(const NormaliseTask& task) {
    const auto operands = static_cast<std::ptrdiff_t>(task.space.operands.size() * sizeof(std::ptrdiff_t));
    return Values::bytes_for(task.leaves().size()) + 2 * Pieces::padded(operands) + delivery_bytes(task) +
           Pieces::padded(task.stored() * task.item()) + Pieces::padded(block_elements * task.item()) +
           Pieces::padded(part_bytes(task)) + 4 * Pieces::padded(task.unit * 8) + Pieces::padded(task.unit * 8) +
           Pieces::padded(task.unit * static_cast<std::ptrdiff_t>(sizeof(Moments)));
  }

  Normalising(const NormaliseTask& task, std::byte* memory)
      : task_(task),
        arithmetic_(*task.normalisation.arithmetic),
        pieces_(memory),
        values_(task.leaves(), task.normalisation.kernel, task.normalisation.nodes, task.item(),
                pieces_.take(Values::bytes_for(task.leaves().size()))),
        offsets_(take_offsets()),
        here_(take_offsets()),
        delivery_(pieces_.take(delivery_bytes(task))),
        stored_(pieces_.take(task.stored() * task.item())),
        block_(pieces_.take(block_elements * task.item())),
        parts_(pieces_.take(part_bytes(task))) {
    std::byte* const c[] = {column_piece(), column_piece(), column_piece(), column_piece(), column_piece()};
    std::byte* moments = pieces_.take(task.unit * static_cast<std::ptrdiff_t>(sizeof(Moments)));
    const auto n = static_cast<std::size_t>(task.unit);
    columns_ = {c[0], c[1], c[2], c[3], new (c[4]) double[n], new (moments) Moments[n]};
  }

  void run(std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t unit = first; unit < last; ++unit) {
      const std::ptrdiff_t width = place(unit);
      if (task_.by_columns) {
        normalise_columns(width);
      } else if (task_.whole_rows()) {
        normalise_rows(width);
      } else {
        normalise_long_row();
      }
    }
  }

 private:
  static std::ptrdiff_t input_bytes(const NormaliseTask& task) {
    return Pieces::padded(static_cast<std::ptrdiff_t>(task.loop.leaves.size() * sizeof(Input)));
  }
  /// The kernel's inputs, and buffers for them and the target.
  static std::ptrdiff_t delivery_bytes(const NormaliseTask& task) {
    return input_bytes(task) + static_cast<std::ptrdiff_t>(1 + task.loop.leaves.size()) * packing_stride;
  }
  static std::ptrdiff_t part_bytes(const NormaliseTask& task) {
    if (task.by_columns || task.whole_rows()) return 0;
    const std::ptrdiff_t inner = task.extent(task.last());
    return task.n / inner * ((inner - 1) / block_elements + 1) * task.normalisation.arithmetic->part_bytes;
  }
  std::ptrdiff_t* take_offsets() {
    const std::size_t n = task_.space.operands.size();
    return new (pieces_.take(static_cast<std::ptrdiff_t>(n * sizeof(std::ptrdiff_t)))) std::ptrdiff_t[n];
  }
  std::byte* column_piece() { return pieces_.take(task_.unit * 8); }

  /// Moves to the unit's first row or column; the number of them.
  std::ptrdiff_t place(std::ptrdiff_t unit) { return task_.space.place(offsets_, task_.kept, task_.unit, unit); }

  /// Moves `here_` to position (row, column) of a grid on the last kept and the reduced axis, from the unit's beginning.
  void step_to(const Block& grid, std::ptrdiff_t row, std::ptrdiff_t column) {
    std::copy_n(offsets_, task_.space.operands.size(), here_);
    if (grid.row_axis >= 0) task_.space.move(here_, grid.row_axis, row);
    task_.space.move(here_, grid.column_axis, column);
  }

  const std::byte* lying() const { return task_.leaves()[0].data + leaf_offsets(offsets_)[0] * task_.leaves()[0].item; }
  std::ptrdiff_t* leaf_offsets(std::ptrdiff_t* offsets) const { return offsets + 1 + task_.loop.leaves.size(); }
  std::byte* target(const std::ptrdiff_t* offsets) const {
    return task_.space.operands[0].data + offsets[0] * task_.space.operands[0].item;
  }

  /// Calls body(block, row, column) for blocks that cover the grid, none larger than block_elements.
  template <class Body>
  static void for_each_block(const Block& grid, const Body& body) {
    const std::ptrdiff_t columns = std::min(grid.columns, block_elements);
    const std::ptrdiff_t rows = std::min(grid.rows, block_elements / columns);
    for (std::ptrdiff_t row = 0; row < grid.rows; row += rows) {
      for (std::ptrdiff_t column = 0; column < grid.columns; column += columns) {
        Block block = grid;
        block.rows = std::min(rows, grid.rows - row);
        block.columns = std::min(columns, grid.columns - column);
        body(block, row, column);
      }
    }
  }

  /// Computes the grid's values into `stored_`, row after row.
  void compute(const Block& grid) {
    for_each_block(grid, [&](const Block& block, std::ptrdiff_t row, std::ptrdiff_t column) {
      step_to(grid, row, column);
      std::byte* to = stored_ + (row * grid.columns + column) * task_.item();
      const std::byte* values = values_.block(block, leaf_offsets(here_), to);
      if (values != to) std::copy_n(values, block.rows * block.columns * task_.item(), to);
    });
  }

  /// Puts a block of results, which lie one after the other, through the rest of the expression. `here_` is its position.
  void emit(const Block& block, const std::byte* results) {
    const Operand& to = task_.space.operands[0];
    if (task_.copies) return unpack(to, block, here_[0], results);
    auto* delivered = new (delivery_) Input[task_.loop.leaves.size()];
    for (std::size_t k = 0; k < task_.loop.leaves.size(); ++k) {
      if (k == at(task_.normalisation.leaf)) {
        delivered[k].read(results);
      } else {
        deliver(task_.space.operands[k + 1], block, here_[k + 1], to.item, packed(k + 1), delivered[k]);
      }
    }
    const bool direct = is_direct(to, block);
    std::byte* out = direct ? target(here_) : packed(0);
    task_.loop.kernel(task_.loop.nodes, out, delivered, block.rows * block.columns);
    if (!direct) unpack(to, block, here_[0], out);
  }

  std::byte* packed(std::size_t operand) const {
    return delivery_ + input_bytes(task_) + static_cast<std::ptrdiff_t>(operand) * packing_stride;
  }

  void emit_all(const Block& grid) {
    for_each_block(grid, [&](const Block& block, std::ptrdiff_t row, std::ptrdiff_t column) {
      step_to(grid, row, column);
      emit(block, stored_ + (row * grid.columns + column) * task_.item());
    });
  }

  void normalise_rows(std::ptrdiff_t rows) {
    const Block grid{.rows = rows, .columns = task_.n, .row_axis = task_.last_kept(), .column_axis = task_.last()};
    const bool lies = task_.lies();
    if (!lies) compute(grid);
    const std::ptrdiff_t from_stride = lies ? (grid.row_axis < 0 ? 0 : row_stride(task_.leaves()[0], grid)) : task_.n;
    const std::byte* from = lies ? lying() : stored_;
    if (task_.straight()) {
      const std::ptrdiff_t to_stride = grid.row_axis < 0 ? 0 : row_stride(task_.space.operands[0], grid);
      arithmetic_.rows(from, from_stride, target(offsets_), to_stride, rows, task_.n, task_.normalisation.epsilon);
    } else {
      arithmetic_.rows(from, from_stride, stored_, task_.n, rows, task_.n, task_.normalisation.epsilon);
      emit_all(grid);
    }
  }

  /// Moves `here_` to value number `index` of the row; how many, with it, are left on the last axis, in one block.
  std::ptrdiff_t seek(std::ptrdiff_t index) {
    std::copy_n(offsets_, task_.space.operands.size(), here_);
    return std::min(task_.space.seek(here_, task_.kept, index), block_elements);
  }

  void normalise_long_row() {
    const bool stores = task_.stored() > 0;
    Block block{.rows = 1, .columns = 1, .row_axis = -1, .column_axis = task_.last()};
    std::ptrdiff_t parts = 0;
    for (std::ptrdiff_t index = 0; index < task_.n; index += block.columns, ++parts) {
      block.columns = seek(index);
      std::byte* to = stored_ + (stores ? index * task_.item() : 0);
      const std::byte* values = values_.block(block, leaf_offsets(here_), to);
      arithmetic_.part(parts_ + parts * arithmetic_.part_bytes, values, to, block.columns);
      if (stores && !arithmetic_.changes_values && values != to) std::copy_n(values, block.columns * task_.item(), to);
    }
    arithmetic_.finalize(parts_, parts, task_.normalisation.epsilon);
    parts = 0;
    for (std::ptrdiff_t index = 0; index < task_.n; index += block.columns, ++parts) {
      block.columns = seek(index);
      const std::byte* from =
          stores ? stored_ + index * task_.item() : values_.block(block, leaf_offsets(here_), nullptr);
      std::byte* to = task_.straight() ? target(here_) : block_;
      arithmetic_.finish(parts_ + parts * arithmetic_.part_bytes, from, to, block.columns);
      if (!task_.straight()) emit(block, block_);
    }
  }

  void normalise_columns(std::ptrdiff_t width) {
    const Block grid{.rows = task_.n, .columns = width, .row_axis = task_.last(), .column_axis = task_.last_kept()};
    const bool lies = task_.lies();
    if (!lies) compute(grid);
    const std::ptrdiff_t from_stride = lies ? row_stride(task_.leaves()[0], grid) : width;
    const std::byte* from = lies ? lying() : stored_;
    const std::ptrdiff_t from_step = from_stride * task_.item();
    arithmetic_.begin_columns(columns_, width);
    for (std::ptrdiff_t row = 0; row < task_.n; row += rows_per_step) {
      const std::ptrdiff_t rows = std::min(rows_per_step, task_.n - row);
      arithmetic_.observe_columns(columns_, from + row * from_step, from_stride, rows, width);
    }
    for (std::ptrdiff_t row = 0; row < task_.n; row += rows_per_step) {
      const std::ptrdiff_t rows = std::min(rows_per_step, task_.n - row);
      std::byte* to = arithmetic_.changes_values ? stored_ + row * width * task_.item() : nullptr;
      arithmetic_.change_columns(columns_, from + row * from_step, from_stride, to, width, rows, width);
    }
    arithmetic_.finalize_columns(columns_, width, task_.normalisation.epsilon);
    const bool stored = !lies || arithmetic_.changes_values;
    finish_columns(grid, stored ? stored_ : from, stored ? width : from_stride);
  }

  void finish_columns(const Block& grid, const std::byte* from, std::ptrdiff_t from_stride) {
    if (task_.straight()) {
      arithmetic_.finish_columns(columns_, from, from_stride, target(offsets_),
                                 row_stride(task_.space.operands[0], grid), grid.rows, grid.columns);
      return;
    }
    for_each_block(grid, [&](const Block& block, std::ptrdiff_t row, std::ptrdiff_t column) {
      step_to(grid, row, column);
      arithmetic_.finish_columns(columns_, from + row * from_stride * task_.item(), from_stride, block_, block.columns,
                                 block.rows, block.columns);
      emit(block, block_);
    });
  }

  const NormaliseTask& task_;
  const Normaliser& arithmetic_;
  Pieces pieces_;
  Values values_;
  std::ptrdiff_t* offsets_;  // of the unit, one for each operand
  std::ptrdiff_t* here_;
  std::byte* delivery_;
  std::byte* stored_;
  std::byte* block_;
  std::byte* parts_;
  ColumnState columns_;
};

/// Cuts the work unless there is none; returns into how many parts that may run at the same time.
std::ptrdiff_t cut(NormaliseTask& task) {
  const Loop& loop = task.loop;
  for (int axis = 0; axis < loop.rank; ++axis) {
    if (loop.extents[at(axis)] == 0) return 0;
  }
  divide(task);
  const std::ptrdiff_t elements = task.outputs * task.n;
  const bool parallel = loop.parallel && elements >= parallel_threshold;
  return parallel ? std::min(task.units, std::max<std::ptrdiff_t>(1, elements / task_elements)) : 1;
}

}  // namespace

NormalisationPlan plan_of(const Loop& loop, const Normalisation& work, bool copies) {
  OperandStorage storage(1 + loop.leaves.size() + work.leaves.size());
  NormaliseTask task{.loop = loop, .normalisation = work, .copies = copies, .space = {.operands = storage.empty()}};
  const std::ptrdiff_t tasks = cut(task);
  return {.by_columns = task.by_columns,
          .whole_rows = tasks > 0 && task.whole_rows(),
          .rows = tasks > 0 ? task.outputs : 0,
          .length = task.n,
          .unit = task.unit,
          .tasks = tasks,
          .in_pool = tasks > 0 && Normalising::bytes_for(task) > scratch_bytes};
}

void run_normalised(const Loop& loop, const Normalisation& work, bool copies) {
  if (!loop.place.on_host()) return run_normalised_on_device(loop, work);
  OperandStorage storage(1 + loop.leaves.size() + work.leaves.size());
  NormaliseTask task{.loop = loop, .normalisation = work, .copies = copies, .space = {.operands = storage.empty()}};
  const std::ptrdiff_t tasks = cut(task);
  if (tasks == 0) return;
  const std::ptrdiff_t bytes = Normalising::bytes_for(task);
  std::optional<Workspaces> workspaces;
  if (bytes > scratch_bytes) workspaces.emplace(tasks, bytes);
  const auto run_task = [&](std::ptrdiff_t i) {
    const std::ptrdiff_t first = task.units * i / tasks;
    const std::ptrdiff_t last = task.units * (i + 1) / tasks;
    if (!workspaces) return Normalising(task, scratch(bytes)).run(first, last);
    const Workspaces::Piece piece(*workspaces);
    Normalising(task, piece.data()).run(first, last);
  };
  if (tasks == 1) return run_task(0);
  parallel_for(tasks, run_task);
}

}  // namespace tessera::plan
