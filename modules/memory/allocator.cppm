module;
#include <cstddef>
export module tessera.memory:allocator;
import tessera.standard;
import tessera.core;
import tessera.device;

// What an allocator must offer, and what it reports.
namespace tessera::memory {

/// Alignment of every block that a pool returns, in bytes: one cache line, and one AVX-512 register.
export inline constexpr std::ptrdiff_t block_alignment = 64;

/// A source of memory of one place. `allocate` returns null when there is no more; it throws only for misuse.
export template <class A>
concept Allocator = requires(A& allocator, const A& constant, std::ptrdiff_t bytes, void* pointer) {
  { constant.place() } -> std::same_as<Place>;
  { allocator.allocate(bytes) } -> std::same_as<void*>;
  { allocator.deallocate(pointer, bytes) } noexcept;
};

/// Figures of one place's memory, in bytes unless said otherwise.
export struct Stats {
  std::ptrdiff_t in_use = 0;         ///< requested by the live allocations
  std::ptrdiff_t peak = 0;           ///< highest in_use so far
  std::ptrdiff_t reserved = 0;       ///< taken from the system: in use, rounding and cached free blocks
  std::ptrdiff_t peak_reserved = 0;  ///< highest reserved so far
  std::ptrdiff_t limit = 0;          ///< highest reserved that is allowed; PTRDIFF_MAX without a limit
  std::ptrdiff_t live = 0;           ///< number of live allocations
  std::ptrdiff_t allocations = 0;    ///< number of allocations so far
  std::ptrdiff_t system_calls = 0;   ///< number of allocations that went to the system
};

}  // namespace tessera::memory
