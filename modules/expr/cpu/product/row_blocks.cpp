module;
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Cutting products into rows for what takes whole rows of them.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t block_bytes = std::ptrdiff_t{256} * 1024;  // of values: they stay in the L2 cache,
constexpr std::ptrdiff_t block_rows = 128;  // but so many rows, for each block reads the whole right factor,
constexpr std::ptrdiff_t most_bytes = std::ptrdiff_t{1024} * 1024;  // unless these are more
constexpr std::ptrdiff_t thread_rows = 64;                          // for each thread; fewer are better cut by columns
constexpr std::ptrdiff_t kernel_rows = 14;  // of the tallest kernel: a few blocks of it leave none that is lower
constexpr std::ptrdiff_t most_rows = most_block_rows / kernel_rows * kernel_rows;  // which are multiplied in one go

/// 0 for the longest rows, whose bytes cannot be counted.
std::ptrdiff_t rows_in(std::ptrdiff_t bytes, const TiledProduct& p) { return bytes / item_size(p.dtype) / p.columns; }

/// Ways whose values are the same however rows are cut, and for which that costs nothing.
bool can_cut(const TiledProduct& p, ProductWay way) {
  return way != ProductWay::nothing && way < ProductWay::blas_matrices && p.b_loop == nullptr &&
         !is_symmetric_product(p, way);
}

/// From the shape alone, and the number of tiles of which the machine can make use.
RowBlocks cut(const TiledProduct& p) {
  if (!can_cut(p, way_of(p, p.columns)) || std::min(p.rows, block_rows) > rows_in(most_bytes, p)) return {};
  const std::ptrdiff_t tiles = tiles_for_threads(p);
  if (tiles > 1 && p.rows < thread_rows * tiles) return {};
  const std::ptrdiff_t fitting = std::clamp(rows_in(block_bytes, p), block_rows, most_rows);
  const std::ptrdiff_t rounds = (p.rows - 1) / (fitting * tiles) + 1;
  const std::ptrdiff_t count = rounds * tiles;  // nobody waits for the last one
  std::ptrdiff_t rows = (p.rows - 1) / count + 1;
  if (rows >= 8 * kernel_rows) rows = ((rows - 1) / kernel_rows + 1) * kernel_rows;
  return {rows, std::max<std::ptrdiff_t>((p.rows - 2) / rows + 1, 1)};
}

/// Rows of a product, whose values are at `values`.
struct Rows {
  std::ptrdiff_t first, count;
  std::byte* values;
  bool parallel;  // what is done with them may use all threads
};

Rows rows_of(const TiledProduct& p, const RowBlocks& blocks, std::ptrdiff_t number) {
  const std::ptrdiff_t first = number * blocks.rows;
  return {first, number + 1 == blocks.count ? p.rows - first : blocks.rows, nullptr, blocks.count == 1};
}

TiledProduct part(const TiledProduct& whole, const Rows& rows) {
  TiledProduct p = whole;
  p.rows = rows.count;
  p.a_first += rows.first;
  if (p.a != nullptr) p.a = static_cast<const std::byte*>(p.a) + rows.first * whole.a_row * item_size(whole.a_type);
  return p;
}

std::ptrdiff_t value_bytes(const TiledProduct& p, const Rows& rows) {
  return (rows.count * p.columns * item_size(p.dtype) + 63) / 64 * 64;
}

/// Of the values and the workspace, for the larger of a first and the last block.
std::ptrdiff_t task_bytes(const TiledProduct& p, const RowBlocks& blocks, ProductWay way) {
  const auto bytes = [&](const Rows& rows) { return value_bytes(p, rows) + workspace_bytes(part(p, rows), way); };
  return std::max(bytes(rows_of(p, blocks, 0)), bytes(rows_of(p, blocks, blocks.count - 1)));
}

