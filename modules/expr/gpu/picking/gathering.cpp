module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// Where elements are moved from and to, and the memory for indices of the host.
namespace tessera::plan {

using namespace picking;

namespace {

/// A list of the host in memory of the GPU, and in pinned memory, which stays until the stream has read it.
memory::Allocation copied_to_device(std::span<const std::int64_t> list, GpuPlace place) {
  device::Stream& stream = device::Stream::current(place);
  memory::Allocation on_device(place, static_cast<std::ptrdiff_t>(list.size_bytes()));
  const memory::Allocation pinned(PinnedPlace{}, on_device.bytes());
  std::memcpy(pinned.data(), list.data(), list.size_bytes());
  device::copy_async(on_device.data(), place, pinned.data(), PinnedPlace{}, on_device.bytes(), stream);
  pinned.uses()->note_read(stream.mark());
  on_device.uses()->note_write(stream.mark());
  return on_device;
}

/// The numbers of distances in their order, those of equal ones in the order in which they are given.
std::vector<std::int64_t> in_order(std::span<const std::int64_t> distances) {
  std::vector<std::int64_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::sort(
      order, {}, [&](std::int64_t number) { return std::pair(distances[static_cast<std::size_t>(number)], number); });
  return order;
}

/// A mark that a GPU can make and the host reads.
class OutsideMark {
 public:
  explicit OutsideMark(GpuPlace place) : stream_(device::Stream::current(place)) { *mark() = 0; }

  std::int32_t* mark() const { return static_cast<std::int32_t*>(memory_.data()); }
  /// Waits for the work of this thread's stream.
  bool is_made() const {
    stream_.synchronize();
    return *static_cast<const volatile std::int32_t*>(mark()) != 0;
  }

 private:
  device::Stream& stream_;
  memory::Allocation memory_{PinnedPlace{}, sizeof(std::int32_t)};
};

/// Slices along the first axis are moved by a list in memory of the GPU.
Move move_of(const SliceCopy& copy, std::ptrdiff_t indices, const void* list, bool scatters) {
  Move move{.to = copy.to.data,
            .from = copy.from.data,
            .item = copy.to.item,
            .axes = {{indices, scatters ? 0 : copy.to.strides[0], scatters ? copy.from.strides[0] : 0, {1}}},
            .indices = {{list, DType::int64, 0, scatters ? copy.to.strides[0] : copy.from.strides[0]}},
            .scatters = scatters,
            .to_uses = copy.to.uses,
            .from_uses = copy.from.uses};
  for (std::size_t axis = 0; axis < copy.slice.size(); ++axis)
    move.axes.push_back({copy.slice[axis], copy.to.strides[axis + 1], copy.from.strides[axis + 1], {0}});
  return move;
}

void move_slices(const SliceCopy& copy, std::span<const std::int64_t> list, bool scatters) {
  if (list.empty() || std::ranges::find(copy.slice, 0) != copy.slice.end()) return;
  const GpuPlace place{copy.to.place.ordinal()};
  const memory::Allocation on_device = copied_to_device(list, place);
  move_elements(move_of(copy, std::ssize(list), on_device.data(), scatters), place, nullptr);
  on_device.uses()->note_write(device::Stream::current(place).mark());
}

std::vector<std::ptrdiff_t> row_major_strides(std::span<const std::ptrdiff_t> shape) {
  std::vector<std::ptrdiff_t> strides(shape.size());
  std::ptrdiff_t count = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; count *= shape[axis]) strides[axis] = count;
  return strides;
}

std::vector<MovingIndices> lists_of(std::span<const Picker> pickers) {
  std::vector<MovingIndices> lists;
  for (const Picker& picker : pickers) lists.push_back({picker.data, picker.type, picker.extents[0], picker.steps[0]});
  return lists;
}

/// The axes of positions, along which the pickers' indices are broadcast.
std::vector<MovedAxis> axes_of_positions(std::span<const Picker> pickers, std::span<const std::ptrdiff_t> positions) {
  std::vector<MovedAxis> axes;
  for (std::size_t axis = 0; axis < positions.size(); ++axis) {
    axes.push_back({positions[axis], 0, 0, {}});
    for (const Picker& picker : pickers) {
      const std::size_t lead = positions.size() - static_cast<std::size_t>(picker.rank);
      const bool varies = axis >= lead && picker.shape[axis - lead] != 1;
      axes.back().indices.push_back(varies ? picker.strides[axis - lead] : 0);
    }
  }
  return axes;
}

/// There are positions, and elements that they can name.
bool can_pick(std::span<const Picker> pickers, std::span<const std::ptrdiff_t> positions) {
  return std::ranges::find(positions, 0) == positions.end() &&
         std::ranges::all_of(pickers, [](const Picker& picker) { return picker.extents[0] > 0; });
}

/// What pickers pick along the axes of `from` that begin at its `axis`, into memory of this shape.
Move move_of_picked(const storage::StridedMemory& to, const PickedMemory& from, std::span<const Picker> pickers,
                    std::span<const std::ptrdiff_t> shape) {
  const auto at = static_cast<std::size_t>(from.axis);
  const std::size_t positions = shape.size() + pickers.size() - from.shape.size();
  Move move{.to = to.data,
            .from = from.data,
            .item = from.item,
            .axes = axes_of_positions(pickers, shape.subspan(at, positions)),
            .indices = lists_of(pickers)};
  const std::vector<std::ptrdiff_t> unpicked(pickers.size(), 0);
  for (std::size_t axis = 0; axis < positions; ++axis) move.axes[axis].to = to.strides[at + axis];
  for (std::size_t axis = at + positions; axis < shape.size(); ++axis)
    move.axes.push_back({shape[axis], to.strides[axis], from.strides[axis - positions + pickers.size()], unpicked});
  for (std::size_t axis = at; axis-- > 0;)
    move.axes.insert(move.axes.begin(), MovedAxis{shape[axis], to.strides[axis], from.strides[axis], unpicked});
  return move;
}

}  // namespace

