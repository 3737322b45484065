module;
#include <cstddef>
#include <cstdint>
module tessera.memory:small_blocks;
import tessera.standard;
import tessera.core;
import tessera.device;
import :strategy;
import :address_map;

// Blocks of up to 32 KiB: cut from slabs, which are blocks of a strategy, and handed out in magazines. A class's slabs
// begin at a few KiB and grow with what is in use of it, and threads use slabs of their own.
namespace tessera::memory {

inline constexpr std::ptrdiff_t largest_small = std::ptrdiff_t{32} << 10;

/// One class for each multiple of 64 bytes up to 512, then eight per doubling: at most an eighth is lost.
inline constexpr int class_count = 8 + 8 * 6;

constexpr std::ptrdiff_t class_size(int size_class) {
  if (size_class < 8) return 64 * (size_class + 1);
  return std::ptrdiff_t{64} * (size_class % 8 + 9) << (size_class / 8 - 1);
}

inline constexpr auto class_table = [] {
  std::array<std::uint8_t, largest_small / 64 + 1> table{};
  int size_class = 0;
  for (std::size_t units = 0; units < table.size(); ++units) {
    while (class_size(size_class) < 64 * static_cast<std::ptrdiff_t>(units)) ++size_class;
    table[units] = static_cast<std::uint8_t>(size_class);
  }
  return table;
}();

/// Class of a size of at most largest_small.
inline int class_of(std::ptrdiff_t bytes) { return class_table[static_cast<std::size_t>(bytes + 63) / 64]; }

/// What is known of a block: `live` and the bytes asked for, or `ready` in a magazine, or the next free block of its slab.
using SlotState = std::atomic<std::uint32_t>;
inline constexpr std::uint32_t slot_live = 0x8000'0000;
inline constexpr std::uint32_t slot_ready = 0x4000'0000;

/// A block of the strategy that is cut into blocks of one class. Never unmade while the pool lives, so that a stale pointer
/// meets a slab that has been, and not something else; a slab without memory waits for its next use.
struct alignas(64) Slab {
  Strategy* source = nullptr;
  void* below = nullptr;       // what the map has here without the slab
  const void* user = nullptr;  // the cache of the thread that takes blocks from it
  std::ptrdiff_t bytes = 0;
  Slab* next = nullptr;  // of the slabs of the class with free blocks, or of those without memory
  Slab* previous = nullptr;
  Slab* next_made = nullptr;
  std::uint32_t first_free = 0;  // count: none
  int size_class = 0;

  // What every free reads has a line of the caches without what others write, but for the states of few blocks.
  alignas(64) char* base = nullptr;
  std::uint64_t inverse = 0;    // 2^32 / units, rounded up
  SlotState* states = nullptr;  // in this line, or behind it
  std::uint32_t units = 0;      // of 64 bytes in a block
  std::uint32_t count = 0;      // blocks
  std::uint32_t out = 0;        // blocks that are not free in the slab
  std::uint32_t room = 0;       // highest count
  std::array<SlotState, 6> few;

  /// Number of the block that starts at the pointer; count when none does.
  inline std::uint32_t slot_of(const void* pointer) const {
    const auto offset = static_cast<std::uintptr_t>(static_cast<const char*>(pointer) - base);
    const std::uint64_t unit = offset / 64;
    const auto slot = static_cast<std::uint32_t>(unit * inverse >> 32);
    return offset % 64 == 0 && std::uint64_t{slot} * units == unit && slot < count ? slot : count;
  }
};

/// A block in a magazine, and the word that says what it is.
struct Ready {
  char* pointer;
  SlotState* state;
};

inline constexpr std::uint32_t most_in_magazine = 64;

/// A stack of blocks of one class, the warmest on top. No two threads' magazines share a line of the caches.
struct alignas(64) Magazine {
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
  std::array<Ready, most_in_magazine> blocks;

