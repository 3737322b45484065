// The definition.
#include "step.hpp"

// --8<-- [start:loops]
void multiply(const float* a, const float* b, float* c) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::ptrdiff_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}
// --8<-- [end:loops]

int main() { return step("three loops", 1, multiply); }
