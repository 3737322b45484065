module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <thread>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Cutting products into tiles, and batches of products into tasks.
namespace tessera::plan {

namespace {

// Of a tile: enough for the BLAS to come near its speed, and for a thread to be worth waking.
constexpr double flops_per_tile = 2e6;
// Of the largest product that OpenBLAS's AVX-512 kernels multiply without packing.
constexpr double small_kernel_flops = 2e6;
constexpr std::ptrdiff_t most_tiles = 64;
// Of a tile of the result, so that the elementwise work finds it in the cache.
constexpr std::ptrdiff_t most_tile_elements = std::ptrdiff_t{256} * 1024;
// Of a result that is kept on the stack for the elementwise work.
constexpr std::ptrdiff_t stack_bytes = 16384;

double flops(const TiledProduct& p) {
  return 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(std::max<std::ptrdiff_t>(p.inner, 1));
}

/// Tiles that the machine can work on at the same time. A number of the machine and not of set_num_threads: the BLAS gives an element
/// another rounding in another tile, and results do not depend on the number of threads.
std::ptrdiff_t machine_tiles() {
  static const std::ptrdiff_t cores =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()), 1, most_tiles);
  return cores;
}

/// A grid of tiles that depends on the shape and the machine only.
struct Grid : ProductGrid {
  /// At most `most` tiles for the sake of threads.
  Grid(const TiledProduct& p, std::ptrdiff_t most) {
    const double work = flops(p);
    if (work < 2 * small_kernel_flops) return;  // neither worth two threads nor several small products
    const bool real = p.dtype == DType::float32 || p.dtype == DType::float64;
    const bool wide = real && !p.bfloat16_factors && blas::has_avx512_kernels();
    const bool nearly_small = wide && work <= 4 * small_kernel_flops;  // four small products are faster than this one
    const double tiles = nearly_small ? 4 : std::min(work / flops_per_tile, static_cast<double>(most));
    if (tiles > 1) divide(p, static_cast<std::ptrdiff_t>(tiles), wide && p.dtype == DType::float64);
  }

  /// More tiles, until none has more than most_tile_elements.
  void limit_size(const TiledProduct& p) {
    for (;;) {
      const std::ptrdiff_t rows = (p.rows - 1) / down + 1;
      const std::ptrdiff_t columns = (p.columns - 1) / across + 1;
      if (rows <= most_tile_elements / columns) return;
      (rows >= columns ? down : across) *= 2;
      clamp(p);
    }
  }

 private:
  /// The factors of `tiles` for which the tiles read least: each column of tiles reads all of a, each row all of b. Where that makes no
  /// difference, `rows_first` prefers tiles above each other.
  void divide(const TiledProduct& p, std::ptrdiff_t tiles, bool rows_first) {
    double least = std::numeric_limits<double>::infinity();
    for (std::ptrdiff_t factor = 1; factor <= tiles; ++factor) {
      if (tiles % factor != 0) continue;
      const std::ptrdiff_t rows = rows_first ? tiles / factor : factor;
      const double read = static_cast<double>(rows) * static_cast<double>(p.columns) +
                          static_cast<double>(tiles / rows) * static_cast<double>(p.rows);
      if (read >= least) continue;
      least = read;
      down = rows;
      across = tiles / rows;
    }
    clamp(p);
  }

  void clamp(const TiledProduct& p) {
    down = std::clamp<std::ptrdiff_t>(down, 1, std::max<std::ptrdiff_t>(p.rows, 1));
    across = std::clamp<std::ptrdiff_t>(across, 1, std::max<std::ptrdiff_t>(p.columns, 1));
  }
};

struct Tile {
  std::ptrdiff_t row, rows, column, columns;
};

/// Tiles begin at multiples of 16 where there are enough rows and columns: whole vectors are faster.
std::ptrdiff_t tile_start(std::ptrdiff_t extent, std::ptrdiff_t number, std::ptrdiff_t count) {
  const std::ptrdiff_t start = extent / count * number + extent % count * number / count;
  return number == count || extent / count < 64 ? start : start / 16 * 16;
}

Tile tile_of(const TiledProduct& p, const ProductGrid& grid, std::ptrdiff_t number) {
  const std::ptrdiff_t i = number / grid.across;
  const std::ptrdiff_t j = number % grid.across;
  const std::ptrdiff_t row = tile_start(p.rows, i, grid.down);
  const std::ptrdiff_t column = tile_start(p.columns, j, grid.across);
  return {row, tile_start(p.rows, i + 1, grid.down) - row, column, tile_start(p.columns, j + 1, grid.across) - column};
}

std::ptrdiff_t largest_tile(const TiledProduct& p, const ProductGrid& grid) {
  std::ptrdiff_t most = 0;
  for (std::ptrdiff_t number = 0; number < grid.count(); ++number) {
    const Tile tile = tile_of(p, grid, number);
    most = std::max(most, tile.rows * tile.columns);
  }
  return most;
}

