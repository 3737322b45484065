// Checks and times one step of "From loop to expression template": the update of gradient descent, in the step's own way.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace step {

inline constexpr float eta = 0.01f;
inline constexpr float lambda = 0.001f;
inline constexpr std::size_t count = std::size_t{64} * 1024;

inline std::vector<float> weights() {
  std::vector<float> w(count);
  for (std::size_t i = 0; i < count; ++i) w[i] = 1 + 0.25f * static_cast<float>(i % 64);
  return w;
}

inline std::vector<float> gradients() {
  std::vector<float> g(count);
  for (std::size_t i = 0; i < count; ++i) g[i] = static_cast<float>(i % 100) - 50;
  return g;
}

/// Prints what is wrong; the return value is that of main.
inline int fail(const char* name, std::size_t i, double got, double expected) {
  std::printf("%s: element %zu is %.9g and must be %.9g\n", name, i, got, expected);
  return 1;
}

/// Updates once and compares every weight with the formula in double, then times further updates and prints the fastest. `w` is
/// where the weights are after an update. Returns what main returns.
template <class Weights, class Update>
int run(const char* name, const Weights& w, const Update& update) {
  const std::vector<float> before = weights(), g = gradients();
  update();
  for (std::size_t i = 0; i < count; ++i) {
    const double expected = -double{eta} * (double{g[i]} + double{lambda} * double{before[i]});
    if (!(std::abs(double{w()[i]} - expected) <= 1e-6)) return fail(name, i, double{w()[i]}, expected);
  }
  double fastest = 1e30;
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    update();
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, taken.count());
  }
  std::printf("%-18s %8.2f us for %zu weights\n", name, fastest, count);
  return 0;
}

}  // namespace step
