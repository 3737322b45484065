module;
#include <cstddef>
module tessera.expr:blocking;
import tessera.core;
import :plan;
import :lowering;
import :product_kernels;

// How a product is cut into blocks that fit the caches, and what multiplies and packs them.
namespace tessera::plan {

inline std::ptrdiff_t padded_to(std::ptrdiff_t count, std::ptrdiff_t unit) { return (count + unit - 1) / unit * unit; }

/// The kernels for a product's types, and what packs its factors for them.
struct Loops {
  const ProductKernels& kernels;
  PackStrip pack_a, pack_b;
  bool by_tiles = false;  // of AMX
};

Loops loops_for(const TiledProduct& product);

/// A panel of b, `depth` x `columns`, stays in the L2 cache while the strips of `rows` rows of a pass by.
struct Blocking {
  Blocking(const TiledProduct& product, const Loops& loops);

  std::ptrdiff_t depth, rows, columns = 0, width;
  bool packs_a, packs_b;
  std::ptrdiff_t run =
      0;  // by tiles, so much of the depth of a strip passes the L1 cache at a time, beside all columns

  /// Of the packed rows of a block of a; by tiles, of those of a strip's run.
  std::ptrdiff_t a_bytes(const ProductKernels& kernels) const;

 private:
  Blocking(const TiledProduct& product, const ProductKernels& kernels);
  void cut_for_tiles(const TiledProduct& product, const ProductKernels& kernels);
};

/// Bytes for packed factors and columns that fill no vector.
std::ptrdiff_t workspace_of(const TiledProduct& product, const ProductKernels& kernels, const Blocking& blocking);

/// Strips that are handed over at a time: enough of them that starting the elementwise loop takes no time, few enough that they stay in the L2 cache.
std::ptrdiff_t strips_together(const ProductKernels& kernels, std::ptrdiff_t columns);

/// From one of their rows to the next: apart by no multiple of the distances at which rows share sets of a cache.
inline std::ptrdiff_t strip_row(std::ptrdiff_t columns) { return padded_to(columns, 16) + 16; }

/// Bytes of their values.
std::ptrdiff_t strip_bytes(const ProductKernels& kernels, const Blocking& blocking);

}  // namespace tessera::plan
