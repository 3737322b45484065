module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
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

// Of a tile: enough for a thread to be worth waking.
constexpr double flops_per_tile = 2e6;
constexpr std::ptrdiff_t most_tiles = 64;
// Of a tile of the result, so that the elementwise work finds it in the cache.
constexpr std::ptrdiff_t most_tile_elements = std::ptrdiff_t{256} * 1024;

/// Operations, as many as would take the time. A matrix beside a vector is read at the speed of a cache or of memory, an element for one operation, which takes
/// eight times longer.
double flops(const TiledProduct& p) {
  const double products = static_cast<double>(p.rows) * static_cast<double>(p.columns) *
                          static_cast<double>(std::max<std::ptrdiff_t>(p.inner, 1));
  const bool reads_once = p.rows == 1 || p.columns == 1;
  return 2 * products * (reads_once ? 2.0 * static_cast<double>(item_size(p.dtype)) : 1.0);
}

/// Tiles that the machine can work on at the same time. A number of the machine and not of set_num_threads: a BLAS that the user has chosen gives
/// an element another rounding in another tile, and results do not depend on the number of threads.
std::ptrdiff_t machine_tiles() {
  static const std::ptrdiff_t cores =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()), 1, most_tiles);
  return cores;
}

/// A grid of tiles that depends on the shape and the machine only.
struct Grid : ProductGrid {
  /// At most `most` tiles for the sake of threads.
  Grid(const TiledProduct& p, std::ptrdiff_t most) {
    const auto tiles = static_cast<std::ptrdiff_t>(std::min(flops(p) / flops_per_tile, static_cast<double>(most)));
    if (tiles < 2) return;
    if (p.a_loop != nullptr || p.b_loop != nullptr) {
      cut_beside(p, tiles);
    } else {
      divide(p, tiles);
    }
  }

  /// More tiles, until none has more than most_tile_elements.
  void limit_size(const TiledProduct& p) {
    for (;;) {
      const std::ptrdiff_t rows = (p.rows - 1) / down + 1;
      const std::ptrdiff_t columns = (p.columns - 1) / across + 1;
      if (rows <= most_tile_elements / columns) return;
      const bool by_rows = p.a_loop != nullptr ? down < p.rows : rows >= columns;
      const bool by_columns = p.b_loop != nullptr && across < p.columns;
      (by_rows && !by_columns ? down : across) *= 2;
      clamp(p);
    }
  }

 private:
  /// Cuts beside the factor that is an expression, so that tiles do not evaluate the same elements of it, unless too few rows or columns are left
  /// for a kernel.
  void cut_beside(const TiledProduct& p, std::ptrdiff_t tiles) {
    constexpr std::ptrdiff_t least_rows = 16, least_columns = 32;
    const std::ptrdiff_t most_down = std::max<std::ptrdiff_t>(p.rows / least_rows, 1);
    const std::ptrdiff_t most_across = std::max<std::ptrdiff_t>(p.columns / least_columns, 1);
    if (p.a_loop != nullptr) {
      down = std::min(tiles, most_down);
      across = std::min(tiles / down, most_across);
    } else {
      across = std::min(tiles, most_across);
      down = std::min(tiles / across, most_down);
    }
  }

