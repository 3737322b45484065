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

}  // namespace tessera::memory
