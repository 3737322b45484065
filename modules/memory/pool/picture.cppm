module;
#include <cstddef>
#include <new>
export module tessera.memory:picture;
import tessera.standard;
import tessera.core;
import tessera.device;
import :strategy;
import :pool;

// Pictures of memory: which parts of each chunk are live, free, or kept for later.
namespace tessera::memory {

/// The pieces of a pool, to draw them when they are no longer what they were.
export class MemoryMap {
 public:
  explicit MemoryMap(const Pool& pool);

  /// A row of 100 columns for each chunk, the oldest first: '#' live, '+' partly live, '.' free, 'o' kept for the next request.
  std::string text() const;

  /// A self-contained SVG, 1000 units wide: a bar for each chunk as long as it is large. Live blocks are darker the older they are,
  /// free memory is white, kept blocks are hatched; a title on each piece says its bytes.
  std::string svg() const;

 private:
  Place place_;
  std::vector<Piece> pieces_;
};

/// The map of a pool when it held most, while this lives: taken anew whenever the bytes in use have grown by a 64th.
export class PeakMap {
 public:
  /// The pool must outlive it, and has one at a time. No thread keeps blocks of its own meanwhile.
  explicit PeakMap(Pool& pool) : pool_(&pool) {
    pool.follow_growth([this](std::ptrdiff_t in_use) { take(in_use); });
  }
  PeakMap(const PeakMap&) = delete;
  PeakMap& operator=(const PeakMap&) = delete;
  ~PeakMap() { end(); }

  /// Ends it before its life does, so that the map and its figure stay as they are.
  void end() { pool_->follow_growth(nullptr); }

  /// Bytes in use when the map was taken; 0 before there is one. To be read after `end`, as the map.
  std::ptrdiff_t in_use() const { return in_use_; }
  /// Nothing before the first allocation.
  const std::optional<MemoryMap>& map() const { return map_; }

 private:
  void take(std::ptrdiff_t in_use) noexcept {
    try {
      map_ = MemoryMap(*pool_);
      in_use_ = in_use;
    } catch (const std::bad_alloc&) {  // the map before stays
    }
  }

  Pool* pool_;
  std::ptrdiff_t in_use_ = 0;
  std::optional<MemoryMap> map_;
};

}  // namespace tessera::memory
