module;
#include <algorithm>
#include <cstddef>
#include <new>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Folding along rows and side by side along columns.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t rows_per_partial = 64;  // rows folded side by side before a merge
constexpr std::ptrdiff_t tile_elements = 4096;   // computed values that are folded side by side
constexpr std::ptrdiff_t tile_columns = 512;
constexpr std::ptrdiff_t rows_in_tree = 8;      // that reducers add up before they touch the accumulators
constexpr std::ptrdiff_t narrow_columns = 128;  // below it, several rows of a tile are computed at once
constexpr std::ptrdiff_t longest_part = std::ptrdiff_t{16} * 1024;    // of values that lie in memory, in one go
constexpr std::ptrdiff_t computed_bytes = std::ptrdiff_t{16} * 1024;  // of computed values, in one go
constexpr std::ptrdiff_t most_together = 64;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

bool lies_in_rows(const ReductionTask& task) {
  const Operand& leaf = task.space.operands[1];
  return task.reduction.kernel == nullptr && leaf.data != nullptr && leaf.strides[at(task.last_reduced())] == 1;
}

/// Values that are computed in one go where nothing is packed: they stay in the L1 cache, and the cost of a call is shared by many.
std::ptrdiff_t longest_computed(const ReductionTask& task) {
  const Reducer& reducer = *task.reduction.reducer;
  const std::ptrdiff_t most = std::clamp(computed_bytes / reducer.value_bytes, block_elements, tile_elements);
  return reducer.lanes > 0 ? std::min(most, most_in_lane * reducer.lanes) : most;
}

std::ptrdiff_t accumulator_bytes(const ReductionTask& task) {
  return std::max(task.unit_outputs, rows_together(task)) * task.reduction.reducer->accumulator_bytes;
}

std::ptrdiff_t pairwise_bytes(const ReductionTask& task) {
  return PairwiseMerge::bytes_for(task.reduced, task.unit_outputs * task.reduction.reducer->accumulator_bytes);
}

std::ptrdiff_t offset_bytes(const ReductionTask& task) {
  return static_cast<std::ptrdiff_t>(task.space.operands.size() * sizeof(std::ptrdiff_t));
}

std::ptrdiff_t memory_bytes(const ReductionTask& task) {
  return Values::bytes_for(task.space.operands.size() - 1) + RowInputs::bytes_for(task.reduction) +
         3 * Pieces::padded(offset_bytes(task)) + Pieces::padded(tile_elements * task.reduction.reducer->value_bytes) +
         Pieces::padded(accumulator_bytes(task)) + pairwise_bytes(task);
}

std::ptrdiff_t* zeros(std::byte* memory, std::size_t n) {
  auto* offsets = new (memory) std::ptrdiff_t[n];
  std::fill_n(offsets, n, 0);
  return offsets;
}

}  // namespace

std::ptrdiff_t rows_together(const ReductionTask& task) {
  const bool one_axis = task.space.rank == task.kept + 1 && task.kept > 0;
  if (task.by_columns || !one_axis) return 1;
  const std::ptrdiff_t row = task.extent(task.last_kept());
  if (lies_in_rows(task) && task.reduced <= longest_part) return std::min(most_together, row);
  if (folds_in_lanes(task.reduction, task.reduced) &&
      Values::pack_nothing(task.space.operands.subspan(1), task.last_reduced()))
    return task.reduced <= longest_computed(task) ? std::min(RowInputs::most_rows, row) : 1;
  const std::ptrdiff_t most = folds_in_lanes(task.reduction, task.reduced) ? RowInputs::most_rows : block_elements;
  return task.reduced <= block_elements / 2 ? std::min({block_elements / task.reduced, row, most}) : 1;
}

Folder::Folder(const ReductionTask& task)
    : task_(task),
      reducer_(*task.reduction.reducer),
      memory_(scratch(memory_bytes(task))),
      values_(task.space.operands.subspan(1), task.reduction.kernel, task.reduction.nodes, reducer_.value_bytes,
              memory_.take(Values::bytes_for(task.space.operands.size() - 1))),
      row_inputs_(task.space.operands.subspan(1), reducer_.value_bytes, reducer_.lanes,
                  memory_.take(RowInputs::bytes_for(task.reduction))),
      offsets_(zeros(memory_.take(offset_bytes(task)), task.space.operands.size())),
      moved_(zeros(memory_.take(offset_bytes(task)), task.space.operands.size())),
      here_(zeros(memory_.take(offset_bytes(task)), task.space.operands.size())),
      buffer_(memory_.take(tile_elements * reducer_.value_bytes)),
      accumulators_(memory_.take(accumulator_bytes(task))),
      pairwise_(memory_.take(pairwise_bytes(task))) {}

