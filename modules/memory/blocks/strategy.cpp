module;
#include <bit>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
module tessera.memory;
import tessera.core;
import tessera.device;

// What every allocator refuses.
namespace tessera::memory {

void refuse_pointer(Place place, const void* pointer) {
  std::ostringstream text;
  text << pointer << " is not the start of a live allocation";
  throw PlaceError(
      to_string(Failure{.operation = "memory::free(" + to_string(place) + ")",
                        .problem = text.str(),
                        .advice = "it was freed before, belongs to another place, or points inside a block"}));
}

void check_request(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  if (bytes < 0) {
    throw ShapeError(to_string(
        Failure{.operation = "memory::alloc", .problem = std::to_string(bytes) + " bytes cannot be allocated"}));
  }
  if (alignment <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    throw ShapeError(
        to_string(Failure{.operation = "memory::alloc",
                          .problem = "an alignment of " + std::to_string(alignment) + " is no power of two"}));
  }
}

}  // namespace tessera::memory
