module;
#include <cstddef>
export module tessera.memory:place_pool;
import tessera.core;
import tessera.device;
import :allocator;
import :pool;

// One pool per place, and the functions that users call.
namespace tessera::memory {

/// The pool of a place, made on first use and never destroyed, so that arrays with static storage can be freed at exit.
/// Throws DeviceError if the place does not exist.
export Pool& pool(Place place);

/// Uninitialised memory of `place`, aligned to 64 bytes. Throws OutOfMemory, or DeviceError if the place does not exist.
export void* alloc(Place place, std::ptrdiff_t bytes);

/// Gives back memory from alloc with the same place. Throws PlaceError for any other pointer; null is ignored.
export void free(Place place, void* pointer);

/// Bytes in use at the place.
export std::ptrdiff_t used(Place place);

/// All figures of the place.
export Stats stats(Place place);

/// Returns the place's cached blocks to the system.
export void trim(Place place);

/// Highest number of bytes that the place may reserve; PTRDIFF_MAX for no limit.
export void set_limit(Place place, std::ptrdiff_t bytes);

}  // namespace tessera::memory
