module;
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;
import :pool_state;

// The pools of this process.
namespace tessera::memory {

namespace {

constinit std::atomic<Pool*> cpu_pool = nullptr;

bool debug_is_wanted() {
  const char* text = std::getenv("TESSERA_MEMORY_DEBUG");
  return text != nullptr && *text != '\0' && std::string_view(text) != "0";
}

/// The pools in debug mode by the environment, for the report at exit.
std::deque<Pool*>& debugged_pools() {
  static auto& pools = *new std::deque<Pool*>;
  return pools;
}

void report_leaks() {
  for (const Pool* pool : debugged_pools()) std::fputs(pool->leaks().c_str(), stderr);
}

void debug_if_wanted(Pool& pool) {
  if (!debug_is_wanted()) return;
  [[maybe_unused]] static const int reported_at_exit = std::atexit(report_leaks);
  debugged_pools().push_back(&pool);
  pool.set_debug(true);
}

void trace_if_wanted(Pool& pool) {
  const char* path = std::getenv("TESSERA_MEMORY_TRACE");
  if (path == nullptr || *path == '\0') return;
  pool.start_trace(path);
  std::atexit([] {  // where an exception would end a program that has done its work
    try {
      stop_trace(CpuPlace{});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  });
}

/// A pool that lives until the process ends.
template <class Upstream>
Pool& lasting_pool(Upstream upstream, PoolOptions options = {}) {
  Pool& made = *new Pool(std::move(upstream), options);
  debug_if_wanted(made);
  return made;
}

Pool& make_cpu_pool() {
  static Pool& made = []() -> Pool& {
    Pool& pool = lasting_pool(CpuSystemAllocator{});
    trace_if_wanted(pool);
    cpu_pool.store(&pool, std::memory_order_release);
    return pool;
  }();
  return made;
}

/// The driver is asked in larger steps than the system: a call of it may wait for the device.
PoolOptions driver_options() {
  PoolOptions options;
  options.layout.smallest_chunk = std::ptrdiff_t{1} << 20;
  return options;
}

std::deque<Pool*>& gpu_pools() {
  static auto& pools = *[] {
    auto* made = new std::deque<Pool*>;
    for (const DeviceInfo& info : devices())
      made->push_back(&lasting_pool(DriverSystemAllocator(info.place, default_driver_memory()), driver_options()));
    return made;
  }();
  return pools;
}

Pool& device_pool(Place place) {
  require_device(place);
  static Pool& pinned = lasting_pool(DriverSystemAllocator(PinnedPlace{}), driver_options());
  if (place.kind() == PlaceKind::pinned) return pinned;
  return *gpu_pools()[static_cast<std::size_t>(place.ordinal())];
}

}  // namespace

/// The way past the pools' functions to what they do, for the functions that are called most.
struct PlacePools {
  static PoolState& state_of(Place place) { return *pool(place).state_; }
};

Pool& pool(Place place) {
  if (place.kind() != PlaceKind::cpu) return device_pool(place);
  Pool* made = cpu_pool.load(std::memory_order_acquire);
  return made != nullptr ? *made : make_cpu_pool();
}

void* alloc(Place place, std::ptrdiff_t bytes, std::source_location where) {
  return PlacePools::state_of(place).allocate(bytes, block_alignment, where);
}

void free(Place place, void* pointer) {
  if (pointer != nullptr && !PlacePools::state_of(place).deallocate(pointer)) refuse_pointer(place, pointer);
}

std::ptrdiff_t used(Place place) { return stats(place).in_use; }

Stats stats(Place place) {
  Stats figures = pool(place).stats();
  const PendingFigures pending = pending_figures(place);
  figures.in_use -= pending.bytes;
  figures.allocated -= pending.bytes;
  figures.live -= pending.blocks;
  figures.cached += pending.bytes;
  return figures;
}

void set_debug(Place place, bool on) { pool(place).set_debug(on); }

std::string leaks(Place place) { return pool(place).leaks(); }

void start_trace(Place place, const std::string& path) { pool(place).start_trace(path); }

void stop_trace(Place place) { pool(place).stop_trace(); }

void set_patience(Place place, std::chrono::milliseconds patience) { pool(place).set_patience(patience); }

void trim(Place place) {
  collect_freed(place);
  pool(place).trim();
}

void set_limit(Place place, std::ptrdiff_t bytes) { pool(place).set_limit(bytes); }

}  // namespace tessera::memory
