module;
#include <cstddef>
export module tessera.algorithm:merge_sort;
import tessera.standard;

// Sorting many keys, with or without the positions that they came from, on several threads.
namespace tessera::sorting {

/// Sorts many keys on several threads. Returns where they are afterwards: `keys` or `spare`.
template <class Key>
Key* sort_many_keys(Key* keys, std::ptrdiff_t n, Key* spare);

template <class Key, class Position>
struct Pairs {
  Key* keys;
  Position* positions;
};

/// The same, with positions; equal keys keep their order.
template <class Key, class Position>
Pairs<Key, Position> sort_many_pairs(Pairs<Key, Position> pairs, std::ptrdiff_t n, Pairs<Key, Position> spare);

}  // namespace tessera::sorting
