module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Filling with random numbers. Batches of blocks are computed side by side, and their words become numbers side by side, in code that is
// compiled for each instruction set.
namespace tessera::random {

namespace {

constexpr std::ptrdiff_t batch = 32;  // blocks side by side

/// The words of `batch` blocks, word by word.
struct Batch {
  std::uint32_t word[4][batch];
};

/// Words are kept in 64 bits, of which the upper half is ignored: products take them from there.
[[gnu::always_inline]] inline void compute_words(Key key, const std::uint64_t (&blocks)[batch], Batch& out) {
  constexpr std::uint64_t lower = 0xffffffff;
  const auto k0 = static_cast<std::uint32_t>(key.value);
  const auto k1 = static_cast<std::uint32_t>(key.value >> 32);
  for (std::ptrdiff_t i = 0; i < batch; ++i) {
    std::uint64_t w0 = blocks[i], w1 = blocks[i] >> 32, w2 = 0, w3 = 0;
#pragma clang loop unroll(full)
    for (std::uint32_t round = 0; round < 10; ++round) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * (w0 & lower);
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * (w2 & lower);
      w0 = (second >> 32) ^ w1 ^ (k0 + round * 0x9E3779B9);
      w1 = second;
      w2 = (first >> 32) ^ w3 ^ (k1 + round * 0xBB67AE85);
      w3 = first;
    }
    out.word[0][i] = static_cast<std::uint32_t>(w0);
    out.word[1][i] = static_cast<std::uint32_t>(w1);
    out.word[2][i] = static_cast<std::uint32_t>(w2);
    out.word[3][i] = static_cast<std::uint32_t>(w3);
  }
}

// How the four words of a block become numbers, `per_block` of them: number k of block i is at i * per_block + k.

template <int Bits>
struct UniformFloats {
  using value_type = float;
  static constexpr std::ptrdiff_t per_block = 4;
  [[gnu::always_inline]] static void convert(const Batch& words, float* to) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      for (std::ptrdiff_t k = 0; k < 4; ++k) {
        to[4 * i + k] = static_cast<float>(static_cast<std::int32_t>(words.word[k][i] >> (32 - Bits))) *
                        (1.0f / static_cast<float>(1 << Bits));
      }
    }
  }
};

/// The upper 53 of 64 bits as a number below 1. Both halves are converted as what a double holds exactly; so is their sum.
[[gnu::always_inline]] inline double uniform53(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(high) * 0x1p-32 + static_cast<double>(static_cast<std::int32_t>(low >> 11)) * 0x1p-53;
}

struct UniformDoubles {
  using value_type = double;
  static constexpr std::ptrdiff_t per_block = 2;
  [[gnu::always_inline]] static void convert(const Batch& words, double* to) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      to[2 * i] = uniform53(words.word[0][i], words.word[1][i]);
      to[2 * i + 1] = uniform53(words.word[2][i], words.word[3][i]);
    }
  }
};

struct NormalFloats {
  using value_type = float;
  static constexpr std::ptrdiff_t per_block = 4;
  [[gnu::always_inline]] static void convert(const Batch& words, float* to) {
    for (std::ptrdiff_t k = 0; k < 4; k += 2) {
      for (std::ptrdiff_t i = 0; i < batch; ++i) {
        const auto radius = static_cast<std::int32_t>(words.word[k][i] >> 8);
        const auto angle = static_cast<std::int32_t>(words.word[k + 1][i] >> 8);
        const auto pair =
            math::box_muller(static_cast<float>(radius + 1) * 0x1p-24f, static_cast<float>(angle) * 0x1p-23f);
        to[4 * i + k] = pair.first;
        to[4 * i + k + 1] = pair.second;
      }
    }
  }
};

struct NormalDoubles {
  using value_type = double;
  static constexpr std::ptrdiff_t per_block = 2;
  [[gnu::always_inline]] static void convert(const Batch& words, double* to) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      const auto pair = math::box_muller(uniform53(words.word[0][i], words.word[1][i]) + 0x1p-53,
                                         2.0 * uniform53(words.word[2][i], words.word[3][i]));
      to[2 * i] = pair.first;
      to[2 * i + 1] = pair.second;
    }
  }
};