  /// The factors of `tiles` for which the tiles read least: each column of tiles reads all of a, each row all of b.
  void divide(const TiledProduct& p, std::ptrdiff_t tiles) {
    double least = std::numeric_limits<double>::infinity();
    for (std::ptrdiff_t rows = 1; rows <= tiles; ++rows) {
      if (tiles % rows != 0) continue;
      const std::ptrdiff_t columns = tiles / rows;
      const double read = static_cast<double>(rows) * static_cast<double>(p.columns) +
                          static_cast<double>(columns) * static_cast<double>(p.rows);
      if (read >= least) continue;
      least = read;
      down = rows;
      across = columns;
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
  if (grid.count() == 1) return {0, p.rows, 0, p.columns};
  const std::ptrdiff_t i = number / grid.across;
  const std::ptrdiff_t j = number % grid.across;
  const std::ptrdiff_t row = tile_start(p.rows, i, grid.down);
  const std::ptrdiff_t column = tile_start(p.columns, j, grid.across);
  return {row, tile_start(p.rows, i + 1, grid.down) - row, column, tile_start(p.columns, j + 1, grid.across) - column};
}

/// Nothing moves where a factor is evaluated instead of read.
const void* moved(const void* data, std::ptrdiff_t bytes) {
  return data == nullptr ? nullptr : static_cast<const std::byte*>(data) + bytes;
}

TiledProduct part(const TiledProduct& whole, const Tile& tile) {
  TiledProduct p = whole;
  p.rows = tile.rows;
  p.columns = tile.columns;
  p.a_first += tile.row;
  p.b_first += tile.column;
  p.a = moved(whole.a, tile.row * whole.a_row * item_size(whole.a_type));
  p.b = moved(whole.b, tile.column * whole.b_column * item_size(whole.b_type));
  return p;
}

std::ptrdiff_t tile_bytes(const TiledProduct& p, const Tile& tile) {
  return (tile.rows * tile.columns * item_size(p.dtype) + 63) / 64 * 64;
}

/// Of the tile that needs most: its workspace and, if it is `kept` for elementwise work, its values before it.
std::ptrdiff_t most_tile_bytes(const TiledProduct& p, const ProductGrid& grid, ProductWay way, bool kept) {
  std::ptrdiff_t most = 0;
  for (std::ptrdiff_t number = 0; number < grid.count(); ++number) {
    const Tile tile = tile_of(p, grid, number);
    most = std::max(most, workspace_bytes(part(p, tile), way) + (kept ? tile_bytes(p, tile) : 0));
  }
  return most;
}

void run_tile(const TiledProduct& product, const ProductGrid& grid, std::ptrdiff_t number, ProductWay way,
              const ProductTarget& target, std::byte* workspace) {
  const Tile tile = tile_of(product, grid, number);
  const std::ptrdiff_t offset = (tile.row * target.row + tile.column) * item_size(product.dtype);
  multiply(part(product, tile), way, static_cast<std::byte*>(target.data) + offset, target.row, workspace);
}

/// Gives `body` the elementwise loop on one tile, which reads the product's tile from `values`, whose rows are `row` elements apart.
template <class Body>
auto with_epilogue(const Loop& loop, const TiledProduct& product, const Tile& tile, const void* values,
                   std::ptrdiff_t row, const Body& body) {
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
  leaf.strides[0] = row;
  leaf.strides[1] = 1;
  return body(small.loop);
}

void run_epilogue(const Loop& loop, const TiledProduct& product, const Tile& tile, const void* values,
                  std::ptrdiff_t row) {
  with_epilogue(loop, product, tile, values, row, [](const Loop& small) { run(small); });
}

bool is_beside_vector(ProductWay way) {
  return way == ProductWay::rows || way == ProductWay::columns || way == ProductWay::row_by_columns ||
         way == ProductWay::row_by_rows;
}

/// The way reads a as one row; a result of one column cannot be made of several rows in the order in which it sums.
bool is_of_one_row(ProductWay way, std::ptrdiff_t columns) {
  return way == ProductWay::row_by_columns || way == ProductWay::columns ||
         (way == ProductWay::row_by_rows && columns == 1);
}

/// Batch axes along which b repeats and the rows of a and c continue become rows: one larger product instead of many, whose elements have the
/// values of the many unless a BLAS rounds them differently. Returns its way.
ProductWay merge_rows(BatchedProduct& batch, ProductTarget& target) {
  TiledProduct& p = batch.matrices;
  const ProductWay alone = way_of(p, target.row);
  ProductWay way = alone;
  for (; batch.rank > 0; --batch.rank) {
    const auto last = static_cast<std::size_t>(batch.rank - 1);
    if (batch.extents[last] == 1) continue;
    const bool single = p.rows == 1;  // its stride to the next row says nothing
    if (alone == ProductWay::few_rows || (single && is_of_one_row(alone, p.columns))) return way;
    const std::ptrdiff_t a_row = single ? batch.a_strides[last] : p.a_row;
    const std::ptrdiff_t c_row = single ? batch.c_strides[last] : target.row;
    const bool continues = batch.b_strides[last] == 0 && batch.a_strides[last] == p.rows * a_row &&
                           batch.c_strides[last] == p.rows * c_row && c_row >= p.columns;
    const std::ptrdiff_t rows = p.rows * batch.extents[last];
    const bool takes =
        !is_for_blas(p.a_type, rows, p.columns, p.inner) || is_blas_matrix(rows, p.inner, a_row, p.a_column);
    if (!continues || !takes) return way;
    p.rows = rows;
    p.a_row = a_row;
    target.row = c_row;
    if (p.columns > 1) way = way_of(p, c_row);
    if (way == ProductWay::few_columns && alone != way)
      way = ProductWay::blocks;  // which sums as one row and a small product do
  }
  return way;
}

/// The bytes from the first to the last element of a matrix, whose strides are in bytes. overlaps() says the same of any rank, in 220 instructions
/// more for a product of 2 x 2, which has 730.
class MatrixBytes {
 public:
  MatrixBytes(const void* data, std::ptrdiff_t rows, std::ptrdiff_t row, std::ptrdiff_t columns, std::ptrdiff_t column,
              std::ptrdiff_t item)
      : low_(static_cast<const std::byte*>(data)), high_(low_) {
    if (rows == 0 || columns == 0) return;
    extend((rows - 1) * row);
    extend((columns - 1) * column);
    high_ += item;
  }

  bool meets(const MatrixBytes& other) const { return low_ < other.high_ && other.low_ < high_; }

 private:
  void extend(std::ptrdiff_t bytes) { (bytes < 0 ? low_ : high_) += bytes; }

  const std::byte* low_;
  const std::byte* high_;
};

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
    p.a = moved(p.a, a_ * item_size(p.a_type));
    p.b = moved(p.b, b_ * item_size(p.b_type));
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

/// Products from number `first` on, along the last axis as many as possible in one call.
void run_from_registers(const ProductPlan& plan, std::ptrdiff_t first, std::ptrdiff_t last) {
  const BatchedProduct& batch = plan.batch;
  const MultiplyMatrices multiply_all = small_product(batch.matrices.dtype);
  const auto axis = static_cast<std::size_t>(std::max(batch.rank - 1, 0));
  const std::ptrdiff_t extent = batch.rank == 0 ? 1 : batch.extents[axis];
  while (first < last) {
    const BatchWalk walk(batch, plan.target, first);
    const std::ptrdiff_t count = std::min(last - first, extent - first % extent);
    multiply_all(walk.product(), walk.target().data, plan.target.row,
                 {count, batch.a_strides[axis], batch.b_strides[axis], batch.c_strides[axis]});
    first += count;
  }
}

void run_whole(const ProductPlan& plan) {
  const auto [count, tasks] = std::array{plan.products, plan.tasks};
  TaskMemory memory(tasks, workspace_bytes(plan.batch.matrices, plan.way));
  parallel_for(tasks, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = count / tasks * task + count % tasks * task / tasks;
    const std::ptrdiff_t last = count / tasks * (task + 1) + count % tasks * (task + 1) / tasks;
    if (plan.way == ProductWay::registers) return run_from_registers(plan, first, last);
    memory.use([&](std::byte* workspace) {
      BatchWalk walk(plan.batch, plan.target, first);
      for (std::ptrdiff_t number = first; number < last; ++number, walk.next())
        multiply(walk.product(), plan.way, walk.target().data, plan.target.row, workspace);
    });
  });
}

/// Of the first tile, or of the last stripe of a symmetric product, which has all columns.
PackedFactors packed_in(const ProductPlan& plan) {
  const TiledProduct& p = plan.batch.matrices;
  if (plan.way == ProductWay::registers) return {.b = p.b_column != 1 && p.columns > 1};
  if (plan.way != ProductWay::blocks) return {};
  return packed_factors(part(p, tile_of(p, plan.grid, plan.is_symmetric ? plan.grid.count() - 1 : 0)));
}

/// The grid of one of `count` products.
ProductGrid grid_of(const TiledProduct& product, std::ptrdiff_t count) {
  return Grid(product, machine_tiles() / count);
}

/// Elementwise work sees strips of this product.
bool is_tiled_in_strips(const TiledProduct& product, ProductWay way) {
  return way == ProductWay::blocks && comes_in_strips(product);
}

/// Tiles whose values stay in the cache for the elementwise work, or those of its strips.
ProductGrid grid_of_tiled(const TiledProduct& product) {
  Grid grid(product, machine_tiles());
  if (!is_tiled_in_strips(product, way_of(product, product.columns))) grid.limit_size(product);
  return grid;
}

/// The elementwise loop, strip by strip of each tile.
void run_strips(const Loop& loop, const TiledProduct& product, const ProductGrid& grid) {
  std::ptrdiff_t most = 0;
  for (std::ptrdiff_t number = 0; number < grid.count(); ++number)
    most = std::max(most, product_strips_bytes(part(product, tile_of(product, grid, number))));
  TaskMemory memory(grid.count(), most);
  const auto run_one = [&](std::ptrdiff_t number) {
    const Tile tile = tile_of(product, grid, number);
    const auto finish = [&](const ProductStrip& strip) {
      const Tile some{tile.row + strip.first_row, strip.rows, tile.column + strip.first_column, strip.columns};
      run_epilogue(loop, product, some, strip.values, strip.row);
    };
    memory.use([&](std::byte* workspace) { multiply_in_strips(part(product, tile), workspace, std::ref(finish)); });
  };
  grid.count() == 1 ? run_one(0) : parallel_for(grid.count(), run_one);
}

void run_tiles(const ProductPlan& plan) {
  TaskMemory memory(plan.tasks, most_tile_bytes(plan.batch.matrices, plan.grid, plan.way, false));
  parallel_for(plan.tasks, [&](std::ptrdiff_t number) {
    const BatchWalk walk(plan.batch, plan.target, number / plan.grid.count());
    memory.use([&](std::byte* workspace) {
      run_tile(walk.product(), plan.grid, number % plan.grid.count(), plan.way, walk.target(), workspace);
    });
  });
}

}  // namespace

