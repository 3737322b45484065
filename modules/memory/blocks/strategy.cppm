module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:strategy;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :upstream;

// How chunks of memory are cut into blocks: what every way of cutting offers.
namespace tessera::memory {

/// The sizes that a strategy works with, in bytes.
export struct Layout {
  std::ptrdiff_t granule = 64;  ///< smallest block and unit of rounding; a power of two from 64 to 65536
  std::ptrdiff_t smallest_chunk = std::ptrdiff_t{64} << 10;  ///< first chunk; later ones grow with what is reserved
  std::ptrdiff_t largest_chunk = std::ptrdiff_t{32} << 20;   ///< no chunk is larger; a power of two, as the smallest
  std::ptrdiff_t huge = std::ptrdiff_t{8} << 20;  ///< requests from here on go to the upstream; at most largest_chunk
};

/// What a strategy holds, in bytes unless said otherwise.
export struct Holdings {
  std::ptrdiff_t reserved = 0;      ///< chunks and huge blocks taken from the upstream
  std::ptrdiff_t allocated = 0;     ///< live blocks
  std::ptrdiff_t cached = 0;        ///< huge blocks that are kept for the next request
  std::ptrdiff_t largest_free = 0;  ///< largest free block
  std::ptrdiff_t live = 0;          ///< number of live blocks
  std::ptrdiff_t chunks = 0;        ///< number of chunks and huge blocks
};

/// A block or a gap of a chunk, for pictures and tests.
export struct Piece {
  enum class State : std::uint8_t { live, free, cached };
  const void* chunk;  ///< where the chunk begins
  std::ptrdiff_t chunk_bytes;
  std::ptrdiff_t offset;  ///< from the chunk's beginning
  std::ptrdiff_t bytes;
  std::ptrdiff_t requested;  ///< of a live block
  std::uint64_t born;        ///< number of the allocation that made a live block
  State state;
};

class AddressMap;

/// Whether an allocation may take memory from the upstream.
export enum class Growth { allowed, forbidden };

/// What a block that was given back had been.
struct Retired {
  std::ptrdiff_t requested = -1;  // negative: the pointer was not the start of a live block
  std::ptrdiff_t bytes = 0;
};

/// Blocks cut out of chunks. Not thread-safe. All notes lie outside the chunks.
export class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::string_view name() const noexcept = 0;
  virtual Place place() const = 0;

  /// A block for `bytes` bytes, aligned to `alignment`; null when the upstream has no more or may not be asked. Throws
  /// std::bad_alloc when there is no memory for the notes. Either way nothing has changed then.
  virtual void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, Growth growth = Growth::allowed) = 0;

  /// Takes a block back; says so if it is none.
  virtual Retired deallocate(void* pointer) noexcept = 0;

  /// What lies at each address: an even pointer for a chunk. Whoever cuts a block further may enter odd ones, and puts the chunk's
  /// back before it gives the block back.
  virtual AddressMap& map() noexcept = 0;

  virtual bool is_live(const void* pointer) const noexcept = 0;

  /// Gives chunks without live blocks, and huge blocks that were kept, back to the upstream.
  virtual void trim() noexcept = 0;

  virtual std::ptrdiff_t allocated() const noexcept = 0;  // as holdings says it
  virtual std::ptrdiff_t reserved() const noexcept = 0;
  virtual Holdings holdings() const = 0;

  /// All chunks' pieces in the order of addresses within each chunk.
  virtual void visit(const std::function<void(const Piece&)>& function) const = 0;
};

/// Throws PlaceError for a pointer that `free` of a place was given and that is not the start of a live block.
[[noreturn]] void refuse_pointer(Place place, const void* pointer);

/// Throws ShapeError for a negative size and for an alignment that is not a power of two.
void check_request(std::ptrdiff_t bytes, std::ptrdiff_t alignment);

/// A strategy with its upstream as an allocator of its own. Not thread-safe: LockedAllocator makes it so.
template <std::unique_ptr<Strategy> (*make)(std::unique_ptr<Upstream>, Layout), Allocator A>
class StrategyAllocator {
 public:
  explicit StrategyAllocator(A upstream, Layout layout = {})
      : strategy_(make(make_upstream(std::move(upstream)), layout)) {}

  Place place() const { return strategy_->place(); }

  /// Null when the upstream has no more. Throws ShapeError for a negative size or an alignment that is no power of two.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    check_request(bytes, alignment);
    return strategy_->allocate(bytes, alignment);
  }

  /// Throws PlaceError for a pointer that is not the start of a live block. Null is ignored.
  void deallocate(void* pointer) {
    if (pointer != nullptr && strategy_->deallocate(pointer).requested < 0) refuse_pointer(place(), pointer);
  }
  void deallocate(void* pointer, std::ptrdiff_t) noexcept {
    if (pointer != nullptr) strategy_->deallocate(pointer);
  }

  void trim() noexcept { strategy_->trim(); }
  Holdings holdings() const { return strategy_->holdings(); }
  const Strategy& strategy() const { return *strategy_; }

 private:
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace tessera::memory
