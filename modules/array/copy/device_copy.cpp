module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// Which copies of the driver, and which kernels, make up a strided copy.
namespace tessera {

namespace {

std::ptrdiff_t count_of(const std::vector<CopyAxis>& axes) {
  std::ptrdiff_t count = 1;
  for (const CopyAxis& axis : axes) count *= axis.extent;
  return count;
}

/// The axes with one side packed in row-major order.
std::vector<CopyAxis> packed(std::vector<CopyAxis> axes, std::ptrdiff_t CopyAxis::* side) {
  std::ptrdiff_t stride = 1;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    axes[axis].*side = stride;
    stride *= axes[axis].extent;
  }
  return axes;
}

bool is_one_run(const std::vector<CopyAxis>& axes) {
  return axes.empty() || (axes.size() == 1 && axes[0].to == 1 && axes[0].from == 1);
}

bool is_rows(const std::vector<CopyAxis>& axes) {
  return axes.size() == 2 && axes[1].to == 1 && axes[1].from == 1 && axes[0].to >= axes[1].extent &&
         axes[0].from >= axes[1].extent;
}

/// Memory of a GPU between two pieces of work of one stream.
class Staging {
 public:
  Staging(device::Stream& stream, std::ptrdiff_t bytes) : stream_(stream), memory_(stream.place(), bytes) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { memory_.uses()->note_write(stream_.mark()); }
  void* data() const { return memory_.data(); }

 private:
  device::Stream& stream_;
  memory::Allocation memory_;
};

/// One copy of bytes or rows, or one kernel. Returns false if there is none that does it.
bool copy_at_once(const std::vector<CopyAxis>& axes, const PlacedMemory& to, const PlacedMemory& from,
                  device::Stream& stream) {
  if (is_one_run(axes)) {
    device::copy_async(to.data, to.place, from.data, from.place, count_of(axes) * to.item, stream);
    return true;
  }
  if (to.place == from.place) {
    launch_copy(axes, to.item, to.data, from.data, stream);
    return true;
  }
  if (!is_rows(axes)) return false;
  device::copy_rows_async({.to = to.data,
                           .to_place = to.place,
                           .to_pitch = axes[0].to * to.item,
                           .from = from.data,
                           .from_place = from.place,
                           .from_pitch = axes[0].from * to.item,
                           .row_bytes = axes[1].extent * to.item,
                           .rows = axes[0].extent},
                          stream);
  return true;
}

/// From a GPU by way of packed memory, on the GPU and, if it comes to the host, there too.
void copy_packed_from(const std::vector<CopyAxis>& axes, const PlacedMemory& to, const PlacedMemory& from,
                      device::Stream& stream) {
  const std::ptrdiff_t bytes = count_of(axes) * to.item;
  const Staging staging(stream, bytes);
  launch_copy(packed(axes, &CopyAxis::to), to.item, staging.data(), from.data, stream);
  if (!to.place.on_host()) {  // another GPU
    device::Stream& other = device::Stream::current(GpuPlace{to.place.ordinal()});
    const Staging arrived(other, bytes);
    other.wait(stream.mark());
    device::copy_async(arrived.data(), to.place, staging.data(), from.place, bytes, other);
    stream.wait(other.mark());
    return launch_copy(packed(axes, &CopyAxis::from), to.item, to.data, arrived.data(), other);
  }
  const memory::Allocation host(CpuPlace{}, bytes);
  device::copy_async(host.data(), CpuPlace{}, staging.data(), from.place, bytes, stream);
  stream.mark().wait();
  copy_on_host(packed(axes, &CopyAxis::from), to.item, to.data, host.data());
}

/// From the host to a GPU by way of packed memory on both.
void copy_packed_to(const std::vector<CopyAxis>& axes, const PlacedMemory& to, const PlacedMemory& from,
                    device::Stream& stream) {
  const std::ptrdiff_t bytes = count_of(axes) * to.item;
  const bool is_pinned = from.place.kind() == PlaceKind::pinned;  // then nobody waits for the copy
  const memory::Allocation host(is_pinned ? Place(PinnedPlace{}) : Place(CpuPlace{}), bytes);
  if (from.uses != nullptr) from.uses->wait_for_reading();  // here the host reads, not the stream
  copy_on_host(packed(axes, &CopyAxis::to), to.item, host.data(), from.data);
  const Staging staging(stream, bytes);
  device::copy_async(staging.data(), to.place, host.data(), host.place(), bytes, stream);
  is_pinned ? host.uses()->note_read(stream.mark()) : stream.mark().wait();  // as long as the memory is there
  launch_copy(packed(axes, &CopyAxis::from), to.item, to.data, staging.data(), stream);
}

/// The host has the elements, or may reuse the memory of those that it gave, when the stream is here.
bool host_must_wait(const PlacedMemory& to, const PlacedMemory& from) {
  return to.place.kind() == PlaceKind::cpu || from.place.kind() == PlaceKind::cpu;
}

}  // namespace

void copy_with_device(const std::vector<CopyAxis>& axes, const PlacedMemory& to, const PlacedMemory& from) {
  device::Stream& stream = device::Stream::current(GpuPlace{(from.place.on_host() ? to.place : from.place).ordinal()});
  if (from.uses != nullptr) from.uses->order_read(stream);
  if (to.uses != nullptr) to.uses->order_write(stream);
  if (!copy_at_once(axes, to, from, stream)) {
    from.place.on_host() ? copy_packed_to(axes, to, from, stream) : copy_packed_from(axes, to, from, stream);
  }
  device::Stream& last = device::Stream::current(GpuPlace{(to.place.on_host() ? from.place : to.place).ordinal()});
  if (from.uses != nullptr) from.uses->note_read(stream.mark());
  if (&last != &stream) last.wait(stream.mark());
  if (to.uses != nullptr) to.uses->note_write(last.mark());
  if (host_must_wait(to, from)) last.mark().wait();
}

bool fill_on_device(void* to, Place place, std::ptrdiff_t count, const void* value, std::ptrdiff_t item_bytes,
                    device::StreamUses& uses) {
  constexpr std::ptrdiff_t most = 4;  // bytes that CUDA repeats
  const auto* bytes = static_cast<const std::byte*>(value);
  const std::ptrdiff_t repeated = std::min(item_bytes, most);
  for (std::ptrdiff_t at = repeated; at < item_bytes; ++at) {
    if (bytes[at] != bytes[at - repeated]) return false;
  }
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, value, static_cast<std::size_t>(repeated));
  if (count == 0) return true;
  device::Stream& stream = device::Stream::current(GpuPlace{place.ordinal()});
  uses.order_write(stream);
  device::fill_async(to, count * (item_bytes / repeated), static_cast<int>(repeated), pattern, stream);
  uses.note_write(stream.mark());
  return true;
}

}  // namespace tessera
