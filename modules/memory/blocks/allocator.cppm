module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:allocator;
import tessera.standard;
import tessera.core;
import tessera.device;

// What an allocator must offer, and what it reports.
namespace tessera::memory {

/// Alignment of every block that a pool returns, in bytes: one cache line, and one AVX-512 register.
export inline constexpr std::ptrdiff_t block_alignment = 64;

/// A source of memory of one place. `allocate` returns memory aligned to `alignment`, a power of two, or null when there is no
/// more (a pool throws OutOfMemory instead); `deallocate` takes the bytes that were asked for.
export template <class A>
concept Allocator =
    requires(A& allocator, const A& constant, std::ptrdiff_t bytes, std::ptrdiff_t alignment, void* pointer) {
      { constant.place() } -> std::same_as<Place>;
      { allocator.allocate(bytes, alignment) } -> std::same_as<void*>;
      { allocator.deallocate(pointer, bytes) } noexcept;
    };

/// Allocations by size: entry 0 counts those of at most 64 bytes, entry k those of more than 64 << (k - 1), at most 64 << k.
export using SizeHistogram = std::array<std::ptrdiff_t, 40>;

/// Entry of the histogram that counts allocations of this size.
inline std::size_t size_group(std::ptrdiff_t bytes) {
  if (bytes <= 64) return 0;
  const auto group = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes - 1) >> 6));
  return std::min(group, std::tuple_size_v<SizeHistogram> - 1);
}

/// Figures of one place's memory, in bytes unless said otherwise.
export struct Stats {
  std::ptrdiff_t in_use = 0;         ///< requested by the live allocations
  std::ptrdiff_t peak = 0;           ///< highest in_use so far; exact while one thread allocates at a time
  std::ptrdiff_t allocated = 0;      ///< the blocks of the live allocations: in_use and rounding
  std::ptrdiff_t cached = 0;         ///< blocks that threads and the pool keep ready, of `reserved`
  std::ptrdiff_t reserved = 0;       ///< taken from the system: allocated, cached and free
  std::ptrdiff_t peak_reserved = 0;  ///< highest reserved so far
  std::ptrdiff_t largest_free = 0;   ///< largest free block within what is reserved
  std::ptrdiff_t limit = 0;          ///< highest allocated and reserved that are allowed; PTRDIFF_MAX without a limit
  std::ptrdiff_t live = 0;           ///< number of live allocations
  std::ptrdiff_t allocations = 0;    ///< number of allocations so far
  std::ptrdiff_t system_calls = 0;   ///< number of allocations that went to the system
  SizeHistogram histogram{};         ///< number of allocations so far, by size

  /// How scattered the free memory is: 1 - largest free block / all free memory. 0 when there is none.
  double external_fragmentation() const {
    const std::ptrdiff_t free = reserved - allocated - cached;
    return free <= 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free);
  }
  /// What was reserved at most beyond what was needed at most: 1 - peak / peak_reserved.
  double overhead() const {
    return peak_reserved == 0 ? 0 : 1 - static_cast<double>(peak) / static_cast<double>(peak_reserved);
  }
  /// What rounding costs: 1 - in_use / allocated.
  double internal_fragmentation() const {
    return allocated <= 0 ? 0 : 1 - static_cast<double>(in_use) / static_cast<double>(allocated);
  }
};

}  // namespace tessera::memory
