// What the steps share: two matrices, a check of the result, and a clock.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

inline constexpr std::ptrdiff_t n = 1024;  // rows and columns
inline constexpr double flops = 2.0 * n * n * n;

/// Numbers in [-0.5, 0.5).
inline std::vector<float> numbers(std::uint32_t seed) {
  std::vector<float> values(n * n);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f;
  }
  return values;
}

/// Each fifth element is, up to rounding, what the definition says.
inline bool is_product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c) {
  for (std::ptrdiff_t at = 0; at < n * n; at += 5) {
    const std::ptrdiff_t i = at / n, j = at % n;
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < n; k += 1)
      sum += static_cast<double>(a[static_cast<std::size_t>(i * n + k)]) * b[static_cast<std::size_t>(k * n + j)];
    if (std::abs(sum - c[static_cast<std::size_t>(at)]) > 1e-3) return false;
  }
  return true;
}

/// Billions of operations a second: the best of some runs.
template <class Run>
double speed(int times, const Run& run) {
  double best = 0;
  for (int time = 0; time < times; ++time) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, flops / seconds.count() / 1e9);
  }
  return best;
}

/// Multiplies, checks, and prints the speed.
template <class Multiply>
int step(const char* name, int times, const Multiply& multiply) {
  const std::vector<float> a = numbers(1), b = numbers(2);
  std::vector<float> c(n * n);
  const double gflops = speed(times, [&] { multiply(a.data(), b.data(), c.data()); });
  const bool right = is_product(a, b, c);
  std::printf("%s: %.1f GFLOP/s%s\n", name, gflops, right ? "" : ", and it is wrong");
  return right ? 0 : 1;
}
