module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Filling runs of random numbers. A batch of blocks is computed side by side, which the compiler vectorises.
namespace tessera::random {

namespace {

constexpr std::ptrdiff_t batch = 32;  // blocks side by side

/// The words of `batch` consecutive blocks, word by word.
struct Batch {
  std::uint32_t word[4][batch];
};

[[gnu::always_inline]] inline void compute_batch(Key key, std::uint64_t first_block, Batch& out) {
  std::uint32_t (&w)[4][batch] = out.word;
  for (std::ptrdiff_t i = 0; i < batch; ++i) {
    const std::uint64_t index = first_block + static_cast<std::uint64_t>(i);
    w[0][i] = static_cast<std::uint32_t>(index);
    w[1][i] = static_cast<std::uint32_t>(index >> 32);
    w[2][i] = 0;
    w[3][i] = 0;
  }
  auto k0 = static_cast<std::uint32_t>(key.value);
  auto k1 = static_cast<std::uint32_t>(key.value >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * w[0][i];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * w[2][i];
      w[0][i] = static_cast<std::uint32_t>(second >> 32) ^ w[1][i] ^ k0;
      w[1][i] = static_cast<std::uint32_t>(second);
      w[2][i] = static_cast<std::uint32_t>(first >> 32) ^ w[3][i] ^ k1;
      w[3][i] = static_cast<std::uint32_t>(first);
    }
  }
}

void batch_baseline(Key key, std::uint64_t first, Batch& out) { compute_batch(key, first, out); }
[[gnu::target("avx2")]] void batch_avx2(Key key, std::uint64_t first, Batch& out) { compute_batch(key, first, out); }
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void batch_avx512(Key key, std::uint64_t first, Batch& out) {
  compute_batch(key, first, out);
}

void next_batch(Key key, std::uint64_t first, Batch& out) {
  switch (device::isa()) {
    case device::Isa::avx512: return batch_avx512(key, first, out);
    case device::Isa::avx2: return batch_avx2(key, first, out);
    case device::Isa::baseline: return batch_baseline(key, first, out);
  }
}

// How the four words of a block become elements: `per_block` of them.
template <class T>
struct Uniform;

template <>
struct Uniform<float> {
  static constexpr std::ptrdiff_t per_block = 4;
  int bits;
  void operator()(const std::uint32_t (&w)[4], float* to) const {
    const float unit = std::ldexp(1.0f, -bits);
    for (int k = 0; k < 4; ++k) to[k] = static_cast<float>(w[k] >> (32 - bits)) * unit;
  }
};

double uniform53(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

template <>
struct Uniform<double> {
  static constexpr std::ptrdiff_t per_block = 2;
  void operator()(const std::uint32_t (&w)[4], double* to) const {
    to[0] = uniform53(w[0], w[1]);
    to[1] = uniform53(w[2], w[3]);
  }
};

/// Two independent normal numbers from one in (0, 1] and an angle in turns.
template <class T>
void box_muller(T positive, T turns, T* to) {
  const T radius = std::sqrt(T(-2) * std::log(positive));
  const T angle = T(2) * std::numbers::pi_v<T> * turns;
  to[0] = radius * std::cos(angle);
  to[1] = radius * std::sin(angle);
}

template <class T>
struct Normal;

template <>
struct Normal<float> {
  static constexpr std::ptrdiff_t per_block = 4;
  void operator()(const std::uint32_t (&w)[4], float* to) const {
    for (int k = 0; k < 4; k += 2) {
      box_muller(static_cast<float>((w[k] >> 8) + 1) * 0x1p-24f, static_cast<float>(w[k + 1] >> 8) * 0x1p-24f, to + k);
    }
  }
};

template <>
struct Normal<double> {
  static constexpr std::ptrdiff_t per_block = 2;
  void operator()(const std::uint32_t (&w)[4], double* to) const {
    box_muller(uniform53(w[0], w[1]) + 0x1p-53, uniform53(w[2], w[3]), to);
  }
};

/// n elements from `first` on, without gaps.
template <class T, class Distribution>
void fill_run(Key key, const Distribution& distribution, T* to, std::ptrdiff_t first, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t per_block = Distribution::per_block;
  Batch words;
  T values[batch * per_block];
  for (std::ptrdiff_t done = 0; done < n;) {
    const std::ptrdiff_t start = first + done;
    const std::ptrdiff_t skipped = start % per_block;
    next_batch(key, static_cast<std::uint64_t>(start / per_block), words);
    const std::ptrdiff_t taken = std::min(n - done, batch * per_block - skipped);
    const std::ptrdiff_t blocks = (skipped + taken - 1) / per_block + 1;
    for (std::ptrdiff_t i = 0; i < blocks; ++i) {
      const std::uint32_t w[4] = {words.word[0][i], words.word[1][i], words.word[2][i], words.word[3][i]};
      distribution(w, values + i * per_block);
    }
    std::copy_n(values + skipped, taken, to + done);
    done += taken;
  }
}

template <class T, class Distribution>
void fill(Key key, const Distribution& distribution, T* to, std::ptrdiff_t first, std::ptrdiff_t step,
          std::ptrdiff_t n) {
  if (step == 1) return fill_run(key, distribution, to, first, n);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const Words words = block(key, static_cast<std::uint64_t>((first + i * step) / Distribution::per_block));
    const std::uint32_t w[4] = {words[0], words[1], words[2], words[3]};
    T values[Distribution::per_block];
    distribution(w, values);
    to[i] = values[(first + i * step) % Distribution::per_block];
  }
}

}  // namespace

Key Key::fold(std::uint64_t data) const {
  // Streams use counters whose upper half is 0; a new key comes from the other half.
  const Words words = philox({static_cast<std::uint32_t>(data), static_cast<std::uint32_t>(data >> 32), 1, 0},
                             {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
  return {std::uint64_t{words[1]} << 32 | words[0]};
}

void fill_uniform(Key key, int bits, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill(key, Uniform<float>{bits}, to, first, step, n);
}
void fill_uniform(Key key, int, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill(key, Uniform<double>{}, to, first, step, n);
}
void fill_normal(Key key, float* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill(key, Normal<float>{}, to, first, step, n);
}
void fill_normal(Key key, double* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
  fill(key, Normal<double>{}, to, first, step, n);
}

}  // namespace tessera::random
