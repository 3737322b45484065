// The small products of the table by the loops that one would write.
#include "cases.hpp"

namespace {

template <class T>
void multiply(std::ptrdiff_t m, std::ptrdiff_t k, std::ptrdiff_t n, const T* __restrict a, const T* __restrict b,
              T* __restrict c) {
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      for (std::ptrdiff_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}

template <class T>
bench::Repeat prepare_type(const bench::Case& one) {
  const std::ptrdiff_t m = one.m, k = one.k, n = one.n, count = one.kind == "batch" ? bench::batch : 1;
  if ((one.kind != "mm" && one.kind != "batch") || m * k * n > 64 * 64 * 64) return {};
  return bench::repeat([=, a = bench::numbers<T>(count * m * k, 1), b = bench::numbers<T>(count * k * n, 2),
                        c = std::vector<T>(static_cast<std::size_t>(count * m * n))]() mutable {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      multiply(m, k, n, a.data() + i * m * k, b.data() + i * k * n, c.data() + i * m * n);
  });
}

bench::Repeat prepare(const bench::Case& one) {
  if (one.type == "f32") return prepare_type<float>(one);
  if (one.type == "f64") return prepare_type<double>(one);
  return {};
}

}  // namespace

int main() { return bench::serve_cases("loops", prepare); }
