module;
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>
module tessera.device;
import tessera.core;
import :tiles;

// Which operands of a kernel are staged, and in tiles of which axis and size.
namespace tessera::device::launching {

namespace {

constexpr std::ptrdiff_t sector = 32;         // bytes that a GPU reads at least
constexpr std::ptrdiff_t least_extent = 16;   // shorter axes leave most threads of a tile without work
constexpr std::ptrdiff_t budget = 32 * 1024;  // of 48 KiB that every block can have

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The axis along which a step to the next element is shortest, if it is another than the last one, where the step leaves the sector; -1
/// otherwise.
int own_axis(std::span<const std::ptrdiff_t> extents, const TiledOperand& operand) {
  const std::ptrdiff_t step = std::abs(operand.strides.back());
  if (step == 0 || step * operand.item < sector) return -1;
  int best = -1;
  for (int axis = 0; axis + 1 < static_cast<int>(extents.size()); ++axis) {
    const std::ptrdiff_t stride = std::abs(operand.strides[at(axis)]);
    if (stride == 0 || stride >= step || extents[at(axis)] < least_extent) continue;
    if (best < 0 || stride < std::abs(operand.strides[at(best)])) best = axis;
  }
  return best;
}

int edge_for(std::ptrdiff_t widest) {
  if (widest <= 2) return 64;
  return widest <= 8 ? 32 : 16;
}

std::ptrdiff_t tile_bytes(int edge, std::ptrdiff_t item) { return edge * tile_pitch(edge, item) * item; }

/// The axis along which most bytes are contiguous.
int common_axis(std::span<const int> axes, std::span<const TiledOperand> operands) {
  int best = -1;
  std::ptrdiff_t most = 0;
  for (const int axis : axes) {
    if (axis < 0) continue;
    std::ptrdiff_t bytes = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) bytes += axes[k] == axis ? operands[k].item : 0;
    if (bytes > most) {
      most = bytes;
      best = axis;
    }
  }
  return best;
}

}  // namespace

Tiling tiling_of(std::span<const std::ptrdiff_t> extents, std::span<const TiledOperand> operands) {
  if (extents.size() < 2 || extents.back() < least_extent) return {};
  core::SmallVector<int, 8> axes(operands.size(), -1);
  for (std::size_t k = 1; k < operands.size(); ++k) axes[k] = own_axis(extents, operands[k]);
  const int axis = common_axis(axes, operands);
  if (axis < 0) return {};
  std::ptrdiff_t widest = 1;
  for (std::size_t k = 1; k < operands.size(); ++k) {
    if (axes[k] == axis) widest = std::max(widest, operands[k].item);
  }
  Tiling tiling{.axis = axis, .edge = edge_for(widest), .staged = {}};
  tiling.staged.resize(operands.size(), false);
  std::ptrdiff_t bytes = 0;
  for (std::size_t k = 1; k < operands.size(); ++k) {
    const std::ptrdiff_t tile = tile_bytes(tiling.edge, operands[k].item);
    if (axes[k] != axis || bytes + tile > budget) continue;
    tiling.staged[k] = true;
    bytes += tile;
  }
  return tiling;
}

std::ptrdiff_t tile_count(std::span<const std::ptrdiff_t> extents, const Tiling& tiling) {
  std::ptrdiff_t count = 1;
  for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
    const bool cut = axis == tiling.axis || axis + 1 == static_cast<int>(extents.size());
    count *= cut ? (extents[at(axis)] - 1) / tiling.edge + 1 : extents[at(axis)];
  }
  return count;
}

}  // namespace tessera::device::launching
