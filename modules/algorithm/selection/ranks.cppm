module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:ranks;
import tessera.standard;
import :key_rows;

// The keys that would have given ranks if a row was sorted, found without sorting it.
namespace tessera::selecting {

/// Writes the keys of ascending ranks, each below the row's length. One pass over the row finds a rank and those near it; with `shares` on
/// several threads. Throws OutOfMemory.
template <class Key>
void find_ranks(const KeyRow<Key>& row, std::span<const std::ptrdiff_t> ranks, Key* to, bool shares);

/// How many keys are above `limit`.
template <class Key>
std::ptrdiff_t count_above(const KeyRow<Key>& row, Key limit, bool shares);

}  // namespace tessera::selecting
