module;
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
module tessera.memory;
import tessera.core;
import tessera.device;

// The virtual functions of the resource.
namespace tessera::memory {

PlaceResource::PlaceResource(Place place) : pool_(&pool(place)) {
  if (place.on_host()) return;
  throw PlaceError(to_string(Failure{.operation = "memory::PlaceResource",
                                     .problem = "containers cannot write to memory of " + to_string(place),
                                     .advice = "use CpuPlace{} or PinnedPlace{}"}));
}

void* PlaceResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > PTRDIFF_MAX || alignment > PTRDIFF_MAX || !std::has_single_bit(alignment)) throw std::bad_alloc();
  const auto aligned = static_cast<std::ptrdiff_t>(alignment);
  return pool_->allocate(static_cast<std::ptrdiff_t>(bytes), aligned < block_alignment ? block_alignment : aligned);
}

void PlaceResource::do_deallocate(void* pointer, std::size_t, std::size_t) { pool_->deallocate(pointer); }

bool PlaceResource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* same = dynamic_cast<const PlaceResource*>(&other);
  return same != nullptr && same->pool_ == pool_;
}

}  // namespace tessera::memory