const void* moved(const void* data, std::ptrdiff_t bytes) { return static_cast<const std::byte*>(data) + bytes; }

std::ptrdiff_t factor_size(const TiledProduct& p) { return p.bfloat16_factors ? 2 : item_size(p.dtype); }

TiledProduct part(const TiledProduct& whole, const Tile& tile) {
  const std::ptrdiff_t item = factor_size(whole);
  TiledProduct p = whole;
  p.rows = tile.rows;
  p.columns = tile.columns;
  p.a = moved(whole.a, tile.row * whole.a_row * item);
  p.b = moved(whole.b, tile.column * whole.b_column * item);
  return p;
}

void run_tile(const TiledProduct& product, const ProductGrid& grid, std::ptrdiff_t number,
              const ProductTarget& target) {
  const Tile tile = tile_of(product, grid, number);
  const std::ptrdiff_t offset = (tile.row * target.row + tile.column) * item_size(product.dtype);
  multiply(part(product, tile), static_cast<std::byte*>(target.data) + offset, target.row);
}

/// Gives `body` the elementwise loop on one tile, which reads the product's tile from `values`.
template <class Body>
auto with_epilogue(const Loop& loop, const TiledProduct& product, const Tile& tile, const void* values,
                   const Body& body) {
  MovableLoop small(loop);
  small.reset_leaves();
  small.loop.parallel = false;
  small.loop.extents[0] = tile.rows;
  small.loop.extents[1] = tile.columns;
  small.advance_leaves(0, tile.row);
  small.advance_leaves(1, tile.column);
  small.place_target(loop, tile.row * loop.target.strides[0] + tile.column * loop.target.strides[1]);
  Operand& leaf = small.leaves()[static_cast<std::size_t>(product.leaf)];
  leaf.data = bytes_to_read(values);
  leaf.strides[0] = tile.columns;
  leaf.strides[1] = 1;
  return body(small.loop);
}

void run_epilogue(const Loop& loop, const TiledProduct& product, const Tile& tile, const void* values) {
  with_epilogue(loop, product, tile, values, [](const Loop& small) { run(small); });
}

/// Batch axes along which b repeats and the rows of a and c continue become rows: one larger product instead of many.
void merge_rows(BatchedProduct& batch, ProductTarget& target) {
  TiledProduct& p = batch.matrices;
  for (; batch.rank > 0; --batch.rank) {
    const auto last = static_cast<std::size_t>(batch.rank - 1);
    if (batch.extents[last] == 1) continue;
    const bool single = p.rows == 1;  // its stride to the next row says nothing
    const std::ptrdiff_t a_row = single ? batch.a_strides[last] : p.a_row;
    const std::ptrdiff_t c_row = single ? batch.c_strides[last] : target.row;
    const bool continues = batch.b_strides[last] == 0 && batch.a_strides[last] == p.rows * a_row &&
                           batch.c_strides[last] == p.rows * c_row && c_row >= p.columns;
    const std::ptrdiff_t rows = p.rows * batch.extents[last];
    if (!continues || !(is_blas_matrix(rows, p.inner, a_row, p.a_column) || !has_blas(p.dtype))) return;
    p.rows = rows;
    p.a_row = a_row;
    target.row = c_row;
  }
}

/// Visits the positions of the leading axes from number `first` on.
class BatchWalk {
 public:
  BatchWalk(const BatchedProduct& batch, const ProductTarget& target, std::ptrdiff_t first)
      : batch_(batch), target_(target) {
    for (int axis = batch.rank; axis-- > 0;) {
      position_[at(axis)] = first % batch.extents[at(axis)];
      first /= batch.extents[at(axis)];
      move(axis, position_[at(axis)]);
    }
  }

  TiledProduct product() const {
    TiledProduct p = batch_.matrices;
    const std::ptrdiff_t item = factor_size(p);
    p.a = moved(p.a, a_ * item);
    p.b = moved(p.b, b_ * item);
    return p;
  }
  ProductTarget target() const {
    return {static_cast<std::byte*>(target_.data) + c_ * item_size(batch_.matrices.dtype), target_.row};
  }

  void next() {
    for (int axis = batch_.rank; axis-- > 0;) {
      move(axis, 1);
      if (++position_[at(axis)] < batch_.extents[at(axis)]) return;
      move(axis, -position_[at(axis)]);
      position_[at(axis)] = 0;
    }
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  void move(int axis, std::ptrdiff_t count) {
    a_ += count * batch_.a_strides[at(axis)];
    b_ += count * batch_.b_strides[at(axis)];
    c_ += count * batch_.c_strides[at(axis)];
  }

  const BatchedProduct& batch_;
  const ProductTarget& target_;
  Axes position_{};
  std::ptrdiff_t a_ = 0, b_ = 0, c_ = 0;
};

/// Tasks for `count` products that are each done by one thread, several to a task.
std::ptrdiff_t tasks_of_whole(const TiledProduct& matrices, std::ptrdiff_t count) {
  const double work = flops(matrices) * static_cast<double>(count) / flops_per_tile;
  const auto most = std::min<std::ptrdiff_t>(count, 4 * num_threads());
  return work < static_cast<double>(most) ? std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(work), 1) : most;
}

