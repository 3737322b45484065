module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:key_sorting;
import tessera.standard;

// Sorting keys, which are unsigned numbers, with or without the positions that they came from.
namespace tessera::sorting {

/// Sorts n keys on the calling thread; `spare` has room for as many.
template <class Key>
void sort_keys(Key* keys, std::ptrdiff_t n, Key* spare);

/// The same, and puts each position where its key goes; equal keys keep their order.
template <class Key, class Position>
void sort_pairs(Key* keys, Position* positions, std::ptrdiff_t n, Key* spare, Position* spare_positions);

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
