module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <source_location>
#include <string>
#include <utility>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;

// The kernels that copy between two layouts within a GPU: element by element, or in tiles by way of shared memory where the two sides are contiguous
// along different axes.
namespace tessera {

namespace {

/// A copy as a kernel sees it: the axes, slowest first by the side that is written, and elements as wide as both sides allow.
struct KernelCopy {
  std::vector<CopyAxis> axes;
  std::ptrdiff_t item;
  device::launching::Tiling tiling;
  bool wide = false;  // offsets and counts need 64 bits
};

std::ptrdiff_t count_of(const std::vector<CopyAxis>& axes) {
  std::ptrdiff_t count = 1;
  for (const CopyAxis& axis : axes) count *= axis.extent;
  return count;
}

/// Pairs of neighbours can be moved as one element of twice the size.
bool has_pairs(const KernelCopy& copy, const void* to, const void* from) {
  const auto is_even = [](std::ptrdiff_t number) { return number % 2 == 0; };
  const auto is_aligned = [&](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(2 * copy.item) == 0;
  };
  const CopyAxis& last = copy.axes.back();
  if (last.to != 1 || last.from != 1 || !is_even(last.extent) || !is_aligned(to) || !is_aligned(from)) return false;
  return std::all_of(copy.axes.begin(), copy.axes.end() - 1,
                     [&](const CopyAxis& axis) { return is_even(axis.to) && is_even(axis.from); });
}

void widen(KernelCopy& copy, const void* to, const void* from) {
  constexpr std::ptrdiff_t widest = 16;
  while (copy.item < widest && has_pairs(copy, to, from)) {
    copy.item *= 2;
    for (CopyAxis& axis : copy.axes) {
      axis.to /= 2;
      axis.from /= 2;
    }
    copy.axes.back() = {copy.axes.back().extent / 2, 1, 1};
  }
}

/// Every distance between elements of one side fits 32 bits.
bool is_narrow(const std::vector<CopyAxis>& axes, std::ptrdiff_t CopyAxis::* side) {
  std::ptrdiff_t reach = 0;
  for (const CopyAxis& axis : axes) {
    std::ptrdiff_t along = 0;
    if (__builtin_mul_overflow(std::abs(axis.*side), axis.extent, &along)) return false;
    if (__builtin_add_overflow(reach, along, &reach)) return false;
  }
  return reach <= std::numeric_limits<std::int32_t>::max();
}

device::launching::Tiling tiling_of(const KernelCopy& copy) {
  std::vector<std::ptrdiff_t> extents, to, from;
  for (const CopyAxis& axis : copy.axes) {
    extents.push_back(axis.extent);
    to.push_back(axis.to);
    from.push_back(axis.from);
  }
  const device::launching::TiledOperand operands[] = {{.strides = to, .item = copy.item},
                                                      {.strides = from, .item = copy.item}};
  return device::launching::tiling_of(extents, operands);
}

/// A short axis along which the source lies side by side, such as the channels of a pixel, becomes the fastest, although the target does not lie so: what
/// is in one cache line is read by neighbouring threads, and not once more for each row of the target. They write to as few rows as the axis has positions,
/// each of which goes on.
void put_short_source_axis_last(std::vector<CopyAxis>& axes) {
  constexpr std::ptrdiff_t most_rows = 16;
  const auto side_by_side = std::ranges::find(axes, 1, [](const CopyAxis& axis) { return std::abs(axis.from); });
  if (side_by_side != axes.end() && side_by_side->extent < most_rows)
    std::rotate(side_by_side, side_by_side + 1, axes.end());
}

KernelCopy kernel_copy(std::vector<CopyAxis> axes, std::ptrdiff_t item, const void* to, const void* from) {
  std::ranges::sort(axes, {}, [](const CopyAxis& axis) { return -std::abs(axis.to); });
  if (axes.empty()) axes.push_back({1, 1, 1});
  KernelCopy copy{.axes = std::move(axes), .item = item, .tiling = {}};
  widen(copy, to, from);
  copy.tiling = tiling_of(copy);
  if (copy.tiling.edge == 0) put_short_source_axis_last(copy.axes);
  copy.wide = count_of(copy.axes) > std::numeric_limits<std::int32_t>::max() || !is_narrow(copy.axes, &CopyAxis::to) ||
              !is_narrow(copy.axes, &CopyAxis::from);
  return copy;
}

/// The text with what each @ and its letter stand for.
std::string filled(const char* text, const KernelCopy& copy) {
  const int edge = std::max(copy.tiling.edge, 1);
  std::string result;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c != '@') {
      result += *c;
      continue;
    }
    switch (*++c) {
      case 'T': result += device::launching::item_type(copy.item); break;
      case 'I': result += copy.wide ? "unsigned long long" : "unsigned int"; break;
      case 'O': result += copy.wide ? "long long" : "int"; break;
      case 'R': result += std::to_string(copy.axes.size()); break;
      case 'L': result += std::to_string(copy.axes.size() - 1); break;
      case 'A': result += std::to_string(copy.tiling.axis); break;
      case 'E': result += std::to_string(edge); break;
      case 'S': result += std::to_string(device::launching::tile_threads / edge); break;
      default: result += std::to_string(device::launching::tile_pitch(edge, copy.item)); break;
    }
  }
  return result;
}

