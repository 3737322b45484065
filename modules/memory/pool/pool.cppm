module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:pool;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :upstream;
import :strategy;

// A pool in front of an allocator: small blocks from caches of each thread, large ones from a strategy behind a lock. All its
// notes lie outside the memory that it manages, so it serves device memory as it is.
namespace tessera::memory {

/// How a pool cuts its chunks into large blocks.
export enum class StrategyKind { segregated_fit, buddy };

/// Segregated fit, or what the environment variable TESSERA_POOL says: "buddy" or "segregated_fit".
export StrategyKind default_strategy() noexcept;

/// What may be chosen for a pool.
export struct PoolOptions {
  StrategyKind strategy = default_strategy();
  Layout layout = {.granule = 4096};  ///< of the large blocks; those of up to 32 KiB are cut finer
  bool thread_caches = true;          ///< whether threads keep small blocks of their own
};

class PoolState;

/// Thread-safe. Blocks of up to 32 KiB come in sizes of which at most an eighth is lost, larger ones in multiples of the granule;
/// from Layout::huge on they come from the upstream and are kept when freed. The block that was freed last is used first.
export class Pool {
 public:
  template <Allocator A>
  explicit Pool(A upstream, PoolOptions options = {}) : Pool(make_upstream(std::move(upstream)), options) {}
  Pool(const Pool&) = delete;  // a Pool stands in front of an Allocator
  Pool& operator=(const Pool&) = delete;
  /// Gives all memory back, that of live blocks too. No thread may be using the pool.
  ~Pool();

  Place place() const;

  /// A block of at least `bytes` bytes, aligned to 64 or to `alignment` if that is more; 0 bytes are a block too. Before there
  /// is no memory, caches are emptied, callbacks called and announced frees awaited. Throws OutOfMemory with the pool's figures,
  /// ShapeError for a negative size or an alignment that is no power of two; nothing has changed then.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment,
                 std::source_location where = std::source_location::current());

  /// Gives a block back, from any thread. Null is ignored. Throws PlaceError for a pointer that is not the start of a live
  /// block, and for all that debug mode finds.
  void deallocate(void* pointer);

  /// As deallocate, for owners that know their pointer is live: what deallocate would throw ends the program with its message.
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

  /// Returns all memory that no live block needs to the upstream, also that in the caches of other threads.
  void trim() noexcept;

  /// Highest number of bytes in blocks, and of bytes reserved, from now on. Live blocks stay, free memory goes if the limit
  /// asks for it. Throws ShapeError for a negative number.
  void set_limit(std::ptrdiff_t bytes);

  Stats stats() const;

  /// All chunks' blocks and gaps. Small blocks lie within live pieces of 4 KiB or more. The pool is locked meanwhile.
  void visit(const std::function<void(const Piece&)>& function) const;

  /// Calls `callback` with the bytes that are missing when there is no memory; it says whether it has freed any. Returns the
  /// number by which to remove it.
  int add_pressure_callback(std::function<bool(std::ptrdiff_t)> callback);
  void remove_pressure_callback(int number);

  /// How long an allocation without memory waits for frees that are announced. 100 ms at first.
  void set_patience(std::chrono::milliseconds patience);

  /// Says that work which is under way will free memory, and that it has.
  void announce_free();
  void finish_free() noexcept;

  /// In debug mode memory is filled with NaNs when it is allocated and when it is freed, both ends of each block are guarded,
  /// freed blocks are kept for a while to find writes to them, and `leaks` knows where each block was allocated. No thread keeps
  /// blocks of its own. Blocks from before and after live side by side. To leave it gives back the freed blocks that were kept, and
  /// throws PlaceError for one that was written to.
  void set_debug(bool on);

  /// A line for each block that was allocated in debug mode and is live, and for each freed one that is kept and was written to: its
  /// bytes, its place, and where it was allocated.
  std::string leaks() const;

  /// Writes each allocation and each free of one from here on to a file. Throws FormatError if it cannot be written.
  void start_trace(const std::string& path);
  void stop_trace();

  /// Calls `callback` with the bytes in use after each allocation that brings them above those of its last call by a 64th; null ends
  /// that. It may look at the pool and must not throw; one thread calls it at a time. No thread keeps blocks of its own meanwhile.
  void follow_growth(std::function<void(std::ptrdiff_t)> callback);

 private:
  friend struct PlacePools;
  Pool(std::unique_ptr<Upstream> upstream, const PoolOptions& options);

  std::unique_ptr<PoolState> state_;
};
static_assert(Allocator<Pool>);

}  // namespace tessera::memory