std::ptrdiff_t tiles_for_threads(const TiledProduct& product) { return grid_of(product, 1).count(); }

ProductPlan plan_of(BatchedProduct batch, ProductTarget target) {
  if (!batch.matrices.place.on_host()) return plan_on_device(batch, target);
  const ProductWay way = merge_rows(batch, target);
  ProductPlan plan{.batch = batch, .target = target};
  const TiledProduct& matrices = plan.batch.matrices;
  std::ptrdiff_t count = matrices.rows == 0 || matrices.columns == 0 ? 0 : 1;
  for (int axis = 0; axis < batch.rank; ++axis) count *= batch.extents[static_cast<std::size_t>(axis)];
  if (count == 0) return plan;
  plan.way = way;
  plan.products = count;
  plan.is_symmetric = batch.rank == 0 && is_symmetric_product(matrices, way);
  plan.grid = plan.is_symmetric ? ProductGrid{symmetric_stripes(matrices), 1} : grid_of(matrices, count);
  plan.by_depth = count == 1 && is_cut_by_depth(matrices, way, plan.grid.count());
  plan.tasks = plan.grid.count() == 1 ? tasks_of_whole(matrices, count) : count * plan.grid.count();
  plan.packed = packed_in(plan);
  return plan;
}

void run_product(const TiledProduct& product, const ProductTarget& target) {
  if (!product.place.on_host()) return run_on_device(plan_on_device({.matrices = product}, target));
  // As plan_of() has it, which would take longer than a small product.
  const ProductWay way = way_of(product, target.row);
  if (way == ProductWay::nothing) return;
  if (way == ProductWay::registers && is_small_product(product))
    return multiply(product, way, target.data, target.row, nullptr);
  // Tiles give the same bits, in more and shorter streams of memory.
  if (is_beside_vector(way) && (flops(product) < 2 * flops_per_tile || num_threads() == 1))
    return multiply_vector(product, way, target.data, target.row);
  if (is_symmetric_product(product, way)) return run_symmetric(product, way, target);
  const ProductGrid grid = grid_of(product, 1);
  if (grid.count() == 1) {
    if (way == ProductWay::blocks) return multiply_blocked(product, target.data, target.row);
    TaskMemory memory(1, workspace_bytes(product, way));
    return memory.use([&](std::byte* workspace) { multiply(product, way, target.data, target.row, workspace); });
  }
  if (is_cut_by_depth(product, way, grid.count()))
    return multiply_by_depth(product, way, target.data, target.row, grid.count());
  TaskMemory memory(grid.count(), most_tile_bytes(product, grid, way, false));
  parallel_for(grid.count(), [&](std::ptrdiff_t number) {
    memory.use([&](std::byte* workspace) { run_tile(product, grid, number, way, target, workspace); });
  });
}

