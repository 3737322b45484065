module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:pool;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;

// A pool that keeps freed blocks warm by size class. All its metadata lies outside the memory that it manages, so it
// serves device memory as it is.
namespace tessera::memory {

/// The allocator behind a pool, by its three functions: the pool's code exists once for all of them.
class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual Place place() const = 0;
  virtual void* allocate(std::ptrdiff_t bytes) = 0;
  virtual void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept = 0;
};

template <Allocator A>
class UpstreamOf final : public Upstream {
 public:
  explicit UpstreamOf(A allocator) : allocator_(allocator) {}
  Place place() const override { return allocator_.place(); }
  void* allocate(std::ptrdiff_t bytes) override { return allocator_.allocate(bytes); }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept override { allocator_.deallocate(pointer, bytes); }

 private:
  A allocator_;
};

/// Sizes are rounded up to one of eight classes per doubling (at most 1/8 is lost); a freed block is cached in its
/// class and the most recently freed one is reused first. Thread-safe.
export class Pool {
 public:
  template <Allocator A>
  explicit Pool(A upstream) : Pool(std::unique_ptr<Upstream>(std::make_unique<UpstreamOf<A>>(std::move(upstream)))) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  Place place() const { return upstream_->place(); }

  /// A block of at least `bytes` bytes, aligned to 64; 0 bytes are a block too. When the upstream has no more, cached blocks
  /// are returned to it first. Throws OutOfMemory with the pool's figures, ShapeError for a negative size.
  void* allocate(std::ptrdiff_t bytes);

  /// Gives a block back. Null is ignored. Throws PlaceError for a pointer that is not the start of a live block.
  void deallocate(void* pointer);

  /// As deallocate, for owners that know their pointer is live.
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

  /// Returns all cached blocks to the upstream.
  void trim() noexcept;

  /// Highest number of reserved bytes from now on; live blocks stay, cached ones go if the limit asks for it.
  void set_limit(std::ptrdiff_t bytes);

  Stats stats() const;

 private:
  struct Block {
    std::ptrdiff_t requested;
    int size_class;
  };
  struct SizeClass {
    std::vector<void*> cached;
    std::size_t owned = 0;  // live and cached: `cached` always has room for all of them
  };
  static constexpr int class_count = 8 * 58;

  explicit Pool(std::unique_ptr<Upstream> upstream) : upstream_(std::move(upstream)) {}

  void* take(int size_class);
  void* take_from_upstream(int size_class);
  void release_cached() noexcept;
  void retire(std::unordered_map<void*, Block>::iterator block) noexcept;
  [[noreturn]] void fail(std::ptrdiff_t bytes) const;

  mutable std::mutex mutex_;
  std::unique_ptr<Upstream> upstream_;
  std::unordered_map<void*, Block> live_;
  std::array<SizeClass, class_count> classes_;
  Stats stats_{.limit = PTRDIFF_MAX};
};
static_assert(Allocator<Pool>);

}  // namespace tessera::memory
