module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Cutting the rows of an array into tiles, and handing those to threads.
namespace tessera::rows {

namespace {

std::ptrdiff_t rounded_up(std::ptrdiff_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

std::string text_of(std::span<const std::ptrdiff_t> shape) {
  std::string text = "(";
  for (const std::ptrdiff_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Tiling::Tiling(const Call& call, std::ptrdiff_t widest) {
  const auto axis = static_cast<std::size_t>(call.axis);
  length_ = call.shape[axis];
  from_step_ = call.from.strides[axis];
  to_step_ = call.to.strides[axis];
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    if (i != axis) outer_axes_.push_back({call.shape[i], call.from.strides[i], call.to.strides[i]});
  }
  if (outer_axes_.empty()) return;
  const auto distance = [](const Axis& a) { return a.from_stride < 0 ? -a.from_stride : a.from_stride; };
  const auto is_nearer = [&](const Axis& a, const Axis& b) {
    const bool a_counts = a.extent > 1, b_counts = b.extent > 1;
    return a_counts != b_counts ? a_counts : distance(a) < distance(b);
  };
  const auto nearest = std::ranges::min_element(outer_axes_, is_nearer);
  neighbours_ = nearest->extent;
  from_gap_ = nearest->from_stride;
  to_gap_ = nearest->to_stride;
  width_ = std::clamp<std::ptrdiff_t>(neighbours_, 1, widest);
  tiles_ = (neighbours_ + width_ - 1) / width_;
  outer_axes_.erase(nearest);
  for (const Axis& other : outer_axes_) outer_ *= other.extent;
}

Tile Tiling::tile(std::ptrdiff_t index) const {
  const std::ptrdiff_t first = index % tiles_ * width_;
  Tile tile{.from = first * from_gap_, .to = first * to_gap_, .rows = std::min(width_, neighbours_ - first)};
  std::ptrdiff_t rest = index / tiles_;
  for (std::size_t i = outer_axes_.size(); i-- > 0;) {
    const Axis& axis = outer_axes_[i];
    tile.from += rest % axis.extent * axis.from_stride;
    tile.to += rest % axis.extent * axis.to_stride;
    rest /= axis.extent;
  }
  return tile;
}

void for_each_tile(const Tiling& tiling, std::ptrdiff_t scratch_bytes, TileBody body, const void* context) {
  const std::ptrdiff_t tiles = tiling.tile_count();
  const bool is_small = tiling.length() * tiling.row_count() < serial_elements;
  const std::ptrdiff_t lanes = is_small ? 1 : std::min<std::ptrdiff_t>(num_threads(), tiles);
  const std::ptrdiff_t each = rounded_up(scratch_bytes);
  const memory::Allocation scratch(CpuPlace{}, lanes * each);
  std::atomic<std::ptrdiff_t> next{0};
  parallel_for(lanes, [&](std::ptrdiff_t lane) {
    for (;;) {
      const std::ptrdiff_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= tiles) return;
      body(context, tiling.tile(index), static_cast<std::byte*>(scratch.data()) + lane * each);
    }
  });
}

void require_host_algorithm(Place place, const char* operation, const std::source_location& where) {
  if (place.on_host()) return;
  throw DeviceError(to_string(Failure{.operation = operation,
                                      .problem = "the elements are on " + to_string(place) + ", where it cannot run",
                                      .advice = "copy them with to(CpuPlace{})",
                                      .where = where}));
}

void require_same_place(Place to, Place from, const char* operation, const std::source_location& where) {
  if (to == from || (to.on_host() && from.on_host())) return;
  throw PlaceError(
      to_string(Failure{.operation = operation,
                        .problem = "the elements are on " + to_string(from) + " and the result is on " + to_string(to),
                        .advice = "move one with to(place)",
                        .where = where}));
}

void require_result(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                    std::span<const std::ptrdiff_t> wanted, const char* operation, const std::source_location& where) {
  if (std::ranges::equal(shape, wanted)) return storage::require_distinct_elements(shape, strides, operation, where);
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = "the result has shape " + text_of(shape) + " instead of " + text_of(wanted),
                        .where = where}));
}

}  // namespace tessera::rows
