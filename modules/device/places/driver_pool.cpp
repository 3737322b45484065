module;
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;

// Memory from the pools that the CUDA driver keeps for each GPU. Their memory belongs to the order of a stream: one of its own for each GPU, on which
// nothing else runs, so that to wait for it takes no longer than the driver's own work.
namespace tessera::device::driver_memory {

namespace {

struct PoolStream {
  std::mutex mutex;  // a stream is given work by one thread at a time
  Stream* stream = nullptr;
};

PoolStream& pool_stream(GpuPlace place) {
  static auto& all = *new std::deque<PoolStream>(driver().devices.size());
  return all[static_cast<std::size_t>(place.ordinal)];
}

[[noreturn]] void throw_no_pools(GpuPlace place, const char* problem) {
  throw DeviceError(to_string(Failure{.operation = "cuMemAllocAsync",
                                      .problem = to_string(Place(place)) + ": " + problem,
                                      .advice = "use the driver's plain memory: leave TESSERA_GPU_MEMORY unset"}));
}

void require_pools(GpuPlace place) {
  constexpr int memory_pools_supported = 115;
  if (driver().pool_allocate == nullptr || driver().pool_free == nullptr)
    throw_no_pools(place, "the CUDA driver has no memory pools");
  CuDevice device = 0;
  int supported = 0;
  check(driver().device_get(&device, place.ordinal), "cuDeviceGet", place);
  check(driver().device_attribute(&supported, memory_pools_supported, device), "cuDeviceGetAttribute", place);
  if (supported == 0) throw_no_pools(place, "the GPU has no memory pools");
}

}  // namespace

void* pool_allocate(GpuPlace place, std::ptrdiff_t bytes) {
  enter(place);
  PoolStream& own = pool_stream(place);
  const std::lock_guard lock(own.mutex);
  if (own.stream == nullptr) {
    require_pools(place);
    own.stream = &Stream::create(place);
  }
  CuPointer pointer = 0;
  const auto allocate = [&] {
    return driver().pool_allocate(&pointer, static_cast<std::size_t>(bytes), own.stream->native());
  };
  CuResult result = allocate();
  if (result == cuda_out_of_memory) {  // what was given back may not be free yet
    own.stream->synchronize();
    result = allocate();
  }
  if (result == cuda_out_of_memory) return nullptr;
  check(result, "cuMemAllocAsync", place);
  own.stream->count_work();
  try {
    own.stream->synchronize();  // from here on the memory is there for all streams
  } catch (...) {
    driver().pool_free(pointer, own.stream->native());
    throw;
  }
  return reinterpret_cast<void*>(pointer);
}

void pool_free(GpuPlace place, void* pointer) noexcept {
  driver().set_context(driver().contexts[static_cast<std::size_t>(place.ordinal)]);
  PoolStream& own = pool_stream(place);
  const std::lock_guard lock(own.mutex);
  if (driver().pool_free(address(pointer), own.stream->native()) == cuda_success) own.stream->count_work();
}

}  // namespace tessera::device::driver_memory
