module;
#include <cstddef>
#include <cstring>
#include <string>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;

// Memory of GPUs and page-locked memory of the host, and copies for which the host waits.
namespace tessera::device {

void* driver_memory::driver_allocate(Place place, std::ptrdiff_t bytes) {
  if (place.kind() == PlaceKind::cpu)
    throw PlaceError("driver_allocate: cpu memory does not come from the CUDA driver");
  enter(place);
  CuPointer on_device = 0;
  void* on_host = nullptr;
  const bool pinned = place.kind() == PlaceKind::pinned;
  constexpr unsigned portable = 1;  // usable from every context
  const CuResult result = pinned ? driver().host_allocate(&on_host, static_cast<std::size_t>(bytes), portable)
                                 : driver().memory_allocate(&on_device, static_cast<std::size_t>(bytes));
  if (result == cuda_out_of_memory) return nullptr;
  check(result, pinned ? "cuMemHostAlloc" : "cuMemAlloc", place);
  return pinned ? on_host : reinterpret_cast<void*>(on_device);
}

void driver_memory::driver_free(Place place, void* pointer) noexcept {
  driver().set_context(driver().contexts[static_cast<std::size_t>(place.ordinal())]);
  if (place.kind() == PlaceKind::pinned) {
    driver().host_free(pointer);
  } else {
    driver().memory_free(address(pointer));
  }
}

void copy_bytes(void* to, Place to_place, const void* from, Place from_place, std::ptrdiff_t bytes) {
  if (bytes == 0) return;
  if (to_place.on_host() && from_place.on_host()) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  require_device(to_place);
  require_device(from_place);
  const Place gpu = to_place.on_host() ? from_place : to_place;
  Stream& stream = Stream::current(GpuPlace{gpu.ordinal()});
  copy_async(to, to_place, from, from_place, bytes, stream);
  stream.mark().wait();
}

}  // namespace tessera::device
