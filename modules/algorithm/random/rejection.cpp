module;
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
module tessera.algorithm;
import tessera.core;

// Distributions by rejection.
namespace tessera::random {

namespace {

/// The uniform and normal numbers of a stream, one after the other. Its blocks are those of no key's numbers.
class Stream {
 public:
  explicit Stream(std::uint64_t key) : key_(key) {}

  /// In (0, 1).
  double uniform() {
    if (used_ == 2) {
      words_ = philox({number_++, 0, 4, 0}, {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
      used_ = 0;
    }
    const std::size_t at = 2 * used_++;
    const std::uint64_t bits = (std::uint64_t{words_[at]} << 32 | words_[at + 1]) >> 12;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t key_;
  std::uint32_t number_ = 0;
  std::size_t used_ = 2;
  Words words_{};
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// For a shape of 1 or more: the exact test after the squeeze, until something is accepted.
template <class C>
double gamma_of_large(Stream& stream, C normal, C uniform, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  double x = normal, u = uniform;
  for (;; x = stream.normal(), u = stream.uniform()) {
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

template <class C>
C any_gamma(std::uint64_t key, C normal, C uniform, C shape) {
  if (!(shape > 0)) return std::numeric_limits<C>::quiet_NaN();
  if (std::isinf(shape)) return shape;
  Stream stream(key);
  if (shape >= 1) return static_cast<C>(gamma_of_large(stream, normal, uniform, double{shape}));
  const double above = gamma_of_large(stream, normal, uniform, shape + 1.0);
  return static_cast<C>(above * std::pow(stream.uniform(), 1.0 / shape));
}

/// The logarithm of a gamma number, which may be too small for a number of its own.
template <class C>
double log_of_gamma(const GammaSource<C>& source) {
  const double shape = source.shape;
  const bool is_small = shape < 1;
  const GammaTrial<C> trial = squeeze_gamma(source.normal, source.uniform, is_small ? source.shape + 1 : source.shape);
  if (trial.accepted) {
    const double log_value = std::log(static_cast<double>(trial.value));
    return is_small ? log_value + std::log(left_of_uniform(source.normal, source.uniform)) / shape : log_value;
  }
  Stream stream(source.stream);
  if (!is_small) return std::log(gamma_of_large(stream, source.normal, source.uniform, shape));
  const double above = std::log(gamma_of_large(stream, source.normal, source.uniform, shape + 1));
  return above + std::log(stream.uniform()) / shape;
}

template <class C>
C any_beta(const GammaSource<C>& a, const GammaSource<C>& b) {
  if (!(a.shape > 0 && b.shape > 0)) return std::numeric_limits<C>::quiet_NaN();
  if (std::isinf(a.shape) || std::isinf(b.shape))
    return std::isinf(a.shape) && std::isinf(b.shape) ? std::numeric_limits<C>::quiet_NaN() : C(std::isinf(a.shape));
  return static_cast<C>(1 / (1 + std::exp(log_of_gamma(b) - log_of_gamma(a))));
}

/// log k! less k log k - k + log(2 pi k) / 2, J. Stirling's formula.
double stirling_error(double k) {
  static constexpr double small[] = {0.0,
                                     0.0810614667953272582,
                                     0.0413406959554092941,
                                     0.0276779256849983391,
                                     0.0207906721037650931,
                                     0.0166446911898211922,
                                     0.0138761288230707480,
                                     0.0118967099458917701,
                                     0.0104112652619720965,
                                     0.0092554621827127330};
  if (k < 10) return small[static_cast<int>(k)];
  const double square = k * k;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / k;
}

/// k log(k / mean) + mean - k without cancellation: C. Loader, "Fast and accurate computation of binomial probabilities" (2000).
double deviance(double k, double mean) {
  const double difference = k - mean;
  if (std::abs(difference) >= 0.1 * (k + mean)) return k * std::log(k / mean) - difference;
  const double v = difference / (k + mean);
  const double square = v * v;
  double sum = difference * v;
  double term = 2 * k * v;
  for (int j = 3;; j += 2) {
    term *= square;
    const double next = sum + term / j;
    if (next == sum) return sum;
    sum = next;
  }
}

constexpr double many = 1e6;  // from which sums of logarithms of factorials have lost too many digits

/// log k! of a whole number.
double log_factorial(double k) {
  static const auto table = [] {
    std::array<double, 4096> logarithms{};
    for (std::size_t i = 2; i < logarithms.size(); ++i)
      logarithms[i] = logarithms[i - 1] + std::log(static_cast<double>(i));
    return logarithms;
  }();
  if (k < static_cast<double>(table.size())) return table[static_cast<std::size_t>(k)];
  return (k + 0.5) * std::log(k) - k + 0.5 * std::log(2 * std::numbers::pi) + stirling_error(k);
}

/// Logarithm of the chance of k, which is not below 0.
double log_poisson(double k, double rate) {
  if (rate < many) return k * std::log(rate) - rate - log_factorial(k);
  if (k == 0) return -rate;
  return -stirling_error(k) - deviance(k, rate) - 0.5 * std::log(2 * std::numbers::pi * k);
}

/// Of many trials.
double log_binomial(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) + 0.5 * std::log(n / (2 * std::numbers::pi * k * (n - k)));
}

/// Logarithm of the chance of k over that of the most likely number.
double log_beside_mode(double k, double n, double p) {
  const double mode = std::floor((n + 1) * p);
  if (n >= many) return log_binomial(k, n, p) - log_binomial(mode, n, p);
  return (k - mode) * std::log(p / (1 - p)) + log_factorial(mode) + log_factorial(n - mode) - log_factorial(k) -
         log_factorial(n - k);
}

constexpr int most_counted = 1024;  // above what a count below ten on average ever is

/// 1 / k, which takes less than a division.
constexpr std::array<double, most_counted + 1> inverses = [] {
  std::array<double, most_counted + 1> table{};
  for (int k = 1; k <= most_counted; ++k) table[static_cast<std::size_t>(k)] = 1 / static_cast<double>(k);
  return table;
}();

/// By inversion: how many of the sums of chances u reaches. `chance` is that of 0, that of k is ratio(k) / k of the one before. Sums are made
/// in groups without a branch.
template <class Ratio>
double inverted(double u, double chance, const Ratio& ratio) {
  constexpr int group = 8;
  double sum = 0;
  for (int first = 0;; first += group) {
    int reached = 0;
    for (int k = first + 1; k <= first + group; ++k) {
      sum += chance;
      reached += u >= sum ? 1 : 0;
      chance *= ratio(k) * inverses[static_cast<std::size_t>(k)];
    }
    // What is left adds nothing to a sum of nearly 1.
    if (reached < group || chance < 0x1p-60 || first + 2 * group > most_counted) return first + reached;
  }
}

double small_poisson(double u, double rate, double none) {
  return inverted(u, none, [rate](int) { return rate; });
}

double large_poisson(Stream& stream, double first, double second, double rate) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double accepted = 0.9277 - 3.6224 / (b - 2);
  double u = first - 0.5, v = second;
  for (;; u = stream.uniform() - 0.5, v = stream.uniform()) {
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + rate + 0.43);
    if (distance >= 0.07 && v <= accepted) return k;
    if (!(k >= 0) || (distance < 0.013 && v > distance)) continue;
    const double scale = (1.1239 + 1.1328 / (b - 3.4)) / (a / (distance * distance) + b);
    if (std::log(v * scale) <= log_poisson(k, rate)) return k;
  }
}

double small_binomial(double u, double n, double p, double none) {
  const double odds = p / (1 - p);
  return std::min(inverted(u, none, [=](int k) { return odds * (n + 1 - k); }), n);
}

double large_binomial(Stream& stream, double first, double second, double n, double p) {
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double accepted = 0.92 - 4.2 / b;
  double u = first - 0.5, v = second;
  for (;; u = stream.uniform() - 0.5, v = stream.uniform()) {
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + n * p + 0.5);
    if (distance >= 0.07 && v <= accepted) return k;
    if (!(k >= 0 && k <= n)) continue;
    const double scale = (2.83 + 5.1 / b) * deviation / (a / (distance * distance) + b);
    if (std::log(v * scale) <= log_beside_mode(k, n, p)) return k;
  }
}

/// Between 0 <= low and high, of which the second may be infinite.
double normal_tail(Stream& stream, double low, double high) {
  const double root = std::hypot(low, 2.0);
  const double rate = low / 2 + root / 2;
  const double longest = std::exp(0.5 - low / (low + root)) / rate;  // for which both proposals are accepted as often
  if (high - low <= longest) {
    for (;;) {
      const double x = low + (high - low) * stream.uniform();
      if (std::log(stream.uniform()) <= (low - x) * (low + x) / 2) return x;
    }
  }
  const double covered = -std::expm1(-rate * (high - low));
  for (;;) {
    const double x = low - std::log1p(-covered * stream.uniform()) / rate;
    if (std::log(stream.uniform()) <= -0.5 * (x - rate) * (x - rate)) return x;
  }
}

double normal_between(Stream& stream, double low, double high) {
  if (low == high) return low;
  if (low >= 0) return normal_tail(stream, low, high);
  if (high <= 0) return -normal_tail(stream, -high, -low);
  if (high - low < 2.5) {
    for (;;) {
      const double x = low + (high - low) * stream.uniform();
      if (std::log(stream.uniform()) <= -0.5 * x * x) return x;
    }
  }
  for (;;) {
    const double x = stream.normal();
    if (x >= low && x <= high) return x;
  }
}

template <class C>
C any_truncated(std::uint64_t key, C normal, C low, C high) {
  if (!(low <= high)) return std::numeric_limits<C>::quiet_NaN();
  // What was drawn beforehand is as good as what the stream gives, where that would be normal numbers until one fits.
  if (low < 0 && high > 0 && high - low >= C(2.5) && normal >= low && normal <= high) return normal;
  Stream stream(key);
  return std::clamp(static_cast<C>(normal_between(stream, low, high)), low, high);
}

}  // namespace

float gamma_number(std::uint64_t stream, float normal, float uniform, float shape) {
  return any_gamma(stream, normal, uniform, shape);
}
double gamma_number(std::uint64_t stream, double normal, double uniform, double shape) {
  return any_gamma(stream, normal, uniform, shape);
}

float beta_number(const GammaSource<float>& a, const GammaSource<float>& b) { return any_beta(a, b); }
double beta_number(const GammaSource<double>& a, const GammaSource<double>& b) { return any_beta(a, b); }

double poisson_number(std::uint64_t stream, double first, double second, double rate, double none) {
  if (!(rate >= 0)) return nan;
  if (rate < 10) return small_poisson(first, rate, none);
  if (std::isinf(rate)) return rate;
  Stream more(stream);
  return large_poisson(more, first, second, rate);
}

double binomial_number(std::uint64_t stream, double first, double second, double trials, double chance, double none) {
  if (!(trials >= 0 && chance >= 0 && chance <= 1) || std::isinf(trials)) return nan;
  const double n = std::floor(trials);
  const double p = std::min(chance, 1 - chance);
  Stream more(stream);
  const double k = n * p < 10 ? small_binomial(first, n, p, none) : large_binomial(more, first, second, n, p);
  return chance <= 0.5 ? k : n - k;
}

float truncated_number(std::uint64_t stream, float normal, float low, float high) {
  return any_truncated(stream, normal, low, high);
}
double truncated_number(std::uint64_t stream, double normal, double low, double high) {
  return any_truncated(stream, normal, low, high);
}

}  // namespace tessera::random
