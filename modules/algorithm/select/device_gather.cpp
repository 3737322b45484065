module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <utility>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// The CUDA kernel that gathers slices, and the memory for its indices.
namespace tessera {

namespace {

constexpr unsigned gather_threads = 256;

std::string gather_text(std::ptrdiff_t item, std::size_t axes) {
  const std::string type = device::launching::item_type(item);
  const std::string rank = std::to_string(axes);
  return device::launching::item_support + ("struct tessera_arguments {\n  " + type) + "* to;\n  const " + type +
         "* from;\n  const long long* indices;\n  long long count, extent[" + rank + "], to_stride[" + rank +
         "], from_stride[" + rank +
         "];\n};\n"
         "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n"
         "  const long long step = (long long)gridDim.x * blockDim.x;\n"
         "  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {\n"
         "    long long rest = i, to = 0, from = 0;\n"
         "#pragma unroll\n"
         "    for (int axis = " +
         rank +
         " - 1; axis > 0; --axis) {\n"
         "      const long long at = rest % a.extent[axis];\n"
         "      rest /= a.extent[axis];\n"
         "      to += at * a.to_stride[axis];\n"
         "      from += at * a.from_stride[axis];\n"
         "    }\n"
         "    a.to[to + rest * a.to_stride[0]] = a.from[from + a.indices[rest] * a.from_stride[0]];\n"
         "  }\n"
         "}\n";
}

}  // namespace

void gather_on_device(const SliceCopy& copy, std::span<const std::int64_t> indices) {
  std::ptrdiff_t count = std::ssize(indices);
  for (const std::ptrdiff_t extent : copy.slice) count *= extent;
  if (count == 0) return;
  const GpuPlace place{copy.to.place.ordinal()};
  device::Stream& stream = device::Stream::current(place);
  const std::size_t axes = copy.slice.size() + 1;
  const device::Kernel& kernel = device::find_kernel(place, gather_text(copy.to.item, axes),
                                                     "take of slices with " + std::to_string(axes - 1) + " axes");
  const memory::Allocation on_device(place, static_cast<std::ptrdiff_t>(indices.size_bytes()));
  const memory::Allocation pinned(PinnedPlace{}, on_device.bytes());  // which stays until the stream has read it
  std::memcpy(pinned.data(), indices.data(), indices.size_bytes());
  device::copy_async(on_device.data(), place, pinned.data(), PinnedPlace{}, on_device.bytes(), stream);
  pinned.uses()->note_read(stream.mark());
  on_device.uses()->note_write(stream.mark());
  device::launching::Arguments arguments;
  arguments.put(copy.to.data);
  arguments.put(copy.from.data);
  arguments.put(on_device.data());
  arguments.put(count);
  arguments.put(std::ssize(indices));
  arguments.put_all(copy.slice);
  arguments.put_all(copy.to.strides);
  arguments.put_all(copy.from.strides);
  copy.from.uses->order_read(stream);
  copy.to.uses->order_write(stream);
  constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;
  const auto blocks = static_cast<unsigned>(std::min((count - 1) / gather_threads + 1, most_blocks));
  kernel.launch(stream, blocks, gather_threads, 0, std::move(arguments).take(), "take",
                std::source_location::current());
  copy.from.uses->note_read(stream.mark());
  copy.to.uses->note_write(stream.mark());
  on_device.uses()->note_write(stream.mark());
}

}  // namespace tessera