/// Calls body with all rows, some after the other or at the same time.
template <class Body>
void for_rows(const TiledProduct& p, const RowBlocks& blocks, const Body& body) {
  if (blocks.count == 0) {
    const Temporary values(p.place,
                           core::checked_multiply(core::checked_multiply(p.rows, p.columns), item_size(p.dtype)));
    run_product(p, {values.data(), p.columns});
    return body(Rows{0, p.rows, static_cast<std::byte*>(values.data()), true});
  }
  const ProductWay way = way_of(p, p.columns);
  TaskMemory memory(blocks.count, task_bytes(p, blocks, way));
  const auto run_one = [&](std::ptrdiff_t number) {
    memory.use([&](std::byte* values) {
      Rows rows = rows_of(p, blocks, number);
      multiply(part(p, rows), way, values, p.columns, values + value_bytes(p, rows));
      rows.values = values;
      body(rows);
    });
  };
  blocks.count == 1 ? run_one(0) : parallel_for(blocks.count, run_one);
}

/// Moves leaves to the rows, that of the product to their values.
void move_to(const Rows& rows, const TiledProduct& product, MovableLeaves& leaves) {
  leaves.advance(0, rows.first);
  leaves.all()[static_cast<std::size_t>(product.leaf)].data = rows.values;
}

Operand moved_target(const Operand& target, const Rows& rows) {
  Operand moved = target;
  moved.data += rows.first * target.strides[0] * target.item;
  return moved;
}

}  // namespace

RowBlocks row_blocks(const Reduction& reduction, const TiledProduct& product) {
  const RowBlocks blocks = cut(product);
  if (blocks.count <= 1) return blocks;
  // Side by side, the order of the additions would depend on the number of rows.
  const ReductionPlan plan = plan_of(reduction);
  return plan.way == ReductionPlan::Way::units && !plan.by_columns ? blocks : RowBlocks{};
}

RowBlocks row_blocks(const Loop& loop, const Normalisation& normalisation, bool copies, const TiledProduct& product) {
  const RowBlocks blocks = cut(product);
  if (blocks.count <= 1) return blocks;
  const NormalisationPlan plan = plan_of(loop, normalisation, copies);
  return plan.by_columns || plan.in_pool ? RowBlocks{} : blocks;
}

ProductPlan plan_of_rows(const TiledProduct& product, const RowBlocks& blocks) {
  if (blocks.count == 0) return plan_of({.matrices = product}, {.data = nullptr, .row = product.columns});
  ProductPlan plan = plan_of_tiled(part(product, rows_of(product, blocks, 0)));
  plan.batch.matrices = product;
  plan.way = way_of(product, product.columns);
  plan.grid = {.down = blocks.count, .across = 1};
  plan.tasks = blocks.count;
  return plan;
}

void run_reduction(const Reduction& reduction, const std::optional<TiledProduct>& product) {
  if (!product) return run(reduction);
  for_rows(*product, row_blocks(reduction, *product), [&](const Rows& rows) {
    MovableLeaves leaves(reduction.leaves);
    move_to(rows, *product, leaves);
    Reduction some = reduction;
    some.extents[0] = rows.count;
    some.target = moved_target(reduction.target, rows);
    some.leaves = leaves.all();
    some.parallel = rows.parallel;
    run(some);
  });
}

void run_normalisation(const Loop& loop, const Normalisation& normalisation, bool copies,
                       const std::optional<TiledProduct>& product) {
  if (!product) return run_normalised(loop, normalisation, copies);
  for_rows(*product, row_blocks(loop, normalisation, copies, *product), [&](const Rows& rows) {
    MovableLeaves outer(loop.leaves), leaves(normalisation.leaves);
    outer.advance(0, rows.first);
    move_to(rows, *product, leaves);
    Loop some = loop;
    some.extents[0] = rows.count;
    some.target = moved_target(loop.target, rows);
    some.leaves = outer.all();
    some.parallel = loop.parallel && rows.parallel;
    Normalisation normalised = normalisation;
    normalised.leaves = leaves.all();
    run_normalised(some, normalised, copies);
  });
}

}  // namespace tessera::plan