  inline bool empty() const { return count == 0; }
  inline bool full() const { return count == capacity; }
};

/// Slabs and the magazines that no thread has. The pool's lock is held around everything but `slab_at`.
class SmallBlocks {
 public:
  /// Slabs come from a strategy of their own, and from gaps of the one of large blocks where more chunks would weigh too much.
  /// They are multiples of `granule`, the strategies', and of a part of the map that both have in common.
  SmallBlocks(Strategy& strategy, Strategy& large, std::ptrdiff_t granule)
      : strategy_(&strategy), large_(&large), map_(&strategy.map()), unit_(std::max(granule, map_part)) {}
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;
  ~SmallBlocks();

  /// The slab to which an address belongs, or null. Any thread may ask.
  inline Slab* slab_at(const void* pointer) const noexcept {
    const auto entry = reinterpret_cast<std::uintptr_t>(map_->find(pointer));
    return (entry & 1) != 0 ? reinterpret_cast<Slab*>(entry - 1) : nullptr;
  }

  /// A block of the class whose state is `ready`, from a slab of the user's if there is a choice; a null pointer when the
  /// strategy has no more. Throws std::bad_alloc.
  Ready take(int size_class, const void* user, Growth growth);
  /// Takes back a block whose state is `ready`.
  void give(Ready block) noexcept;

  /// Puts up to `wanted` blocks into a magazine, of one new slab at most; returns how many.
  std::uint32_t fill(Magazine& magazine, int size_class, std::uint32_t wanted, const void* user, Growth growth);
  void drain(Magazine& magazine) noexcept;

  /// A full magazine of the class for an empty one; false if there is none.
  bool exchange_for_full(Magazine*& empty, int size_class) noexcept;
  /// An empty magazine for a full one. False if there is no memory for one: the caller drains its own.
  bool exchange_for_empty(Magazine*& full, int size_class) noexcept;
  /// An empty magazine. Throws std::bad_alloc.
  Magazine* new_magazine(int size_class);
  void drop_magazine(Magazine* magazine) noexcept;

  /// Returns the blocks of all magazines here, and slabs without blocks in use, to the strategy.
  void trim() noexcept;

  inline std::ptrdiff_t out_bytes() const { return out_bytes_; }    // blocks with threads and users
  inline std::ptrdiff_t slab_bytes() const { return slab_bytes_; }  // all slabs
  /// Blocks in the magazines here.
  std::ptrdiff_t full_bytes() const noexcept;

 private:
  struct Class {
    Slab* free = nullptr;      // slabs with free blocks
    Slab* bare = nullptr;      // slabs without memory
    std::ptrdiff_t empty = 0;  // bytes of the slabs among `free` of which no block is out
    std::uint32_t out = 0;     // blocks that are not free in a slab
    std::vector<Magazine*> full;
  };

  Slab* slab_of(int size_class, const void* user) noexcept;
  Slab* slab_for(int size_class, const void* user, Growth growth);
  std::ptrdiff_t next_slab_size(int size_class);
  Slab* add_slab(int size_class, std::ptrdiff_t bytes, Growth growth);
  void* memory_for(Slab& slab, std::ptrdiff_t bytes, Growth growth);
  Slab* bare_slab(int size_class, std::uint32_t count);
  Ready cut(Slab& slab) noexcept;
  void release(Slab& slab) noexcept;
  void link(Slab& slab) noexcept;
  void unlink(Slab& slab) noexcept;
  inline Class& of(int size_class) { return classes_[static_cast<std::size_t>(size_class)]; }

  Strategy* strategy_;
  Strategy* large_;
  AddressMap* map_;      // the strategy's; a slab's parts have its address, plus one
  std::ptrdiff_t unit_;  // of slabs, in bytes
  std::array<Class, class_count> classes_;
  Slab* made_ = nullptr;            // all slabs
  std::vector<Magazine*> empties_;  // has room for all magazines
  std::size_t magazines_ = 0;
  std::ptrdiff_t out_bytes_ = 0, slab_bytes_ = 0;
};

}  // namespace tessera::memory
