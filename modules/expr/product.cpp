module;
#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Cutting products into tiles and handing them to the BLAS.
namespace tessera::plan {

namespace {

constexpr double flops_per_tile = 8e6;  // enough for the BLAS to reach its speed
constexpr std::ptrdiff_t most_tile_elements =
    std::ptrdiff_t{256} * 1024;  // of a result, so that the elementwise work finds it in the cache
constexpr std::ptrdiff_t most_tiles = 64;

/// One operand as the BLAS takes it: contiguous along rows, or along columns as the transposed flag says.
template <class T>
struct BlasOperand {
  const T* data;
  std::ptrdiff_t leading;
  bool is_transposed;
};

bool fits(std::ptrdiff_t leading, std::ptrdiff_t least) {
  return leading >= least && leading <= std::numeric_limits<int>::max();
}

/// The matrix `rows` x `columns` for the BLAS; copied into `storage` only when neither stride is 1.
template <class T>
BlasOperand<T> blas_operand(const T* data, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row,
                            std::ptrdiff_t column, std::vector<T>& storage) {
  const std::ptrdiff_t by_rows = rows == 1 ? columns : row;
  const std::ptrdiff_t by_columns = columns == 1 ? rows : column;
  if ((column == 1 || columns == 1) && fits(by_rows, columns)) return {data, by_rows, false};
  if ((row == 1 || rows == 1) && fits(by_columns, rows)) return {data, by_columns, true};
  storage.resize(static_cast<std::size_t>(rows * columns));
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < columns; ++j)
      storage[static_cast<std::size_t>(i * columns + j)] = data[i * row + j * column];
  }
  return {storage.data(), columns, false};
}

template <class T>
void multiply_blas(const TiledProduct& p, T* c, std::ptrdiff_t c_row) {
  std::vector<T> packed_a, packed_b;
  const auto a = blas_operand(static_cast<const T*>(p.a), p.rows, p.inner, p.a_row, p.a_column, packed_a);
  const auto b = blas_operand(static_cast<const T*>(p.b), p.inner, p.columns, p.b_row, p.b_column, packed_b);
  blas::gemm(blas::Gemm<T>{p.rows, p.columns, p.inner, a.data, a.leading, a.is_transposed, b.data, b.leading,
                           b.is_transposed, c, c_row});
}

/// For types without a BLAS; integers wrap.
template <class T>
void multiply_loops(const TiledProduct& p, T* c, std::ptrdiff_t c_row) {
  const T* a = static_cast<const T*>(p.a);
  const T* b = static_cast<const T*>(p.b);
  for (std::ptrdiff_t i = 0; i < p.rows; ++i) {
    T* out = c + i * c_row;
    std::fill_n(out, p.columns, T(0));
    for (std::ptrdiff_t k = 0; k < p.inner; ++k) {
      const T factor = a[i * p.a_row + k * p.a_column];
      const T* from = b + k * p.b_row;
      for (std::ptrdiff_t j = 0; j < p.columns; ++j)
        out[j] = Add::apply(out[j], Multiply::apply(factor, from[j * p.b_column]));
    }
  }
}

template <class T>
void multiply_as(const TiledProduct& p, T* c, std::ptrdiff_t c_row) {
  constexpr bool has_blas = std::is_same_v<T, float> || std::is_same_v<T, double>;
  const std::ptrdiff_t most = std::max({p.rows, p.columns, p.inner, c_row});
  if constexpr (has_blas) {
    if (p.inner > 0 && most <= std::numeric_limits<int>::max())
      return multiply_blas(p, c, p.rows == 1 ? std::max(c_row, p.columns) : c_row);
  }
  multiply_loops(p, c, c_row);
}

void multiply(const TiledProduct& p, void* c, std::ptrdiff_t c_row) {
  switch (p.dtype) {
    case DType::int8: return multiply_as(p, static_cast<std::int8_t*>(c), c_row);
    case DType::int16: return multiply_as(p, static_cast<std::int16_t*>(c), c_row);
    case DType::int32: return multiply_as(p, static_cast<std::int32_t*>(c), c_row);
    case DType::int64: return multiply_as(p, static_cast<std::int64_t*>(c), c_row);
    case DType::uint8: return multiply_as(p, static_cast<std::uint8_t*>(c), c_row);
    case DType::uint16: return multiply_as(p, static_cast<std::uint16_t*>(c), c_row);
    case DType::uint32: return multiply_as(p, static_cast<std::uint32_t*>(c), c_row);
    case DType::uint64: return multiply_as(p, static_cast<std::uint64_t*>(c), c_row);
    case DType::float64: return multiply_as(p, static_cast<double*>(c), c_row);
    case DType::complex64: return multiply_as(p, static_cast<std::complex<float>*>(c), c_row);
    case DType::complex128: return multiply_as(p, static_cast<std::complex<double>*>(c), c_row);
    case DType::boolean:
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return multiply_as(p, static_cast<float*>(c), c_row);
  }
}

