module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:pieces;
import tessera.standard;

// How elements are divided among ranks: as equally as possible, and the first parts are one larger.
namespace tessera::collective {

/// Some indices of an axis.
struct Part {
  std::ptrdiff_t begin, extent;
};

/// What one rank has of `extent` indices.
inline constexpr Part part_of_rank(std::ptrdiff_t extent, int size, int rank) {
  const std::ptrdiff_t least = extent / size, larger = extent % size;
  return {.begin = rank * least + (rank < larger ? rank : larger), .extent = least + (rank < larger ? 1 : 0)};
}

/// Elements, cut into a piece for each rank.
struct Pieces {
  std::ptrdiff_t count;      // that are divided
  int size;                  // ranks
  std::ptrdiff_t begin = 0;  // of these, among all

  /// Where a rank's piece begins, from the beginning of these.
  inline std::ptrdiff_t begin_of(int rank) const { return part_of_rank(count, size, rank).begin; }
  inline std::ptrdiff_t count_of(int rank) const { return part_of_rank(count, size, rank).extent; }
  /// Elements of the largest piece.
  inline std::ptrdiff_t largest() const { return count_of(0); }
  /// Bytes of each rank's piece of elements that have so many.
  std::vector<std::int64_t> bytes(std::ptrdiff_t item) const;
};

/// The same bytes for each rank.
std::vector<std::int64_t> equal_bytes(int size, std::int64_t bytes);

/// `count` elements of `item` bytes as parts of some bytes, of which each is cut into pieces: what is exchanged is still in the cache when it is combined.
std::vector<Pieces> chunks_of(std::ptrdiff_t count, int size, std::ptrdiff_t item);

}  // namespace tessera::collective
