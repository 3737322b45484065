// The same loops in another order: the innermost one goes along rows.
#include "step.hpp"

// --8<-- [start:order]
void multiply(const float* __restrict a, const float* __restrict b, float* __restrict c) {
  std::fill_n(c, n * n, 0.0f);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      for (std::ptrdiff_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
}
// --8<-- [end:order]

int main() { return step("rows instead of columns", 3, multiply); }
