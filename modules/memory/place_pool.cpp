module;
#include <cstddef>
#include <deque>
module tessera.memory;
import tessera.core;
import tessera.device;

// The pools of this process.
namespace tessera::memory {

namespace {

std::deque<Pool>& gpu_pools() {
  static auto& pools = *[] {
    auto made = new std::deque<Pool>;
    for (const DeviceInfo& info : devices()) made->emplace_back(DriverSystemAllocator(info.place));
    return made;
  }();
  return pools;
}

}  // namespace

Pool& pool(Place place) {
  require_device(place);
  static Pool& cpu = *new Pool(CpuSystemAllocator{});
  if (place.kind() == PlaceKind::cpu) return cpu;
  static Pool& pinned = *new Pool(DriverSystemAllocator(PinnedPlace{}));
  if (place.kind() == PlaceKind::pinned) return pinned;
  return gpu_pools()[static_cast<std::size_t>(place.ordinal())];
}

void* alloc(Place place, std::ptrdiff_t bytes) { return pool(place).allocate(bytes); }

void free(Place place, void* pointer) { pool(place).deallocate(pointer); }

std::ptrdiff_t used(Place place) { return pool(place).stats().in_use; }

Stats stats(Place place) { return pool(place).stats(); }

void trim(Place place) { pool(place).trim(); }

void set_limit(Place place, std::ptrdiff_t bytes) { pool(place).set_limit(bytes); }

}  // namespace tessera::memory
