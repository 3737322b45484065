module;
#include <cstddef>
export module tessera.device:tiles;
import tessera.standard;
import tessera.core;

// Kernels that walk arrays of which some are contiguous along one axis and some along another. A block of threads takes a tile of both axes and
// brings the elements of the latter to its shared memory, along their own axis; docs/decisions/device-tiles.md has the reasons for the sizes.
namespace tessera::device::launching {

/// An operand of a kernel: strides along the kernel's axes, slowest first, in elements of `item` bytes.
export struct TiledOperand {
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
};

/// How the axes are cut into tiles: along the last one and along `axis`.
export struct Tiling {
  int axis = 0;
  int edge = 0;  // elements of a tile along either axis; 0: no operand is worth it
  /// Which operands go through shared memory; the first, which is written, never does.
  core::SmallVector<bool, 8> staged{};
};

/// The tiles for operands of which the first is written, and of which the last axis is the fastest. An operand is staged where neighbours
/// along the last axis lie in different sectors of the memory, as long as all tiles of a block fit a budget.
export Tiling tiling_of(std::span<const std::ptrdiff_t> extents, std::span<const TiledOperand> operands);

/// Threads of a block that works on a tile: they move `tile_threads / edge` of its rows at once.
export inline constexpr int tile_threads = 256;

/// Elements from one row of a tile to the next: an odd number of 4-byte banks, so that a column's elements lie in different ones.
export constexpr int tile_pitch(int edge, std::ptrdiff_t item) {
  constexpr int bank = 4;
  return edge + (item < bank ? bank / static_cast<int>(item) : 1);
}

/// Tiles that cover all elements.
export std::ptrdiff_t tile_count(std::span<const std::ptrdiff_t> extents, const Tiling& tiling);

}  // namespace tessera::device::launching