struct Words32 {
  using value_type = std::uint32_t;
  static constexpr std::ptrdiff_t per_block = 4;
  [[gnu::always_inline]] static void convert(const Batch& words, std::uint32_t* to) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      for (std::ptrdiff_t k = 0; k < 4; ++k) to[4 * i + k] = words.word[k][i];
    }
  }
};

struct Words64 {
  using value_type = std::uint64_t;
  static constexpr std::ptrdiff_t per_block = 2;
  [[gnu::always_inline]] static void convert(const Batch& words, std::uint64_t* to) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      to[2 * i] = std::uint64_t{words.word[1][i]} << 32 | words.word[0][i];
      to[2 * i + 1] = std::uint64_t{words.word[3][i]} << 32 | words.word[2][i];
    }
  }
};

/// The numbers of `batch` blocks.
template <class Numbers>
struct Batches {
  [[gnu::always_inline]] static void run(Key key, const std::uint64_t (&blocks)[batch],
                                         typename Numbers::value_type* to) {
    Batch words;
    compute_words(key, blocks, words);
    Numbers::convert(words, to);
  }
};

/// n numbers without gaps, from `first` on.
template <class Numbers, class T>
void fill_run(Key key, T* to, std::ptrdiff_t first, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t per_block = Numbers::per_block;
  const auto body = rows::Compiled<Batches<Numbers>>::best();
  std::uint64_t blocks[batch];
  T values[batch * per_block];
  for (std::ptrdiff_t done = 0; done < n;) {
    const std::ptrdiff_t start = first + done;
    const std::ptrdiff_t skipped = start % per_block;
    for (std::ptrdiff_t i = 0; i < batch; ++i) blocks[i] = static_cast<std::uint64_t>(start / per_block + i);
    const std::ptrdiff_t taken = std::min(n - done, batch * per_block - skipped);
    const bool whole = taken == batch * per_block;
    body(key, blocks, whole ? to + done : values);
    if (!whole) std::copy_n(values + skipped, taken, to + done);
    done += taken;
  }
}

/// n numbers, `step` apart.
template <class Numbers, class T>
void fill_apart(Key key, T* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t per_block = Numbers::per_block;
  const auto body = rows::Compiled<Batches<Numbers>>::best();
  std::uint64_t blocks[batch] = {};
  T values[batch * per_block];
  for (std::ptrdiff_t done = 0; done < n; done += batch) {
    const std::ptrdiff_t taken = std::min(n - done, batch);
    const auto position = [&](std::ptrdiff_t i) { return first + (done + i) * step; };
    for (std::ptrdiff_t i = 0; i < taken; ++i) blocks[i] = static_cast<std::uint64_t>(position(i) / per_block);
    body(key, blocks, values);
    for (std::ptrdiff_t i = 0; i < taken; ++i) to[done + i] = values[i * per_block + position(i) % per_block];
  }
}

template <class Numbers, class T>
void fill(Key key, T* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  if (step == 1) return fill_run<Numbers>(key, to, first, n);
  fill_apart<Numbers>(key, to, first, step, n);
}

/// A key that comes from another half of the counters than numbers do; `use` tells different ones apart.
Key derived(Key key, std::uint64_t data, std::uint32_t use) {
  const Words words = philox({static_cast<std::uint32_t>(data), static_cast<std::uint32_t>(data >> 32), use, 0},
                             {static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)});
  return {std::uint64_t{words[1]} << 32 | words[0]};
}

}  // namespace

Key Key::fold(std::uint64_t data) const { return derived(*this, data, 1); }

Key split_key(Key key, std::uint64_t number) { return derived(key, number, 2); }

Key part_of(Key key, std::uint64_t part) { return derived(key, part, 3); }

void fill_uniform(Key key, int bits, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  switch (bits) {
    case 8: return fill<UniformFloats<8>>(key, to, first, step, n);
    case 11: return fill<UniformFloats<11>>(key, to, first, step, n);
    default: return fill<UniformFloats<24>>(key, to, first, step, n);
  }
}
void fill_uniform(Key key, int, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill<UniformDoubles>(key, to, first, step, n);
}
void fill_normal(Key key, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill<NormalFloats>(key, to, first, step, n);
}
void fill_normal(Key key, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill<NormalDoubles>(key, to, first, step, n);
}
void fill_bits(Key key, std::uint32_t* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill<Words32>(key, to, first, step, n);
}
void fill_bits(Key key, std::uint64_t* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill<Words64>(key, to, first, step, n);
}

}  // namespace tessera::random
