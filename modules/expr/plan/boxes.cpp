module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
module tessera.expr;
import :items;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Packing boxes: axes that continue each other become one, then two of them are copied by the loops for grids, the others around them.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Elements along one axis, or several that continue each other: steps in memory and in the packed box.
struct MergedAxis {
  std::ptrdiff_t extent, stride, pitch;
};

/// An operand's box as axes, the fastest first; at least one.
struct MergedAxes {
  std::array<MergedAxis, most_axes> axes;
  int count = 0;

  const MergedAxis& operator[](int number) const { return axes[at(number)]; }
};

MergedAxes merged_axes(const Operand& operand, const Box& box) {
  MergedAxes found;
  std::ptrdiff_t pitch = 1;
  for (int axis = box.rank; axis-- > 0;) {
    const std::ptrdiff_t extent = box.extents[at(axis)];
    if (extent == 1) continue;
    const std::ptrdiff_t stride = operand.strides[at(axis)];
    MergedAxis* last = found.count > 0 ? &found.axes[at(found.count - 1)] : nullptr;
    if (last != nullptr && stride == last->stride * last->extent) {
      last->extent *= extent;
    } else {
      found.axes[at(found.count++)] = {extent, stride, pitch};
    }
    pitch *= extent;
  }
  if (found.count == 0) found.axes[at(found.count++)] = {1, 1, 1};
  return found;
}

/// Calls body(offset in memory, offset in the packed box) for each position of the axes but the first and number `second`.
template <class Body>
void for_each_grid(const MergedAxes& axes, int second, const Body& body) {
  std::array<std::ptrdiff_t, most_axes> position{};
  std::ptrdiff_t memory = 0;
  std::ptrdiff_t packed = 0;
  for (;;) {
    body(memory, packed);
    int number = 1;
    for (; number < axes.count; ++number) {
      if (number == second) continue;
      const MergedAxis& axis = axes[number];
      memory += axis.stride;
      packed += axis.pitch;
      if (++position[at(number)] < axis.extent) break;
      memory -= axis.extent * axis.stride;
      packed -= axis.extent * axis.pitch;
      position[at(number)] = 0;
    }
    if (number == axes.count) return;
  }
}

/// The axis whose elements are neighbours in memory although those of the first axis are not; -1 if there is none.
int neighbours_of(const MergedAxes& axes) {
  if (std::abs(axes[0].stride) <= 1) return -1;
  for (int number = 1; number < axes.count; ++number) {
    if (std::abs(axes[number].stride) == 1) return number;
  }
  return -1;
}

/// The axis, beside the first, whose elements are the rows of grids: the longest one, so that there are few grids; -1 if there is none.
int longest_of(const MergedAxes& axes) {
  int longest = axes.count > 1 ? 1 : -1;
  for (int number = 2; number < axes.count; ++number) {
    if (axes[number].extent > axes[longest].extent) longest = number;
  }
  return longest;
}

Grid grid_of(const MergedAxes& axes, int second) {
  Grid grid{.rows = 1,
            .columns = axes[0].extent,
            .row_step = 0,
            .column_step = axes[0].stride,
            .pitch = axes[0].extent * axes[0].pitch};
  if (second < 0) return grid;
  grid.rows = axes[second].extent;
  grid.row_step = axes[second].stride;
  grid.pitch = axes[second].pitch;
  return grid;
}

/// Transposing by tiles pays where at least one fits.
bool has_tiles(const Grid& grid, std::ptrdiff_t item) {
  const std::ptrdiff_t side = 16 / item;
  const bool is_interleaved = grid.row_step == 1 && grid.pitch == grid.columns && grid.columns <= 8;
  return side > 1 && grid.rows >= side && grid.columns >= side && !is_interleaved;
}

template <class Item>
void pack_merged(const MergedAxes& axes, const Item* from, Item* to) {
  const int neighbours = neighbours_of(axes);
  const bool is_spread = axes.count > 1 && axes[0].stride == 0 && axes[1].stride == 1;  // each value of a row repeated
  const int second = neighbours > 0 ? neighbours : is_spread ? 1 : longest_of(axes);
  const Grid grid = grid_of(axes, second);
  if (neighbours > 0 && has_tiles(grid, sizeof(Item))) {
    return for_each_grid(axes, second, [&](std::ptrdiff_t memory, std::ptrdiff_t packed) {
      transpose(from + memory, to + packed, grid);
    });
  }
  const PackGrid<Item> copy = packing<Item>(grid);
  for_each_grid(axes, second,
                [&](std::ptrdiff_t memory, std::ptrdiff_t packed) { copy(from + memory, to + packed, grid); });
}

