module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:philox;
import tessera.standard;
import tessera.core;

// Philox4x32-10, a counter-based generator: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011). Number i needs neither the numbers before it nor any state, so every element of an array can be
// computed by any thread.
namespace tessera::random {

/// What determines a stream of numbers. Equal keys give equal numbers, whatever computes them.
export struct Key {
  std::uint64_t value = 0;

  /// A key whose stream is independent of this one's, for each `data`: per epoch, per layer, per worker.
  Key fold(std::uint64_t data) const;

  friend bool operator==(const Key&, const Key&) = default;
};

/// Four 32-bit words.
export using Words = std::array<std::uint32_t, 4>;

/// The block of random words at a counter: ten rounds of the Philox4x32 bijection.
export constexpr Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Block number `index` of a key's stream.
export constexpr Words block(Key key, std::uint64_t index) {
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 0},
                {static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)});
}

/// Key number `number` of those that random::split() makes of a key: none of what fold() makes.
Key split_key(Key key, std::uint64_t number);

/// The key of a part of a number that is made of several, none of what users make of a key.
Key part_of(Key key, std::uint64_t part);

/// `count` independent keys, to be used instead of `key`.
export template <std::size_t count = 2>
std::array<Key, count> split(Key key) {
  std::array<Key, count> keys;
  for (std::size_t i = 0; i < count; ++i) keys[i] = split_key(key, i);
  return keys;
}

/// Elements first, first + step, ... of a key's stream of uniform numbers in [0, 1) with `bits` random bits. An element takes
/// one word up to 24 bits (float) and two for 53 (double).
void fill_uniform(Key key, int bits, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);
void fill_uniform(Key key, int bits, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);

/// The same for standard normal numbers, by the transformation of G. Box and M. Muller (1958) on pairs of elements.
void fill_normal(Key key, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);
void fill_normal(Key key, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);

/// Elements of a key's stream of random words: one word of 32 bits or two.
void fill_bits(Key key, std::uint32_t* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);
void fill_bits(Key key, std::uint64_t* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);

}  // namespace tessera::random