void Folder::run(std::ptrdiff_t first, std::ptrdiff_t last) {
  const std::ptrdiff_t together = rows_together(task_);
  const std::ptrdiff_t row = task_.kept == 0 ? 1 : task_.extent(task_.last_kept());
  for (std::ptrdiff_t unit = first; unit < last;) {
    std::ptrdiff_t width;  // outputs of this round
    if (together > 1) {
      width = std::min({together, row - unit % row, last - unit});
      fold_together(unit, width);
      unit += width;
    } else {
      reducer_.clear(accumulators_, task_.unit_outputs);
      width = place(unit);
      fold(unit, 0, task_.reduced, accumulators_);
      ++unit;
    }
    store(accumulators_, width);
  }
}

void Folder::fold(std::ptrdiff_t unit, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
  const std::ptrdiff_t width = place(unit);
  if (task_.by_columns) {
    fold_columns(width, first, last, accumulators);
  } else {
    fold_row(first, last, accumulators);
  }
}

std::ptrdiff_t Folder::place(std::ptrdiff_t unit) {
  return task_.space.place(offsets_, task_.kept, task_.unit_outputs, unit);
}

void Folder::store(const std::byte* accumulators, std::ptrdiff_t width) const {
  const Operand& target = task_.space.operands.front();
  const std::ptrdiff_t stride = task_.kept == 0 ? 0 : target.strides[at(task_.last_kept())];
  task_.reduction.store(target.data + offsets_[0] * target.item, stride, accumulators, width, task_.reduction.finish);
}

/// Moves to value number `index` of the reduced axes; how many values, with it, are left on the last of them.
std::ptrdiff_t Folder::seek(std::ptrdiff_t index) {
  std::copy_n(offsets_, task_.space.operands.size(), moved_);
  return task_.space.seek(moved_, task_.kept, index);
}

/// Whole rows that lie along the last kept axis: in memory, or so short that several share a block.
void Folder::fold_together(std::ptrdiff_t unit, std::ptrdiff_t rows) {
  reducer_.clear(accumulators_, rows);
  place(unit);
  const std::ptrdiff_t columns = task_.extent(task_.last_reduced());
  const Operand& leaf = task_.space.operands[1];
  Block block{.rows = rows, .columns = columns, .row_axis = task_.last_kept(), .column_axis = task_.last_reduced()};
  if (folds_as_computed(columns)) {
    const Reduction& reduction = task_.reduction;
    return reduction.folds.rows(reduction.nodes, accumulators_, row_inputs_.read(block, offsets_ + 1),
                                {.sets = 1, .rows = rows, .n = columns});
  }
  if (values_.lie_along(block.column_axis)) {
    return reducer_.rows(accumulators_, leaf.data + offsets_[1] * leaf.item, rows, row_stride(leaf, block), columns, 0);
  }
  const std::ptrdiff_t together = std::max<std::ptrdiff_t>(1, block_elements / columns);
  std::copy_n(offsets_, task_.space.operands.size(), here_);
  for (std::ptrdiff_t row = 0; row < rows; row += together) {
    block.rows = std::min(together, rows - row);
    reducer_.rows(accumulators_ + row * reducer_.accumulator_bytes, values_.block(block, here_ + 1, buffer_),
                  block.rows, columns, columns, 0);
    task_.space.move(here_, block.row_axis, block.rows);
  }
}

void Folder::fold_row(std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
  PairwiseMerge pairwise_merge(reducer_, 1, task_.reduced, pairwise_);
  for (std::ptrdiff_t index = first; index < last;) {
    index += fold_part(index, last - index, pairwise_merge.next());
    pairwise_merge.push();
  }
  pairwise_merge.finish(accumulators);
}

std::ptrdiff_t Folder::fold_part(std::ptrdiff_t index, std::ptrdiff_t most, std::byte* partial) {
  const std::ptrdiff_t longest = values_.lie_along(task_.last_reduced())      ? longest_part
                                 : values_.pack_nothing(task_.last_reduced()) ? longest_computed(task_)
                                                                              : block_elements;
  const std::ptrdiff_t n = std::min({seek(index), most, longest});
  const Block block{.rows = 1, .columns = n, .row_axis = -1, .column_axis = task_.last_reduced()};
  if (folds_as_computed(n)) {
    const Reduction& reduction = task_.reduction;
    reduction.folds.rows(reduction.nodes, partial, row_inputs_.read(block, moved_ + 1), {.sets = 1, .rows = 1, .n = n});
  } else {
    reducer_.row(partial, values_.block(block, moved_ + 1, buffer_), n, index);
  }
  return n;
}