template <class Item>
void unpack_merged(const MergedAxes& axes, const Item* from, Item* to) {
  const int second = longest_of(axes);
  const Grid grid = grid_of(axes, second);
  const PackGrid<Item> copy = unpacking<Item>(grid);
  for_each_grid(axes, second,
                [&](std::ptrdiff_t memory, std::ptrdiff_t packed) { copy(from + packed, to + memory, grid); });
}

std::ptrdiff_t product_of(int rank, const Axes& steps) {
  std::ptrdiff_t product = 1;
  for (int axis = 0; axis < rank; ++axis) product *= steps[at(axis)];
  return product;
}

}  // namespace

std::ptrdiff_t Box::elements() const { return product_of(rank, extents); }

int nearest_axis(const Operand& operand, int rank, const Axes& extents) {
  int nearest = -1;
  if (operand.data == nullptr) return nearest;
  for (int axis = rank; axis-- > 0;) {
    const std::ptrdiff_t stride = std::abs(operand.strides[at(axis)]);
    if (stride == 0 || extents[at(axis)] == 1) continue;
    if (nearest < 0 || stride < std::abs(operand.strides[at(nearest)])) nearest = axis;
  }
  return nearest;
}

void cover_lines(const Space& space, std::ptrdiff_t most, Axes& steps) {
  constexpr std::ptrdiff_t line = 64;
  constexpr std::ptrdiff_t least = 4, enough = 32;
  for (const Operand& operand : space.operands) {
    const int axis = nearest_axis(operand, space.rank, space.extents);
    if (axis < 0 || operand.strides[at(space.rank - 1)] == 0) continue;
    const std::ptrdiff_t apart = std::min(std::min(std::abs(operand.strides[at(axis)]), line) * operand.item, line);
    const std::ptrdiff_t wanted = std::clamp(line / apart, least, enough);
    steps[at(axis)] = std::max(steps[at(axis)], std::min(wanted, space.extents[at(axis)]));
  }
  while (product_of(space.rank, steps) > most) {
    std::ptrdiff_t& largest = *std::max_element(steps.begin(), steps.begin() + space.rank);
    largest /= 2;
  }
}

void grow(const Space& space, std::span<const int> order, std::ptrdiff_t most, Axes& steps) {
  for (const int axis : order) {
    std::ptrdiff_t& step = steps[at(axis)];
    const std::ptrdiff_t extent = space.extents[at(axis)];
    const std::ptrdiff_t room = most / (product_of(space.rank, steps) / step);
    if (room <= step) continue;
    const std::ptrdiff_t parts = (extent - 1) / room + 1;  // of about the same length, a whole number of vectors
    step = std::max(step, std::min(room, ((extent - 1) / parts + 16) / 16 * 16));
    step = std::min(step, extent);
  }
}

std::optional<std::ptrdiff_t> step_along(const Operand& operand, const Box& box, int first, int last) {
  std::ptrdiff_t step = 0, count = 1;
  for (int axis = last; axis-- > first;) {
    const std::ptrdiff_t extent = box.extents[at(axis)];
    if (extent == 1) continue;
    const std::ptrdiff_t stride = operand.strides[at(axis)];
    if (count == 1) step = stride;
    if (stride != step * count) return std::nullopt;
    count *= extent;
  }
  return step;
}

bool is_direct(const Operand& operand, const Box& box) {
  if (operand.data == nullptr) return false;
  const MergedAxes axes = merged_axes(operand, box);
  return axes.count == 1 && axes[0].stride == 1;
}

bool is_repeated(const Operand& operand, const Box& box) {
  if (operand.data == nullptr) return false;
  const MergedAxes axes = merged_axes(operand, box);
  return axes.count == 1 && (axes[0].stride == 0 || axes[0].extent == 1);
}

void pack(const Operand& operand, const Box& box, std::ptrdiff_t offset, std::byte* to) {
  const MergedAxes axes = merged_axes(operand, box);
  if (operand.data == nullptr) {
    return for_each_grid(axes, -1, [&](std::ptrdiff_t memory, std::ptrdiff_t packed) {
      operand.generate(operand.context, to + packed * operand.item, operand.first + offset + memory, axes[0].stride,
                       axes[0].extent);
    });
  }
  with_item(operand.item, [&]<class Item>(Item*) {
    pack_merged(axes, reinterpret_cast<const Item*>(operand.data) + offset, reinterpret_cast<Item*>(to));
  });
}

void unpack(const Operand& operand, const Box& box, std::ptrdiff_t offset, const std::byte* from) {
  const MergedAxes axes = merged_axes(operand, box);
  with_item(operand.item, [&]<class Item>(Item*) {
    unpack_merged(axes, reinterpret_cast<const Item*>(from), reinterpret_cast<Item*>(operand.data) + offset);
  });
}

}  // namespace tessera::plan