bool multiply_apart(const TiledProduct& p, const ProductTarget& target) {
  if (is_for_blas(p.dtype, p.rows, p.columns, p.inner)) return false;
  const std::ptrdiff_t item = item_size(p.dtype);
  const MatrixBytes written(target.data, p.rows, target.row * item, p.columns, item, item);
  const MatrixBytes a(p.a, p.rows, p.a_row * item, p.inner, p.a_column * item, item);
  const MatrixBytes b(p.b, p.inner, p.b_row * item, p.columns, p.b_column * item, item);
  if (written.meets(a) || written.meets(b)) return false;
  if (std::min({p.rows, p.columns, p.inner}) > 0 && is_small_product(p)) {
    small_product(p.dtype)(p, target.data, target.row, {});
  } else {
    run_product(p, target);
  }
  return true;
}

void run_batch(BatchedProduct batch, ProductTarget target) {
  const ProductPlan plan = plan_of(batch, target);
  if (!plan.batch.matrices.place.on_host()) return run_on_device(plan);
  if (plan.products == 0) return;
  if (plan.is_symmetric) return run_symmetric(plan.batch.matrices, plan.way, plan.target);
  if (plan.by_depth)
    return multiply_by_depth(plan.batch.matrices, plan.way, plan.target.data, plan.target.row, plan.grid.count());
  plan.grid.count() == 1 ? run_whole(plan) : run_tiles(plan);
}

