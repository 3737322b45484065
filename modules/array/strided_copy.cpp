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

struct CopyAxis {
  std::ptrdiff_t extent, to, from;
};

std::vector<CopyAxis> merged_axes(std::span<const std::ptrdiff_t> shape, const StridedMemory& to,
                                  const StridedMemory& from) {
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
  std::vector<CopyAxis> axes;
  std::ptrdiff_t item;
  Place to_place, from_place;

  void run(std::size_t axis, std::byte* to, const std::byte* from) const {
    if (axis == axes.size()) return device::copy_bytes(to, to_place, from, from_place, item);
    const CopyAxis& here = axes[axis];
    const bool last = axis + 1 == axes.size();
    if (last && here.to == 1 && here.from == 1)
      return device::copy_bytes(to, to_place, from, from_place, here.extent * item);
    if (last && to_place.on_host() && from_place.on_host()) return gather(here, to, from);
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

void copy_strided(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t item_bytes, const StridedMemory& to,
                  const StridedMemory& from) {
  for (const std::ptrdiff_t extent : shape) {
    if (extent == 0) return;
  }
  const Copier copier{merged_axes(shape, to, from), item_bytes, to.place, from.place};
  copier.run(0, static_cast<std::byte*>(to.data), static_cast<const std::byte*>(from.data));
}

}  // namespace tessera