void gather_on_device(const SliceCopy& copy, std::span<const std::int64_t> indices) {
  move_slices(copy, indices, false);
}

void scatter_on_device(const SliceCopy& copy, std::span<const std::int64_t> distances) {
  const std::vector<std::int64_t> order = in_order(distances);
  const auto distance = [&](std::int64_t number) { return distances[static_cast<std::size_t>(number)]; };
  std::vector<std::int64_t> slots(distances.begin(), distances.end());
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    if (distance(order[k]) == distance(order[k + 1])) slots[static_cast<std::size_t>(order[k])] = unwritten;
  }
  move_slices(copy, slots, true);
}

void scatter_on_device(const ScatteredMemory& memory, Place place) {
  std::vector<std::ptrdiff_t> to{1}, from{memory.values_step};
  to.insert(to.end(), memory.strides.begin(), memory.strides.end());
  from.insert(from.end(), memory.value_strides.begin(), memory.value_strides.end());
  const std::ptrdiff_t item = item_size(memory.type);
  scatter_on_device({.to = {{memory.data, to, item}, place},
                     .from = {{const_cast<void*>(memory.values), from, item}, place},
                     .slice = memory.extents},
                    memory.at.indices);
}

void combine_on_device(const ScatteredMemory& memory, Scattering how, Place on) {
  const std::span<const std::int64_t> distances = memory.at.indices;
  if (distances.empty()) return;
  const GpuPlace place{on.ordinal()};
  // Slots, where the values of each begin, and the values' numbers, one list behind the other.
  std::vector<std::int64_t> lists;
  const std::vector<std::int64_t> order = in_order(distances);
  std::vector<std::int64_t> starts;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int64_t slot = distances[static_cast<std::size_t>(order[k])];
    if (k > 0 && lists.back() == slot) continue;
    lists.push_back(slot);
    starts.push_back(static_cast<std::int64_t>(k));
  }
  const std::size_t slots = lists.size();
  starts.push_back(std::ssize(order));
  lists.insert(lists.end(), starts.begin(), starts.end());
  lists.insert(lists.end(), order.begin(), order.end());
  const memory::Allocation on_device = copied_to_device(lists, place);
  const std::span copied(static_cast<const std::int64_t*>(on_device.data()), lists.size());
  Combination combination{.to = memory.data,
                          .from = memory.values,
                          .type = memory.type,
                          .how = how,
                          .slots = copied.first(slots),
                          .starts = copied.subspan(slots, slots + 1),
                          .order = copied.last(order.size()),
                          .values_step = memory.values_step,
                          .others = {}};
  for (std::size_t axis = 0; axis < memory.extents.size(); ++axis)
    combination.others.push_back({memory.extents[axis], memory.strides[axis], memory.value_strides[axis], {0, 0}});
  combine_elements(combination, place);
  on_device.uses()->note_write(device::Stream::current(place).mark());
}

int gather_leaf(Lowering& lowering, const PickedMemory& from, std::span<const std::int64_t> distances,
                std::span<const std::ptrdiff_t> shape) {
  const std::size_t rank = shape.size(), at = static_cast<std::size_t>(from.axis);
  const std::size_t picked = rank + 1 - from.shape.size();  // axes that the distances have in the result
  const std::vector<std::ptrdiff_t> strides = row_major_strides(shape);
  std::ptrdiff_t count = 1;
  for (const std::ptrdiff_t extent : shape) count *= extent;
  void* const data = lowering.hold(count * from.item);
  if (count > 0) {
    const GpuPlace place{lowering.place().ordinal()};
    const memory::Allocation on_device = copied_to_device(distances, place);
    Move move{.to = data,
              .from = from.data,
              .item = from.item,
              .axes = {},
              .indices = {{on_device.data(), DType::int64, 0, from.strides[at]}}};
    for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
      if (axis == at) {
        move.axes.push_back({std::ssize(distances), strides[at + picked - 1], 0, {1}});
      } else {
        move.axes.push_back({from.shape[axis], strides[axis < at ? axis : axis + picked - 1], from.strides[axis], {0}});
      }
    }
    move_elements(std::move(move), place, nullptr);
    on_device.uses()->note_write(device::Stream::current(place).mark());
  }
  return lowering.add(data, shape, strides, from.item, lowering.place());
}