/// A grid of tiles that depends on the shape only, so that results do not depend on the number of threads.
struct Grid {
  std::ptrdiff_t down = 1;    // tiles along the rows
  std::ptrdiff_t across = 1;  // tiles along the columns

  explicit Grid(const TiledProduct& p) {
    const double flops = 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
                         static_cast<double>(std::max<std::ptrdiff_t>(p.inner, 1));
    const auto by_work = static_cast<std::ptrdiff_t>(std::min(flops / flops_per_tile, static_cast<double>(most_tiles)));
    const auto by_size = static_cast<std::ptrdiff_t>(static_cast<double>(p.rows) * static_cast<double>(p.columns) /
                                                     static_cast<double>(most_tile_elements));
    auto tiles = static_cast<std::ptrdiff_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max({by_work, by_size, std::ptrdiff_t{1}}))));
    for (; tiles > 1; tiles /= 2) {  // halve the longer side
      std::ptrdiff_t& side = p.rows / down >= p.columns / across ? down : across;
      side *= 2;
    }
    down = std::clamp<std::ptrdiff_t>(down, 1, std::max<std::ptrdiff_t>(p.rows, 1));
    across = std::clamp<std::ptrdiff_t>(across, 1, std::max<std::ptrdiff_t>(p.columns, 1));
  }

  std::ptrdiff_t count() const { return down * across; }
};

struct Tile {
  std::ptrdiff_t row, rows, column, columns;
};

Tile tile_of(const TiledProduct& p, const Grid& grid, std::ptrdiff_t number) {
  const std::ptrdiff_t i = number / grid.across;
  const std::ptrdiff_t j = number % grid.across;
  const std::ptrdiff_t row = p.rows * i / grid.down;
  const std::ptrdiff_t column = p.columns * j / grid.across;
  return {row, p.rows * (i + 1) / grid.down - row, column, p.columns * (j + 1) / grid.across - column};
}

/// Elements of the largest tile.
std::ptrdiff_t largest_tile(const TiledProduct& p, const Grid& grid) {
  return ((p.rows - 1) / grid.down + 1) * ((p.columns - 1) / grid.across + 1);
}

TiledProduct part(const TiledProduct& whole, const Tile& tile) {
  const std::ptrdiff_t item = item_size(whole.dtype);
  TiledProduct p = whole;
  p.rows = tile.rows;
  p.columns = tile.columns;
  p.a = static_cast<const std::byte*>(whole.a) + tile.row * whole.a_row * item;
  p.b = static_cast<const std::byte*>(whole.b) + tile.column * whole.b_column * item;
  return p;
}

/// The elementwise loop on one tile, reading the product's tile from `values`.
void run_epilogue(const Loop& loop, const TiledProduct& product, const Tile& tile, const void* values) {
  std::vector<Leaf> leaves(loop.leaves.begin(), loop.leaves.end());
  Loop small = loop;
  small.parallel = false;
  small.extents[0] = tile.rows;
  small.extents[1] = tile.columns;
  small.leaves = leaves;
  const auto offset = [&](const Axes& strides) { return tile.row * strides[0] + tile.column * strides[1]; };
  small.target.data = static_cast<std::byte*>(loop.target.data) + offset(loop.target.strides) * loop.target.item;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (static_cast<int>(k) == product.leaf) {
      leaves[k].data = values;
      leaves[k].strides[0] = tile.columns;
      leaves[k].strides[1] = 1;
    } else if (leaves[k].data != nullptr) {
      leaves[k].data = static_cast<const std::byte*>(leaves[k].data) + offset(leaves[k].strides) * leaves[k].item;
    } else {
      leaves[k].first += offset(leaves[k].strides);
    }
  }
  run(small);
}

}  // namespace

void run_product(const TiledProduct& product, const ProductTarget& target) {
  if (product.rows == 0 || product.columns == 0) return;
  const Grid grid(product);
  const std::ptrdiff_t item = item_size(product.dtype);
  parallel_for(grid.count(), [&](std::ptrdiff_t number) {
    const Tile tile = tile_of(product, grid, number);
    multiply(part(product, tile), static_cast<std::byte*>(target.data) + (tile.row * target.row + tile.column) * item,
             target.row);
  });
}

void run_tiled(const Loop& loop, const TiledProduct& product) {
  if (product.rows == 0 || product.columns == 0) return;
  const Grid grid(product);
  Workspaces tiles(grid.count(), largest_tile(product, grid) * item_size(product.dtype));
  parallel_for(grid.count(), [&](std::ptrdiff_t number) {
    const Tile tile = tile_of(product, grid, number);
    const Workspaces::Piece values(tiles);
    multiply(part(product, tile), values.data(), tile.columns);
    run_epilogue(loop, product, tile, values.data());
  });
}

}  // namespace tessera::plan