void Folder::fold_columns(std::ptrdiff_t width, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators) {
  const auto fold_rows = [&](std::ptrdiff_t index, std::ptrdiff_t end, std::byte* partial) {
    while (index < end) {
      const std::ptrdiff_t rows = std::min(seek(index), end - index);
      fold_side_by_side(rows, width, index, partial);
      index += rows;
    }
  };
  if (last - first <= rows_per_partial) return fold_rows(first, last, accumulators);
  PairwiseMerge pairwise_merge(reducer_, width, task_.reduced, pairwise_);
  for (std::ptrdiff_t index = first; index < last; index += rows_per_partial) {
    fold_rows(index, std::min(last, index + rows_per_partial), pairwise_merge.next());
    pairwise_merge.push();
  }
  pairwise_merge.finish(accumulators);
}

/// Values that lie in memory are folded where they are, whole rows of them, which suits the prefetcher; computed ones in tiles.
void Folder::fold_side_by_side(std::ptrdiff_t rows, std::ptrdiff_t width, std::ptrdiff_t index, std::byte* partial) {
  if (values_.lie_along(task_.last_kept())) {
    const Operand& leaf = task_.space.operands[1];
    reducer_.columns(partial, leaf.data + moved_[1] * leaf.item, rows, leaf.strides[at(task_.last_reduced())], width,
                     index);
    return;
  }
  if (folds_as_computed(width)) return fold_columns_as_computed(rows, width, partial);
  const std::ptrdiff_t together =
      std::max(rows_in_tree, tile_elements / std::min(width, tile_columns) / rows_in_tree * rows_in_tree);
  for_tiles(rows, width, together, tile_columns, [&](const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column) {
    fold_tile(tile, row, column, index + row, partial + column * reducer_.accumulator_bytes);
  });
}

/// In tiles that are packed, or in whole rows where nothing is.
void Folder::fold_columns_as_computed(std::ptrdiff_t rows, std::ptrdiff_t width, std::byte* partial) {
  const Reduction& reduction = task_.reduction;
  const bool packs = !values_.pack_nothing(task_.last_kept());
  const std::ptrdiff_t widest = packs ? narrow_columns : width;
  const std::ptrdiff_t fitting = block_elements / std::min(width, narrow_columns) / rows_in_tree * rows_in_tree;
  const std::ptrdiff_t together = packs ? std::min(RowInputs::most_rows, fitting) : RowInputs::most_rows;
  for_tiles(rows, width, together, widest, [&](const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column) {
    move_to(tile, row, column);
    reduction.folds.columns(reduction.nodes, partial + column * reducer_.accumulator_bytes,
                            row_inputs_.read(tile, here_ + 1), {.sets = 1, .rows = tile.rows, .n = tile.columns});
  });
}

/// Calls body(tile, row, column) for parts of some rows side by side. No tile but the only one is narrower than the lanes of a vector, so that all columns are
/// folded in the same order however they are cut.
template <class Body>
void Folder::for_tiles(std::ptrdiff_t rows, std::ptrdiff_t width, std::ptrdiff_t together, std::ptrdiff_t widest,
                       const Body& body) const {
  for (std::ptrdiff_t row = 0; row < rows; row += together) {
    Block tile{.rows = std::min(together, rows - row),
               .columns = 0,
               .row_axis = task_.last_reduced(),
               .column_axis = task_.last_kept()};
    for (std::ptrdiff_t column = 0; column < width; column += tile.columns) {
      const std::ptrdiff_t left = width - column;
      tile.columns = left > widest && left - widest < reducer_.lanes ? widest / 2 : std::min(widest, left);
      body(tile, row, column);
    }
  }
}

/// Sets where a tile's first elements are.
void Folder::move_to(const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column) {
  std::copy_n(moved_, task_.space.operands.size(), here_);
  task_.space.move(here_, tile.column_axis, column);
  task_.space.move(here_, tile.row_axis, row);
}

void Folder::fold_tile(const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t index,
                       std::byte* partial) {
  Block block = tile;
  block.rows = tile.columns <= narrow_columns ? block_elements / tile.columns : 1;
  move_to(tile, row, column);
  for (std::ptrdiff_t r = 0; r < tile.rows; r += block.rows) {
    block.rows = std::min(block.rows, tile.rows - r);
    std::byte* to = buffer_ + r * tile.columns * reducer_.value_bytes;
    const std::byte* values = values_.block(block, here_ + 1, to);
    if (block.rows == tile.rows) return reducer_.columns(partial, values, tile.rows, tile.columns, tile.columns, index);
    if (values != to) std::copy_n(values, block.rows * tile.columns * reducer_.value_bytes, to);
    task_.space.move(here_, tile.row_axis, block.rows);
  }
  reducer_.columns(partial, buffer_, tile.rows, tile.columns, tile.columns, index);
}

}  // namespace tessera::plan
