module;
#include <algorithm>
#include <cstddef>
module tessera.expr;
import :blocking;
import :tile_kernels;
import :tile_packing;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Blocks by the sizes of the caches; along the inner extent they depend on the types only.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t most_panel_bytes = 960 * 1024;  // of b
constexpr std::ptrdiff_t direct_strips = 12;             // so few strips read b as it lies,
constexpr std::ptrdiff_t aliased_strips = 4;             // even fewer if its rows share sets of the L1 cache
constexpr std::ptrdiff_t tile_run_steps = 10;            // of 64 bytes; 32 rows and columns and their sums fit 48 KiB
constexpr std::ptrdiff_t most_units = 80;                // pairs of tiles in a panel

/// Of a panel of b: nearly half of the L2 cache, where strips of a and of the result pass by as well.
std::ptrdiff_t panel_bytes() { return std::min(device::caches().level2 / 32 * 15, most_panel_bytes); }

/// b is read as it lies up to this size.
std::ptrdiff_t direct_bytes() { return device::caches().level2 / 4; }

}  // namespace

Loops loops_for(const TiledProduct& p) {
  if (multiplies_tiles(p.a_type, p.b_type, p.dtype, p.inner)) {
    const TilePackers packers = tile_packers(p.a_type, p.b_type);
    return {tile_kernels(p.a_type, p.b_type), packers.a, packers.b, true};
  }
  if (multiplies_bytes(p.a_type, p.b_type, p.dtype)) {
    const BytePackers packers = byte_packers(p.a_type, p.b_type);
    return {byte_kernels(), packers.a, packers.b};
  }
  if (p.a_type == DType::bfloat16 && p.b_type == DType::bfloat16 && has_bfloat16_pairs())
    return {bfloat16_pair_kernels(), pair_packer(), pair_packer()};
  return {product_kernels(p.dtype), strip_packer(p.a_type), strip_packer(p.b_type)};
}

Blocking::Blocking(const TiledProduct& p, const Loops& loops) : Blocking(p, loops.kernels) {
  if (loops.by_tiles) cut_for_tiles(p, loops.kernels);
}

Blocking::Blocking(const TiledProduct& p, const ProductKernels& kernels)
    : depth(std::min(p.inner, kernels.depth)), rows(std::min(p.rows, most_block_rows)), width(kernels.widths[0].lanes) {
  const std::ptrdiff_t column_bytes = kernels.depth * kernels.packed_item;
  columns = padded_to(p.columns, kernels.lanes());
  if (columns * column_bytes > panel_bytes())
    columns = std::min(columns, std::max(panel_bytes() / column_bytes / width, std::ptrdiff_t{1}) * width);
  const auto aliases = [&](std::ptrdiff_t row) {
    return (row * kernels.item & (device::caches().level1_way - 1)) == 0;
  };
  const std::ptrdiff_t strips = (p.rows - 1) / kernels.most_rows() + 1;
  packs_b = p.b_loop != nullptr || p.b_type != p.dtype || (p.b_column != 1 && p.columns > 1) ||
            (strips > (aliases(p.b_row) ? aliased_strips : direct_strips) &&
             p.inner * p.columns > direct_bytes() / kernels.item);
  packs_a = p.a_loop != nullptr || p.a_type != p.dtype ||
            ((p.a_column != 1 || (aliases(p.a_row) && p.rows > 1)) && p.columns > 2 * width);
}

/// Packed columns as deep as a run would leave the result to pass by for each run, which by tiles takes longer than the products. So panels are deeper
/// and narrower, and a strip of the result stays in the L2 cache from run to run. Tiles read whole lines of rows of elements side by side. Rows that
/// share sets of the L1 cache do not stay there; packing them is worth it for more columns.
void Blocking::cut_for_tiles(const TiledProduct& p, const ProductKernels& kernels) {
  rows = p.rows;
  const std::ptrdiff_t steps = (depth - 1) / kernels.step + 1, runs = (steps - 1) / tile_run_steps + 1;
  run = ((steps - 1) / runs + 1) * kernels.step;
  const std::ptrdiff_t fitting =
      std::max(device::caches().level2 / 2 / kernels.packed_bytes(depth) / width, std::ptrdiff_t{1});
  const std::ptrdiff_t units = (p.columns - 1) / width + 1, panels = (units - 1) / std::min(fitting, most_units) + 1;
  columns = std::min(((units - 1) / panels + 1) * width, padded_to(p.columns, kernels.lanes()));
  packs_a = p.a_column != 1 || p.inner % kernels.step != 0 ||
            (p.a_row * item_size(p.a_type) % 512 == 0 && p.rows > 1 && p.columns > 8 * width);
}

std::ptrdiff_t Blocking::a_bytes(const ProductKernels& kernels) const {
  if (!packs_a) return 0;
  return run > 0 ? kernels.most_rows() * kernels.packed_bytes(run) : padded_to(rows * kernels.packed_bytes(depth), 64);
}

std::ptrdiff_t workspace_of(const TiledProduct& product, const ProductKernels& kernels, const Blocking& blocking) {
  std::ptrdiff_t columns = blocking.packs_b ? padded_to(blocking.columns, kernels.lanes()) : 0;
  if (!blocking.packs_b) {
    std::ptrdiff_t left = product.columns % blocking.width;
    for (; left > 0 && columns == 0; left -= kernels.for_columns(left).lanes)
      columns = kernels.for_columns(left).lanes > left ? kernels.for_columns(left).lanes : 0;
  }
  return blocking.a_bytes(kernels) + columns * kernels.packed_bytes(blocking.depth);
}

std::ptrdiff_t strip_bytes(const ProductKernels& kernels, const Blocking& blocking) {
  const std::ptrdiff_t rows = std::min(blocking.rows, strips_together(kernels, blocking.columns) * kernels.most_rows());
  return padded_to(rows * strip_row(blocking.columns) * kernels.item, 64);
}

std::ptrdiff_t strips_together(const ProductKernels& kernels, std::ptrdiff_t columns) {
  return std::max(device::caches().level2 / 8 / (kernels.most_rows() * columns * kernels.item), std::ptrdiff_t{1});
}

}  // namespace tessera::plan
