module;
#include <cstddef>
export module tessera.algorithm:device_rejection;
import tessera.standard;
import :device_random;

// CUDA C++ for distributions by rejection: what rejection.cpp does, number by number.
namespace tessera::random {

inline constexpr std::string_view rejection_text = R"cuda(
struct tessera_stream {
  unsigned long long key;
  unsigned int number;
  unsigned int used;
  tessera_words words;
  __device__ explicit tessera_stream(unsigned long long key) : key(key), number(0), used(2), words() {}
  __device__ double uniform() {
    if (used == 2) {
      words = tessera_philox_of(key, number++, 0, 4, 0);
      used = 0;
    }
    const unsigned int high = used ? words.word[2] : words.word[0], low = used ? words.word[3] : words.word[1];
    ++used;
    return ((double)(((unsigned long long)high << 32 | low) >> 12) + 0.5) * 0x1p-52;
  }
  __device__ double normal() {
    const double radius = sqrt(-2.0 * log(uniform()));
    double sine, cosine;
    sincospi(2.0 * uniform(), &sine, &cosine);
    return radius * cosine;
  }
};
__device__ inline double tessera_not_a_number() { return __longlong_as_double(0x7ff8000000000000ll); }
__device__ inline double tessera_gamma_of_large(tessera_stream& stream, double x, double u, double shape) {
  const double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
  for (;; x = stream.normal(), u = stream.uniform()) {
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (log(u) < 0.5 * x * x + d * (1.0 - v + log(v))) return d * v;
  }
}
template <class C> __device__ inline bool tessera_squeeze(C normal, C uniform, C shape, C& value) {
  const C d = shape - (C)1 / (C)3, root = (C)1 + normal / sqrt((C)9 * d), square = normal * normal;
  value = d * (root * root * root);
  return root > (C)0 && uniform < (C)1 - (C)0.0331 * (square * square);
}
template <class C> __device__ inline double tessera_left_of_uniform(C normal, C uniform) {
  const C square = normal * normal, bound = (C)1 - (C)0.0331 * (square * square);
  return fmin(((double)uniform + (sizeof(C) == 4 ? 0x1p-25 : 0x1p-54)) / (double)bound, 1.0);
}
template <class C> __device__ inline C tessera_gamma(unsigned long long key, C normal, C uniform, C shape) {
  if (!(shape > (C)0)) return (C)tessera_not_a_number();
  if (isinf(shape)) return shape;
  C value;
  const bool is_small = shape < (C)1;
  if (tessera_squeeze(normal, uniform, is_small ? shape + (C)1 : shape, value)) {
    if (!is_small) return value;
    return (C)((double)value * exp(log(tessera_left_of_uniform(normal, uniform)) / (double)shape));
  }
  tessera_stream stream(key);
  if (!is_small) return (C)tessera_gamma_of_large(stream, normal, uniform, shape);
  const double above = tessera_gamma_of_large(stream, normal, uniform, (double)shape + 1.0);
  return (C)(above * pow(stream.uniform(), 1.0 / (double)shape));
}
template <class C> __device__ inline double tessera_log_gamma(unsigned long long key, C normal, C uniform, C shape) {
  C value;
  const bool is_small = shape < (C)1;
  if (tessera_squeeze(normal, uniform, is_small ? shape + (C)1 : shape, value)) {
    const double log_value = log((double)value);
    return is_small ? log_value + log(tessera_left_of_uniform(normal, uniform)) / (double)shape : log_value;
  }
  tessera_stream stream(key);
  if (!is_small) return log(tessera_gamma_of_large(stream, normal, uniform, shape));
  const double above = log(tessera_gamma_of_large(stream, normal, uniform, (double)shape + 1.0));
  return above + log(stream.uniform()) / (double)shape;
}
template <class C> __device__ inline C tessera_beta(unsigned long long key_a, C normal_a, C uniform_a, C a, unsigned long long key_b,
                                                    C normal_b, C uniform_b, C b) {
  if (!(a > (C)0 && b > (C)0) || (isinf(a) && isinf(b))) return (C)tessera_not_a_number();
  if (isinf(a) || isinf(b)) return isinf(a) ? (C)1 : (C)0;
  C x, y;
  if (a >= (C)1 && b >= (C)1 && tessera_squeeze(normal_a, uniform_a, a, x) && tessera_squeeze(normal_b, uniform_b, b, y)) return x / (x + y);
  return (C)(1.0 / (1.0 + exp(tessera_log_gamma(key_b, normal_b, uniform_b, b) - tessera_log_gamma(key_a, normal_a, uniform_a, a))));
}
__device__ inline double tessera_stirling_error(double k) {
  static const double small[] = {0.0, 0.0810614667953272582, 0.0413406959554092941, 0.0276779256849983391, 0.0207906721037650931,
                          0.0166446911898211922, 0.0138761288230707480, 0.0118967099458917701, 0.0104112652619720965,
                          0.0092554621827127330};
  if (k < 10.0) return small[(int)k];
  const double square = k * k;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / k;
}
__device__ inline double tessera_deviance(double k, double mean) {
  const double difference = k - mean;
  if (fabs(difference) >= 0.1 * (k + mean)) return k * log(k / mean) - difference;
  const double v = difference / (k + mean), square = v * v;
  double sum = difference * v, term = 2.0 * k * v;
  for (int j = 3;; j += 2) {
    term *= square;
    const double next = sum + term / j;
    if (next == sum) return sum;
    sum = next;
  }
}
__device__ inline double tessera_log_poisson(double k, double rate) {
  if (k == 0.0) return -rate;
  return -tessera_stirling_error(k) - tessera_deviance(k, rate) - 0.5 * log(6.283185307179586 * k);
}
__device__ inline double tessera_log_binomial(double k, double n, double p) {
  if (k == 0.0) return n * log1p(-p);
  if (k == n) return n * log(p);
  return tessera_stirling_error(n) - tessera_stirling_error(k) - tessera_stirling_error(n - k) - tessera_deviance(k, n * p) -
         tessera_deviance(n - k, n * (1.0 - p)) + 0.5 * log(n / (6.283185307179586 * k * (n - k)));
}
__device__ inline double tessera_poisson(unsigned long long key, double first, double second, double rate, double none) {
  if (!(rate >= 0.0)) return tessera_not_a_number();
  if (rate < 10.0) {
    double k = 0.0;
    for (; first >= none && k < 1000.0; none *= rate / k) {
      first -= none;
      k += 1.0;
    }
    return k;
  }
  if (isinf(rate)) return rate;
  tessera_stream stream(key);
  const double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b, accepted = 0.9277 - 3.6224 / (b - 2.0);
  double u = first - 0.5, v = second;
  for (;; u = stream.uniform() - 0.5, v = stream.uniform()) {
    const double distance = 0.5 - fabs(u);
    const double k = floor((2.0 * a / distance + b) * u + rate + 0.43);
    if (distance >= 0.07 && v <= accepted) return k;
    if (!(k >= 0.0) || (distance < 0.013 && v > distance)) continue;
    const double scale = (1.1239 + 1.1328 / (b - 3.4)) / (a / (distance * distance) + b);
    if (log(v * scale) <= tessera_log_poisson(k, rate)) return k;
  }
}
__device__ inline double tessera_binomial(unsigned long long key, double first, double second, double trials, double chance, double none) {
  if (!(trials >= 0.0 && chance >= 0.0 && chance <= 1.0) || isinf(trials)) return tessera_not_a_number();
  const double n = floor(trials), p = fmin(chance, 1.0 - chance);
  double k = 0.0;
  if (n * p < 10.0) {
    double each = none;
    const double odds = p / (1.0 - p);
    for (; first >= each && k < n; each *= odds * (n - k + 1.0) / k) {
      first -= each;
      k += 1.0;
    }
    return chance <= 0.5 ? k : n - k;
  }
  tessera_stream stream(key);
  const double deviation = sqrt(n * p * (1.0 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, accepted = 0.92 - 4.2 / b;
  double u = first - 0.5, v = second;
  for (;; u = stream.uniform() - 0.5, v = stream.uniform()) {
    const double distance = 0.5 - fabs(u);
    k = floor((2.0 * a / distance + b) * u + n * p + 0.5);
    if (distance >= 0.07 && v <= accepted) break;
    if (!(k >= 0.0 && k <= n)) continue;
    const double scale = (2.83 + 5.1 / b) * deviation / (a / (distance * distance) + b);
    const double mode = floor((n + 1.0) * p);
    if (log(v * scale) <= tessera_log_binomial(k, n, p) - tessera_log_binomial(mode, n, p)) break;
  }
  return chance <= 0.5 ? k : n - k;
}
__device__ inline double tessera_normal_tail(tessera_stream& stream, double low, double high) {
  const double root = hypot(low, 2.0), rate = low / 2.0 + root / 2.0;
  if (high - low <= exp(0.5 - low / (low + root)) / rate) {
    for (;;) {
      const double x = low + (high - low) * stream.uniform();
      if (log(stream.uniform()) <= (low - x) * (low + x) / 2.0) return x;
    }
  }
  const double covered = -expm1(-rate * (high - low));
  for (;;) {
    const double x = low - log1p(-covered * stream.uniform()) / rate;
    if (log(stream.uniform()) <= -0.5 * (x - rate) * (x - rate)) return x;
  }
}
__device__ inline double tessera_normal_between(tessera_stream& stream, double low, double high) {
  if (low == high) return low;
  if (low >= 0.0) return tessera_normal_tail(stream, low, high);
  if (high <= 0.0) return -tessera_normal_tail(stream, -high, -low);
  if (high - low < 2.5) {
    for (;;) {
      const double x = low + (high - low) * stream.uniform();
      if (log(stream.uniform()) <= -0.5 * x * x) return x;
    }
  }
  for (;;) {
    const double x = stream.normal();
    if (x >= low && x <= high) return x;
  }
}
template <class C> __device__ inline C tessera_truncated(unsigned long long key, C normal, C low, C high) {
  if (!(low <= high)) return (C)tessera_not_a_number();
  if (low < (C)0 && high > (C)0 && high - low >= (C)2.5 && normal >= low && normal <= high) return normal;
  tessera_stream stream(key);
  const C x = (C)tessera_normal_between(stream, low, high);
  return x < low ? low : (x > high ? high : x);
}
)cuda";

/// The code of random numbers, and after it that of rejection, with the 0 at its end.
inline constexpr auto device_rejection_array = [] {
  constexpr std::string_view first = device_random;
  std::array<char, first.size() + rejection_text.size() + 1> text{};
  std::ranges::copy(rejection_text, std::ranges::copy(first, text.begin()).out);
  return text;
}();
inline constexpr const char* device_rejection = device_rejection_array.data();

}  // namespace tessera::random
