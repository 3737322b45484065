module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:radix_sort;
import tessera.standard;

// Sorting keys, which are unsigned numbers, with or without the positions that they came from, on one thread.
namespace tessera::sorting {

/// Whether the library is built with Highway, and sorts in vectors what these say: then a block need not stay in the cache.
bool has_vector_sort();
template <class Key>
constexpr bool are_vector_keys = sizeof(Key) > 1;
template <class Key, class Position>
constexpr bool are_vector_pairs = sizeof(Key) == 4 && sizeof(Position) == 4;

/// Sorts n keys on the calling thread; `spare` has room for as many.
template <class Key>
void sort_keys(Key* keys, std::ptrdiff_t n, Key* spare);

/// The same, and puts each position where its key goes; equal keys keep their order.
template <class Key, class Position>
void sort_pairs(Key* keys, Position* positions, std::ptrdiff_t n, Key* spare, Position* spare_positions);

}  // namespace tessera::sorting
