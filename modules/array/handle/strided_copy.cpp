module;
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// Merges axes that continue each other, then copies run by run.
namespace tessera {

namespace {

std::vector<CopyAxis> merged_axes(std::span<const std::ptrdiff_t> shape, const PlacedMemory& to,
                                  const PlacedMemory& from) {
  std::vector<CopyAxis> axes;  // slowest first
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    const CopyAxis next{shape[axis], to.strides[axis], from.strides[axis]};
    const bool continues =
        !axes.empty() && axes.back().to == next.to * next.extent && axes.back().from == next.from * next.extent;
    if (continues) {
      axes.back() = {axes.back().extent * next.extent, next.to, next.from};
    } else {
      axes.push_back(next);
    }
  }
  return axes;
}

struct Copier {
  const std::vector<CopyAxis>& axes;
  std::ptrdiff_t item;

  void run(std::size_t axis, std::byte* to, const std::byte* from) const {
    if (axis == axes.size()) {
      std::memcpy(to, from, static_cast<std::size_t>(item));
      return;
    }
    const CopyAxis& here = axes[axis];
    if (axis + 1 == axes.size()) {
      if (here.to != 1 || here.from != 1) return gather(here, to, from);
      std::memcpy(to, from, static_cast<std::size_t>(here.extent * item));
      return;
    }
    for (std::ptrdiff_t i = 0; i < here.extent; ++i)
      run(axis + 1, to + i * here.to * item, from + i * here.from * item);
  }

  void gather(const CopyAxis& axis, std::byte* to, const std::byte* from) const {
    switch (item) {
      case 1: return gather_items<1>(axis, to, from);
      case 2: return gather_items<2>(axis, to, from);
      case 4: return gather_items<4>(axis, to, from);
      case 8: return gather_items<8>(axis, to, from);
      default: return gather_items<16>(axis, to, from);
    }
  }

  template <std::size_t Bytes>
  static void gather_items(const CopyAxis& axis, std::byte* to, const std::byte* from) {
    constexpr auto bytes = static_cast<std::ptrdiff_t>(Bytes);
    for (std::ptrdiff_t i = 0; i < axis.extent; ++i)
      std::memcpy(to + i * axis.to * bytes, from + i * axis.from * bytes, Bytes);
  }
};

}  // namespace

void storage::copy_strided(std::span<const std::ptrdiff_t> shape, const PlacedMemory& to, const PlacedMemory& from) {
  for (const std::ptrdiff_t extent : shape) {
    if (extent == 0) return;
  }
  const std::vector<CopyAxis> axes = merged_axes(shape, to, from);
  if (!to.place.on_host() || !from.place.on_host()) return copy_with_device(axes, to, from);
  copy_on_host(axes, to.item, to.data, from.data);
}

void copy_on_host(const std::vector<CopyAxis>& axes, std::ptrdiff_t item_bytes, void* to, const void* from) {
  Copier{axes, item_bytes}.run(0, static_cast<std::byte*>(to), static_cast<const std::byte*>(from));
}

}  // namespace tessera
