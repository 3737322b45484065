// How far random numbers are from the distribution that they should have, for tests.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

import tessera;

namespace statistics {

/// Numbers of each draw: 20,000 of each of twenty keys, 10 million in the long test.
inline std::ptrdiff_t draws() {
  const char* scale = std::getenv("TESSERA_TEST_SCALE");
  return std::ptrdiff_t{20000} * (scale == nullptr ? 1 : std::atoi(scale));
}
inline constexpr int keys = 20;

/// The largest distance between the numbers' and the expected distribution, in units that do not depend on how many there are: A. Kolmogorov and
/// N. Smirnov.
template <class Cdf>
double distance(const tessera::Array<double, 1>& numbers, const Cdf& cdf) {
  const tessera::Array<double, 1> sorted = tessera::sort(numbers);
  const auto n = static_cast<double>(sorted.size());
  double largest = 0;
  for (std::ptrdiff_t i = 0; i < sorted.size(); ++i) {
    const double below = cdf(sorted.data()[i]);
    largest = std::max(
        {largest, std::abs(below - static_cast<double>(i) / n), std::abs(below - static_cast<double>(i + 1) / n)});
  }
  return largest * std::sqrt(n);
}

/// Of counts beside what is expected, in deviations from what it is on average; those of fewer than 10 are counted together.
inline double chi_square(const std::vector<std::int64_t>& counts, const std::vector<double>& expected) {
  double sum = 0, rest = 0, rest_expected = 0;
  int cells = 0;
  const auto add = [&](double count, double each) {
    sum += (count - each) * (count - each) / each;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] >= 10) {
      add(static_cast<double>(counts[i]), expected[i]);
    } else {
      rest += static_cast<double>(counts[i]);
      rest_expected += expected[i];
    }
  }
  if (rest_expected >= 10) add(rest, rest_expected);
  const double freedom = cells - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

/// The same for equal chances.
inline double chi_square(const std::vector<std::int64_t>& counts, double each) {
  return chi_square(counts, std::vector<double>(counts.size(), each));
}

/// The regularised incomplete gamma function P(a, x), by its series or W. Lentz's continued fraction.
inline double gamma_cdf(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double k = a + 1; term > 1e-17 * sum; k += 1) sum += term *= x / k;
    return front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double f = -k * (k - a);
    b += 2;
    d = 1 / (f * d + b);
    c = b + f / c;
    h *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return 1 - front * h;
}

/// The regularised incomplete beta function, by its continued fraction.
inline double beta_cdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_cdf(b, a, 1 - x);
  const double front =
      std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 10000; ++m) {
    const auto step = [&](double f) {
      d = 1 / (1 + f * d);
      c = 1 + f / c;
      h *= c * d;
      return std::abs(c * d - 1);
    };
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) < 1e-16) break;
  }
  return front * h;
}

inline double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

}  // namespace statistics