constexpr const char* types = R"cuda(
typedef @I tessera_index;
typedef @I Index;
typedef @O Offset;
)cuda";

// An extent has what finds quotients by it behind it. Of tiles, `across` and `down` are how many there are along the last axis and along the other.
constexpr const char* head = R"cuda(
struct tessera_extent { Index extent, factor, shift; };
struct tessera_arguments {
  @T* to;
  const @T* from;
  Index count;
  tessera_extent extents[@R], across, down;
  Offset to_strides[@R], from_strides[@R];
};
static __device__ __forceinline__ Index tessera_cut(Index n, const tessera_extent& by) {
  return tessera_quotient(n, by.factor, by.shift);
}
extern "C" __global__ void __launch_bounds__(256) tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const Index count = a.count;
)cuda";

constexpr std::ptrdiff_t elements_of_a_block = 1024;

/// Four elements of each thread at a time, so that the memory has four loads of each to work on.
constexpr const char* elements = R"cuda(
  const Index step = (Index)gridDim.x * 1024;
  for (Index first = (Index)blockIdx.x * 1024 + threadIdx.x; first < count; first += step) {
    @T values[4];
    Offset to[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      Index rest = first + k * 256;
      if (rest >= count) continue;
      Offset from = 0;
      to[k] = 0;
#pragma unroll
      for (int axis = @R - 1; axis >= 0; --axis) {
        const Index next = axis == 0 ? 0 : tessera_cut(rest, a.extents[axis]);
        const Offset at = (Offset)(rest - next * a.extents[axis].extent);
        rest = next;
        to[k] += at * a.to_strides[axis];
        from += at * a.from_strides[axis];
      }
      values[k] = a.from[from];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (first + k * 256 < count) a.to[to[k]] = values[k];
    }
  }
}
)cuda";

