// Sums that stay in registers: the micro-kernel of the steps from the third on.
#pragma once
#include "step.hpp"

// --8<-- [start:kernel]
/// c = a b, or c += a b, for `Rows` rows and two vectors of columns.
template <int Rows, int Bytes>
[[gnu::always_inline]] inline void kernel(const float* a, std::ptrdiff_t a_row, std::ptrdiff_t a_column, const float* b,
                                          std::ptrdiff_t b_row, std::ptrdiff_t depth, float* c, bool adds) {
  using Vector [[gnu::vector_size(Bytes)]] = float;
  constexpr std::ptrdiff_t lanes = Bytes / 4;
  Vector sums[Rows][2] = {};
  for (std::ptrdiff_t k = 0; k < depth; ++k) {
    Vector columns[2];
    std::memcpy(columns, b + k * b_row, sizeof columns);
    for (int r = 0; r < Rows; ++r) {
      const float factor = a[r * a_row + k * a_column];
      sums[r][0] += factor * columns[0];
      sums[r][1] += factor * columns[1];
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < 2; ++v) {
      float* to = c + r * n + v * lanes;
      Vector before = {};
      if (adds) std::memcpy(&before, to, sizeof before);
      before += sums[r][v];
      std::memcpy(to, &before, sizeof before);
    }
  }
}
// --8<-- [end:kernel]

// --8<-- [start:versions]
/// Calls Loops<Rows, Bytes>::run for the registers of this CPU: 32 of 64 bytes, 16 of 32 bytes, or 16 of 16 bytes.
template <template <int, int> class Loops>
struct Versions {
  [[gnu::target("avx512f,avx2,fma")]] static void avx512(const float* a, const float* b, float* c) {
    Loops<14, 64>::run(a, b, c);
  }
  [[gnu::target("avx2,fma")]] static void avx2(const float* a, const float* b, float* c) { Loops<6, 32>::run(a, b, c); }
  static void multiply(const float* a, const float* b, float* c) {
    if (__builtin_cpu_supports("avx512f")) return avx512(a, b, c);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2(a, b, c);
    Loops<6, 16>::run(a, b, c);
  }
};
// --8<-- [end:versions]

/// The kernel for `rows` rows, of which the last strip has fewer.
template <int Rows, int Bytes>
[[gnu::always_inline]] inline void strip(std::ptrdiff_t rows, const float* a, std::ptrdiff_t a_row,
                                         std::ptrdiff_t a_column, const float* b, std::ptrdiff_t b_row,
                                         std::ptrdiff_t depth, float* c, bool adds) {
  if (rows >= Rows) return kernel<Rows, Bytes>(a, a_row, a_column, b, b_row, depth, c, adds);
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    kernel<1, Bytes>(a + i * a_row, a_row, a_column, b, b_row, depth, c + i * n, adds);
}
