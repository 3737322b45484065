module;
#include <cstddef>
export module tessera.schedule:recycling;

// Memory for the scheduler's small objects: ops, Vars and coroutine frames, which come and go in their millions.
namespace tessera {

/// At least `bytes` of memory aligned to 64. Each thread keeps free lists by size, exchanged with the other threads in batches, so
/// that in a steady state nothing is asked of the system. Throws std::bad_alloc.
void* take_recycled(std::size_t bytes);

/// Gives back what take_recycled(bytes) returned, on any thread.
void give_recycled(void* block, std::size_t bytes) noexcept;

}  // namespace tessera
