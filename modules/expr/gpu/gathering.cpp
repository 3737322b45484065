module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// The CUDA kernel that gathers slices, and the memory for its indices.
namespace tessera::plan {

namespace {

constexpr unsigned gather_threads = 256;
constexpr std::ptrdiff_t of_a_block = 1024;  // items: four of each thread

/// A copy as the kernel sees it: axes, the picked one first, along which all items are moved, as wide as both sides allow.
struct Gather {
  std::ptrdiff_t item;
  std::vector<std::ptrdiff_t> extents, to, from;
  bool wide = false;  // the number of items needs 64 bits

  std::ptrdiff_t count() const {
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t extent : extents) count *= extent;
    return count;
  }
};

/// Axes of a slice that one step of both sides goes through become one.
void merge_axes(Gather& gather) {
  for (std::size_t axis = gather.extents.size() - 1; axis >= 2; --axis) {
    const std::ptrdiff_t extent = gather.extents[axis];
    const bool continues =
        gather.to[axis - 1] == gather.to[axis] * extent && gather.from[axis - 1] == gather.from[axis] * extent;
    if (!continues && extent != 1) continue;
    if (continues) {
      gather.extents[axis - 1] *= extent;
      gather.to[axis - 1] = gather.to[axis];
      gather.from[axis - 1] = gather.from[axis];
    }
    for (auto* numbers : {&gather.extents, &gather.to, &gather.from})
      numbers->erase(numbers->begin() + static_cast<std::ptrdiff_t>(axis));
  }
}

/// Pairs of neighbours can be moved as one item of twice the size.
bool has_pairs(const Gather& gather, const void* to, const void* from) {
  const auto is_even = [](std::ptrdiff_t number) { return number % 2 == 0; };
  const auto is_aligned = [&](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(2 * gather.item) == 0;
  };
  if (gather.extents.size() < 2 || gather.to.back() != 1 || gather.from.back() != 1) return false;
  return is_even(gather.extents.back()) && is_aligned(to) && is_aligned(from) &&
         std::all_of(gather.to.begin(), gather.to.end() - 1, is_even) &&
         std::all_of(gather.from.begin(), gather.from.end() - 1, is_even);
}

Gather gather_of(const SliceCopy& copy, std::ptrdiff_t indices) {
  Gather gather{.item = copy.to.item,
                .extents = {indices},
                .to = {copy.to.strides.begin(), copy.to.strides.end()},
                .from = {copy.from.strides.begin(), copy.from.strides.end()}};
  gather.extents.insert(gather.extents.end(), copy.slice.begin(), copy.slice.end());
  merge_axes(gather);
  constexpr std::ptrdiff_t widest = 16;
  while (gather.item < widest && has_pairs(gather, copy.to.data, copy.from.data)) {
    gather.item *= 2;
    gather.extents.back() /= 2;
    for (std::size_t axis = 0; axis + 1 < gather.extents.size(); ++axis) {
      gather.to[axis] /= 2;
      gather.from[axis] /= 2;
    }
  }
  gather.wide = gather.count() > std::numeric_limits<std::int32_t>::max();
  return gather;
}

/// Four items of each thread are loaded before the first is stored; those beyond the end are the last one, and are not stored.
std::string gather_text(const Gather& gather, bool scatters) {
  std::string text = device::launching::item_support;
  text += gather.wide ? "typedef unsigned long long tessera_index;\n" : "typedef unsigned int tessera_index;\n";
  text += device::launching::quotient_support(gather.wide);
  text += R"cuda(struct tessera_arguments {
  @T* to;
  const @T* from;
  const long long* indices;@S
  tessera_index count, extent[@R], factor[@R], shift[@R];
  long long to_stride[@R], from_stride[@R];
};
extern "C" __global__ void __launch_bounds__(256) tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const tessera_index step = (tessera_index)gridDim.x * 1024;
  for (tessera_index first = (tessera_index)blockIdx.x * 1024 + threadIdx.x; first < a.count; first += step) {
    long long to[4], from[4];
    tessera_index picked[4];
    @T values[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      picked[k] = first + k * 256 < a.count ? first + k * 256 : a.count - 1;
      to[k] = from[k] = 0;
#pragma unroll
      for (int axis = @R - 1; axis > 0; --axis) {
        const tessera_index next = tessera_quotient(picked[k], a.factor[axis], a.shift[axis]);
        const long long at = picked[k] - next * a.extent[axis];
        to[k] += at * a.to_stride[axis];
        from[k] += at * a.from_stride[axis];
        picked[k] = next;
      }
      to[k] += @P * a.to_stride[0];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) from[k] += a.indices[picked[k]] * a.from_stride[0];
#pragma unroll
    for (int k = 0; k < 4; ++k) values[k] = a.from[from[k]];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (first + k * 256 < a.count) a.to[to[k]] = values[k];
    }
  }
}
)cuda";
  const auto replace_all = [&text](std::string_view name, const std::string& by) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + by.size()))
      text.replace(at, name.size(), by);
  };
  replace_all("@T", device::launching::item_type(gather.item));
  replace_all("@R", std::to_string(gather.extents.size()));
  replace_all("@S", scatters ? "\n  const long long* slots;" : "");
  replace_all("@P", scatters ? "a.slots[picked[k]]" : "(long long)picked[k]");
  return text;
}

