// The hand-written loop whose machine code the page shows beside that of the fused one; for the same instructions.
#include <cstddef>

// --8<-- [start:by_hand]
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void update_by_hand(
    float* __restrict w, const float* __restrict g, float minus_eta, float lambda, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float decay = lambda * w[i];
    const float sum = g[i] + decay;  // a statement each: no multiplication and addition may become one instruction
    w[i] = minus_eta * sum;
  }
}
// --8<-- [end:by_hand]
