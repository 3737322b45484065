module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:combine;
import tessera.standard;
import tessera.core;
import :reduce_op;

// Making one block of elements of several, in a fixed order.
namespace tessera::collective {

/// The elements that [begin, end) of the leaves have come to: of one leaf itself, or of some that have been combined.
struct Partial {
  std::ptrdiff_t begin, end;
  const void* elements;
};

/// Where the tree over `count` leaves has its halves: at the largest power of two below. So the tree over a power of two of leaves is balanced, and whoever
/// has the leaves of a whole subtree combines them as all together would.
std::ptrdiff_t half_of(std::ptrdiff_t count);

/// The subtrees that [begin, end) of the tree over `count` leaves is made of, in their order: as few as it can be.
std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> subtrees(std::ptrdiff_t begin, std::ptrdiff_t end,
                                                                std::ptrdiff_t count);

/// The leaves of one tree that ranks have, those of each rank after those of the ranks before it, and the subtrees that each can combine by itself.
struct LeavesOfRanks {
  explicit LeavesOfRanks(std::span<const std::int64_t> counts);

  std::ptrdiff_t count = 0;                                                         // of all ranks
  std::vector<std::ptrdiff_t> firsts;                                               // by rank
  std::vector<std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>> subtrees_of;  // by rank
};

/// Combines partials, which are subtrees of the tree over the leaves [begin, end), in the order of that tree, and writes `count` elements. Numbers of 16
/// bits are combined as float and rounded once. On several threads where that is worth it; the same bits for any number of them.
/// Elements `to` may be those of one partial.
struct Combination {
  ReduceOp op;
  DType dtype;
  std::span<const Partial> partials;
  std::ptrdiff_t begin, end;  // leaves
  std::ptrdiff_t count;       // elements
  bool is_wide = false;       // partials of 16-bit numbers are of float already
  bool stays_wide = false;    // what is written is of float then, too
};
void combine(const Combination& call, void* to);

/// The type in which elements are added up: float for those of 16 bits.
DType accumulating_type(DType dtype);

}  // namespace tessera::collective