constexpr const char* tiles = R"cuda(
  __shared__ @T tile[@E * @P];
  const unsigned int x = threadIdx.x % @E, y = threadIdx.x / @E;
  const Index columns = a.extents[@L].extent, rows = a.extents[@A].extent;
  const Offset to_column = a.to_strides[@L], to_row = a.to_strides[@A];
  const Offset from_column = a.from_strides[@L], from_row = a.from_strides[@A];
  for (Index number = blockIdx.x; number < count; number += gridDim.x) {
    const Index row_of_tiles = tessera_cut(number, a.across);
    const Index column = (number - row_of_tiles * a.across.extent) * @E;
    Index rest = tessera_cut(row_of_tiles, a.down);
    const Index row = (row_of_tiles - rest * a.down.extent) * @E;
    Offset to = 0, from = 0;
#pragma unroll
    for (int axis = @R - 1; axis >= 0; --axis) {
      if (axis == @L || axis == @A) continue;
      const Index next = tessera_cut(rest, a.extents[axis]);
      const Offset at = (Offset)(rest - next * a.extents[axis].extent);
      rest = next;
      to += at * a.to_strides[axis];
      from += at * a.from_strides[axis];
    }
#pragma unroll
    for (int k = 0; k < @E; k += @S) {
      const Index i = column + y + k, j = row + x;
      if (i < columns && j < rows) tile[(y + k) * @P + x] = a.from[from + (Offset)i * from_column + (Offset)j * from_row];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < @E; k += @S) {
      const Index i = column + x, j = row + y + k;
      if (i < columns && j < rows) a.to[to + (Offset)i * to_column + (Offset)j * to_row] = tile[x * @P + y + k];
    }
    __syncthreads();
  }
}
)cuda";

std::string described(const KernelCopy& copy) {
  const bool tiled = copy.tiling.edge != 0;
  return "copy of " + std::to_string(copy.item) + "-byte elements along " + std::to_string(copy.axes.size()) + " axes" +
         (tiled ? ", in tiles of " + std::to_string(copy.tiling.edge) : std::string()) +
         (copy.wide ? ", 64-bit indices" : "");
}

void put_extent(device::launching::Arguments& arguments, std::ptrdiff_t extent, bool wide) {
  const device::launching::Divisor divisor = device::launching::divisor_of(extent, wide);
  arguments.put_index(extent, wide);
  arguments.put_index(static_cast<std::ptrdiff_t>(divisor.factor), wide);
  arguments.put_index(divisor.shift, wide);
}

void put_arguments(device::launching::Arguments& arguments, const KernelCopy& copy, std::ptrdiff_t count) {
  arguments.put_index(count, copy.wide);
  for (const CopyAxis& axis : copy.axes) put_extent(arguments, axis.extent, copy.wide);
  for (const std::size_t axis : {copy.axes.size() - 1, static_cast<std::size_t>(copy.tiling.axis)})
    put_extent(arguments, (copy.axes[axis].extent - 1) / std::max(copy.tiling.edge, 1) + 1, copy.wide);
  for (const auto member : {&CopyAxis::to, &CopyAxis::from}) {
    for (const CopyAxis& axis : copy.axes) arguments.put_index(axis.*member, copy.wide);
  }
}

std::ptrdiff_t tiles_of(const KernelCopy& copy) {
  std::vector<std::ptrdiff_t> extents;
  for (const CopyAxis& axis : copy.axes) extents.push_back(axis.extent);
  return device::launching::tile_count(extents, copy.tiling);
}

}  // namespace

void storage::launch_copy(std::vector<CopyAxis> axes, std::ptrdiff_t item, void* to, const void* from,
                          device::Stream& stream, CopyIndices indices) {
  KernelCopy copy = kernel_copy(std::move(axes), item, to, from);
  copy.wide = copy.wide || indices == CopyIndices::wide;
  const bool tiled = copy.tiling.edge != 0;
  const device::Kernel& kernel = device::find_kernel(stream.place(),
                                                     device::launching::item_support + filled(types, copy) +
                                                         device::launching::quotient_support(copy.wide) +
                                                         filled(head, copy) + filled(tiled ? tiles : elements, copy),
                                                     described(copy));
  const std::ptrdiff_t count = tiled ? tiles_of(copy) : count_of(copy.axes);
  device::launching::Arguments arguments;
  arguments.put(to);
  arguments.put(from);
  put_arguments(arguments, copy, count);
  constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 20;  // so that first + step fits 32 bits
  const std::ptrdiff_t wanted = tiled ? count : (count - 1) / elements_of_a_block + 1;
  kernel.launch(stream, static_cast<unsigned>(std::min(wanted, most_blocks)), device::launching::tile_threads, 0,
                arguments.padded(), "copy", std::source_location::current());
}

}  // namespace tessera