int gather_taken(Lowering& lowering, const PickedMemory& from, const IndexList& indices,
                 std::span<const std::ptrdiff_t> shape) {
  const std::ptrdiff_t extent = from.shape[static_cast<std::size_t>(from.axis)];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(indices.count));
  const auto read = [&]<class I>(const I* index) {
    for (std::int64_t& position : positions) {
      const auto given = static_cast<std::int64_t>(*index);
      position = given < 0 ? given + extent : given;
      index += indices.step;
    }
  };
  switch (indices.type) {
    case DType::int32: read(static_cast<const std::int32_t*>(indices.data)); break;
    case DType::uint64: read(static_cast<const std::uint64_t*>(indices.data)); break;
    default: read(static_cast<const std::int64_t*>(indices.data));
  }
  return gather_leaf(lowering, from, positions, shape);
}

int gather_picked(Lowering& lowering, const PickedMemory& from, std::span<const Picker> pickers,
                  std::span<const std::ptrdiff_t> shape) {
  if (!can_pick(pickers, shape)) return -1;
  const std::vector<std::ptrdiff_t> strides = row_major_strides(shape);
  void* const data = lowering.hold(shape[0] * strides[0] * from.item);
  const GpuPlace place{lowering.place().ordinal()};
  const OutsideMark outside(place);
  move_elements(move_of_picked({data, strides, from.item}, from, pickers, shape), place, outside.mark());
  if (outside.is_made()) return -1;
  return lowering.add(data, shape, strides, from.item, lowering.place());
}

bool gather_picked_to(const storage::StridedMemory& to, Place on, const PickedMemory& from,
                      std::span<const Picker> pickers, std::span<const std::ptrdiff_t> shape) {
  if (!can_pick(pickers, shape)) return false;
  const GpuPlace place{on.ordinal()};
  const std::size_t positions = shape.size() + pickers.size() - from.shape.size();
  const Claims claims{.axes = axes_of_positions(pickers, shape.subspan(static_cast<std::size_t>(from.axis), positions)),
                      .indices = lists_of(pickers),
                      .owners = nullptr,
                      .slots = nullptr,
                      .unit = 1};
  const OutsideMark outside(place);
  claim_elements(claims, Claiming::look, place, outside.mark());
  if (outside.is_made()) return false;
  move_elements(move_of_picked(to, from, pickers, shape), place, outside.mark());
  return true;
}

bool scatter_picked(const ScatteredMemory& memory, std::span<const Picker> pickers,
                    std::span<const std::ptrdiff_t> positions, Place on) {
  if (!can_pick(pickers, positions)) return false;
  const GpuPlace place{on.ordinal()};
  std::ptrdiff_t elements = 1, count = 1, unit = 0;
  for (const Picker& picker : pickers) {
    elements *= picker.extents[0];
    unit = std::gcd(unit, picker.steps[0]);
  }
  for (const std::ptrdiff_t extent : positions) count *= extent;
  if (unit == 0) unit = 1;
  constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(std::int64_t));
  const Temporary owners(place, core::checked_multiply(elements, item)), slots(place, count * item);
  const Claims claims{.axes = axes_of_positions(pickers, positions),
                      .indices = lists_of(pickers),
                      .owners = static_cast<std::int64_t*>(owners.data()),
                      .slots = static_cast<std::int64_t*>(slots.data()),
                      .unit = unit};
  const OutsideMark outside(place);
  claim_elements(claims, Claiming::check, place, outside.mark());
  if (outside.is_made()) return false;
  claim_elements(claims, Claiming::claim, place, outside.mark());
  claim_elements(claims, Claiming::assign, place, outside.mark());
  Move move{.to = memory.data,
            .from = memory.values,
            .item = item_size(memory.type),
            .axes = {{count, 0, memory.values_step, {1}}},
            .indices = {{slots.data(), DType::int64, 0, unit}},
            .scatters = true};
  // Axes of larger steps than those that are picked from stand before the positions, the others behind.
  std::size_t outer = 0;
  for (std::size_t axis = 0; axis < memory.extents.size(); ++axis) {
    const std::ptrdiff_t stride = memory.strides[axis];
    const bool is_outer = std::ranges::any_of(pickers, [&](const Picker& picker) { return stride > picker.steps[0]; });
    move.axes.insert(is_outer ? move.axes.begin() + static_cast<std::ptrdiff_t>(outer++) : move.axes.end(),
                     MovedAxis{memory.extents[axis], stride, memory.value_strides[axis], {0}});
  }
  move_elements(std::move(move), place, outside.mark());
  return true;
}

}  // namespace tessera::plan