ProductPlan plan_of_tiled(const TiledProduct& product) {
  ProductPlan plan{.batch = {.matrices = product}, .target = {}};
  if (product.rows == 0 || product.columns == 0) return plan;
  plan.products = 1;
  plan.grid = grid_of_tiled(product);
  plan.tasks = plan.grid.count();
  plan.way = way_of(product, product.columns);
  plan.packed = packed_in(plan);
  return plan;
}

LoopPlan plan_of_first_tile(const Loop& loop, const TiledProduct& product, const void* values) {
  const Tile tile = tile_of(product, grid_of_tiled(product), 0);
  return with_epilogue(loop, product, tile, values, tile.columns, [](const Loop& small) { return plan_of(small); });
}

void run_tiled(const Loop& loop, const TiledProduct& product) {
  if (product.rows == 0 || product.columns == 0) return;
  const ProductWay way = way_of(product, product.columns);
  const ProductGrid grid = grid_of_tiled(product);
  if (is_tiled_in_strips(product, way)) return run_strips(loop, product, grid);
  TaskMemory memory(grid.count(), most_tile_bytes(product, grid, way, true));
  const auto run_one = [&](std::ptrdiff_t number) {
    const Tile tile = tile_of(product, grid, number);
    memory.use([&](std::byte* values) {
      multiply(part(product, tile), way, values, tile.columns, values + tile_bytes(product, tile));
      run_epilogue(loop, product, tile, values, tile.columns);
    });
  };
  grid.count() == 1 ? run_one(0) : parallel_for(grid.count(), run_one);
}

}  // namespace tessera::plan