std::vector<std::byte> gather_arguments(const SliceCopy& copy, const Gather& gather, const std::int64_t* indices,
                                        const std::int64_t* slots) {
  device::launching::Arguments arguments;
  arguments.put(copy.to.data);
  arguments.put(copy.from.data);
  arguments.put(static_cast<const void*>(indices));
  if (slots != nullptr) arguments.put(static_cast<const void*>(slots));
  arguments.put_index(gather.count(), gather.wide);
  std::vector<device::launching::Divisor> divisors;
  for (const std::ptrdiff_t extent : gather.extents) {
    divisors.push_back(device::launching::divisor_of(extent, gather.wide));
    arguments.put_index(extent, gather.wide);
  }
  for (const auto& divisor : divisors) arguments.put_index(static_cast<std::ptrdiff_t>(divisor.factor), gather.wide);
  for (const auto& divisor : divisors) arguments.put_index(divisor.shift, gather.wide);
  arguments.put_all(gather.to);
  arguments.put_all(gather.from);
  return std::move(arguments).take();
}

/// Slice indices[i] of `from` becomes slice slots[i] of `to`, or slice i if there are no slots.
void move_slices(const SliceCopy& copy, std::span<const std::int64_t> indices, std::span<const std::int64_t> slots) {
  std::ptrdiff_t elements = std::ssize(indices);
  for (const std::ptrdiff_t extent : copy.slice) elements *= extent;
  if (elements == 0) return;
  const GpuPlace place{copy.to.place.ordinal()};
  device::Stream& stream = device::Stream::current(place);
  const Gather gather = gather_of(copy, std::ssize(indices));
  const device::Kernel& kernel =
      device::find_kernel(place, gather_text(gather, !slots.empty()),
                          (slots.empty() ? "take of slices with " : "scatter of slices with ") +
                              std::to_string(copy.slice.size()) + " axes");
  const memory::Allocation on_device(place, static_cast<std::ptrdiff_t>(indices.size_bytes() + slots.size_bytes()));
  const memory::Allocation pinned(PinnedPlace{}, on_device.bytes());  // which stays until the stream has read it
  std::memcpy(pinned.data(), indices.data(), indices.size_bytes());
  if (!slots.empty())
    std::memcpy(static_cast<std::int64_t*>(pinned.data()) + indices.size(), slots.data(), slots.size_bytes());
  device::copy_async(on_device.data(), place, pinned.data(), PinnedPlace{}, on_device.bytes(), stream);
  pinned.uses()->note_read(stream.mark());
  on_device.uses()->note_write(stream.mark());
  if (copy.from.uses != nullptr) copy.from.uses->order_read(stream);
  if (copy.to.uses != nullptr) copy.to.uses->order_write(stream);
  constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;
  const auto blocks = static_cast<unsigned>(std::min((gather.count() - 1) / of_a_block + 1, most_blocks));
  const auto* const lists = static_cast<const std::int64_t*>(on_device.data());
  kernel.launch(stream, blocks, gather_threads, 0,
                gather_arguments(copy, gather, lists, slots.empty() ? nullptr : lists + indices.size()),
                slots.empty() ? "take" : "scatter", std::source_location::current());
  if (copy.from.uses != nullptr) copy.from.uses->note_read(stream.mark());
  if (copy.to.uses != nullptr) copy.to.uses->note_write(stream.mark());
  on_device.uses()->note_write(stream.mark());
}

}  // namespace

void gather_on_device(const SliceCopy& copy, std::span<const std::int64_t> indices) { move_slices(copy, indices, {}); }

void scatter_on_device(const SliceCopy& copy, std::span<const std::int64_t> distances) {
  std::vector<std::int64_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto distance = [&](std::int64_t number) { return distances[static_cast<std::size_t>(number)]; };
  std::ranges::sort(order, {}, [&](std::int64_t number) { return std::pair(distance(number), number); });
  std::vector<std::int64_t> slots, last;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k + 1 < order.size() && distance(order[k]) == distance(order[k + 1])) continue;
    slots.push_back(distance(order[k]));
    last.push_back(order[k]);
  }
  move_slices(copy, last, slots);
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

int gather_leaf(Lowering& lowering, const PickedMemory& from, std::span<const std::int64_t> distances,
                std::span<const std::ptrdiff_t> shape) {
  const std::size_t rank = shape.size(), at = static_cast<std::size_t>(from.axis);
  const std::size_t picked = rank + 1 - from.shape.size();  // axes that the distances have in the result
  std::vector<std::ptrdiff_t> strides(rank);
  std::ptrdiff_t count = 1;
  for (std::size_t axis = rank; axis-- > 0; count *= shape[axis]) strides[axis] = count;
  void* const data = lowering.hold(count * from.item);
  // The axis of the distances first, then the others.
  std::vector<std::ptrdiff_t> slice, to_strides{strides[at + picked - 1]}, from_strides{from.strides[at]};
  for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
    if (axis == at) continue;
    slice.push_back(from.shape[axis]);
    to_strides.push_back(strides[axis < at ? axis : axis + picked - 1]);
    from_strides.push_back(from.strides[axis]);
  }
  if (count > 0) {
    gather_on_device({.to = {{data, to_strides, from.item}, lowering.place()},
                      .from = {{const_cast<void*>(from.data), from_strides, from.item}, lowering.place()},
                      .slice = slice},
                     distances);
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

}  // namespace tessera::plan
