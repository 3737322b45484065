module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:row_splitting;
import tessera.standard;
import :key_rows;

// Rows in the order that partition() makes: what is below a rank's key, what equals it, what is above.
namespace tessera::selecting {

/// Writes the positions of all elements: first of those whose key is below that of rank `rank`, then of those that equal it, then of the others,
/// each in their order; no more than `count` of them. Throws OutOfMemory before anything is written.
template <class Key>
void split_positions(const KeyRow<Key>& row, std::ptrdiff_t rank, std::ptrdiff_t count, std::int64_t* to,
                     std::ptrdiff_t to_step, bool shares);

/// The keys themselves in that order, as the elements they belong to.
template <class Key>
void split_elements(const KeyRow<Key>& row, std::ptrdiff_t rank, Key* to, std::ptrdiff_t to_step, bool shares);

}  // namespace tessera::selecting