void run_whole(const BatchedProduct& batch, const ProductTarget& target, std::ptrdiff_t count, std::ptrdiff_t tasks) {
  parallel_for(tasks, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = count / tasks * task + count % tasks * task / tasks;
    const std::ptrdiff_t last = count / tasks * (task + 1) + count % tasks * (task + 1) / tasks;
    BatchWalk walk(batch, target, first);
    for (std::ptrdiff_t number = first; number < last; ++number, walk.next())
      multiply(walk.product(), walk.target().data, target.row);
  });
}

/// The grid of one of `count` products.
ProductGrid grid_of(const TiledProduct& product, std::ptrdiff_t count) {
  return Grid(product, machine_tiles() / count);
}

/// Tiles whose values stay in the cache for the elementwise work.
ProductGrid grid_of_tiled(const TiledProduct& product) {
  Grid grid(product, machine_tiles());
  grid.limit_size(product);
  return grid;
}

void run(const ProductPlan& plan) {
  if (plan.products == 0) return;
  if (plan.grid.count() == 1) return run_whole(plan.batch, plan.target, plan.products, plan.tasks);
  parallel_for(plan.tasks, [&](std::ptrdiff_t number) {
    const BatchWalk walk(plan.batch, plan.target, number / plan.grid.count());
    run_tile(walk.product(), plan.grid, number % plan.grid.count(), walk.target());
  });
}

}  // namespace

ProductPlan plan_of(BatchedProduct batch, ProductTarget target) {
  if (!batch.matrices.place.on_host()) return plan_on_device(std::move(batch), target);
  merge_rows(batch, target);
  ProductPlan plan{.batch = batch, .target = target};
  const TiledProduct& matrices = plan.batch.matrices;
  std::ptrdiff_t count = matrices.rows == 0 || matrices.columns == 0 ? 0 : 1;
  for (int axis = 0; axis < batch.rank; ++axis) count *= batch.extents[static_cast<std::size_t>(axis)];
  if (count == 0) return plan;
  plan.products = count;
  plan.grid = grid_of(matrices, count);
  plan.tasks = plan.grid.count() == 1 ? tasks_of_whole(matrices, count) : count * plan.grid.count();
  plan.way = way_of(part(matrices, tile_of(matrices, plan.grid, 0)), target.row);
  return plan;
}

void run_product(const TiledProduct& product, const ProductTarget& target) {
  if (!product.place.on_host()) return run_on_device(plan_on_device({.matrices = product}, target));
  if (product.rows == 0 || product.columns == 0) return;
  const ProductGrid grid = grid_of(product, 1);  // as plan_of() has it, which would take longer than a small product
  if (grid.count() == 1) return multiply(product, target.data, target.row);
  parallel_for(grid.count(), [&](std::ptrdiff_t number) { run_tile(product, grid, number, target); });
}

void run_batch(BatchedProduct batch, ProductTarget target) {
  const ProductPlan plan = plan_of(std::move(batch), target);
  if (!plan.batch.matrices.place.on_host()) return run_on_device(plan);
  if (plan.products == 1) return run_product(plan.batch.matrices, plan.target);
  run(plan);
}

ProductPlan plan_of_tiled(const TiledProduct& product) {
  ProductPlan plan{.batch = {.matrices = product}, .target = {}};
  if (product.rows == 0 || product.columns == 0) return plan;
  plan.products = 1;
  plan.grid = grid_of_tiled(product);
  plan.tasks = plan.grid.count();
  const Tile tile = tile_of(product, plan.grid, 0);
  plan.way = way_of(part(product, tile), tile.columns);
  return plan;
}

LoopPlan plan_of_first_tile(const Loop& loop, const TiledProduct& product, const void* values) {
  const Tile tile = tile_of(product, grid_of_tiled(product), 0);
  return with_epilogue(loop, product, tile, values, [](const Loop& small) { return plan_of(small); });
}

void run_tiled(const Loop& loop, const TiledProduct& product) {
  if (product.rows == 0 || product.columns == 0) return;
  const ProductGrid grid = grid_of_tiled(product);
  const std::ptrdiff_t bytes = largest_tile(product, grid) * item_size(product.dtype);
  if (grid.count() == 1 && bytes <= stack_bytes) {
    alignas(64) std::byte values[stack_bytes];
    multiply(product, values, product.columns);
    return run_epilogue(loop, product, tile_of(product, grid, 0), values);
  }
  Workspaces tiles(grid.count(), bytes);
  parallel_for(grid.count(), [&](std::ptrdiff_t number) {
    const Tile tile = tile_of(product, grid, number);
    const Workspaces::Piece values(tiles);
    multiply(part(product, tile), values.data(), tile.columns);
    run_epilogue(loop, product, tile, values.data());
  });
}

}  // namespace tessera::plan
