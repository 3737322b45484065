module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:stream_order;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :place_pool;

// Memory of a place's pool in the order of streams: given back while a GPU still works with it, and used again by later
// work of the same stream at once, by others when that work is done.
namespace tessera::memory {

/// Memory of the stream's GPU for work that the stream is given from now on. `uses`, which is the memory's from now on,
/// is told of earlier work of the stream that may still use it: others are ordered after that by it. Throws as
/// alloc(place, bytes) does; before that it waits for work that uses freed memory.
export void* alloc(device::Stream& stream, std::ptrdiff_t bytes, device::StreamUses& uses,
                   std::source_location where = std::source_location::current());

/// Gives back memory of a GPU, or pinned memory, of the size that was asked for, which streams may still use. Calls no
/// function of CUDA's and does not wait. Until the memory is free, used() and stats() do not count it as in use, but as
/// cached; the peak does.
export void free(Place place, void* pointer, std::ptrdiff_t bytes, const device::StreamUses& uses) noexcept;

/// Bytes that were given back and that streams still use, as far as is known without asking.
export std::ptrdiff_t pending(Place place);

/// What the place's figures must be corrected by.
struct PendingFigures {
  std::ptrdiff_t bytes = 0;
  std::ptrdiff_t blocks = 0;
};
PendingFigures pending_figures(Place place);

/// Gives the pool all memory that streams do not use any more. Does not wait.
void collect_freed(Place place);

}  // namespace tessera::memory
