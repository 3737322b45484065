module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:ranks;
import tessera.standard;
import tessera.core;
import :sort_order;

// The keys that would have given ranks if a row was sorted, found without sorting it.
namespace tessera::selecting {

/// What of a row's elements are keys.
enum class KeyKind { exact, merged, ready };

/// A row of elements that are read as keys of an order; `ready` elements are keys.
template <class Key>
struct KeyRow {
  const Key* from;
  std::ptrdiff_t length, step;
  sorting::Order<Key> order;
  KeyKind kind;
};

/// Writes the keys of ascending ranks, each below the row's length. One pass over the row finds a rank and those near it; with `shares` on
/// several threads. Throws OutOfMemory.
template <class Key>
void find_ranks(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares);

/// How many keys are above `limit`.
template <class Key>
std::ptrdiff_t count_above(const KeyRow<Key>& row, Key limit, bool shares);

/// Writes the positions of all elements: first of those whose key is below that of rank `rank`, then of those that equal it, then of the others,
/// each in their order; no more than `count` of them. Throws OutOfMemory before anything is written.
template <class Key>
void split_positions(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, std::int64_t* to,
                     std::ptrdiff_t to_step, bool shares);

/// The keys themselves in that order, as the elements they belong to.
template <class Key>
void split_elements(const KeyRow<Key>& row, std::ptrdiff_t rank, Key* to, std::ptrdiff_t to_step, bool shares);

}  // namespace tessera::selecting
