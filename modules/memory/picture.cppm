module;
#include <cstddef>
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

/// The map of a pool when it held most, of the moments at which it was asked to look.
export class PeakMap {
 public:
  /// The pool must outlive it.
  explicit PeakMap(const Pool& pool) : pool_(&pool) {}

  /// Takes the map anew if the bytes in use are more than at the last one by a 64th; else it only reads the pool's figures, in
  /// about a microsecond.
  void look();

  /// Bytes in use when the map was taken; 0 before there is one.
  std::ptrdiff_t in_use() const { return in_use_; }
  /// Nothing before the first look.
  const std::optional<MemoryMap>& map() const { return map_; }

 private:
  const Pool* pool_;
  std::ptrdiff_t in_use_ = 0;
  std::optional<MemoryMap> map_;
};

}  // namespace tessera::memory
