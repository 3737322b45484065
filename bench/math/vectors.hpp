// Vectors of the instruction set a peer's file is compiled for, and the loop that applies a vector function to arrays.
#pragma once

#include <immintrin.h>

#include "peers.hpp"

namespace math_bench {
namespace {

#ifdef __AVX512F__
inline constexpr const char* isa_name = "avx512";
using Floats = __m512;
using Doubles = __m512d;
inline Floats load(const float* p) { return _mm512_loadu_ps(p); }
inline Doubles load(const double* p) { return _mm512_loadu_pd(p); }
inline void store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
inline void store(double* p, Doubles v) { _mm512_storeu_pd(p, v); }
#else
inline constexpr const char* isa_name = "avx2";
using Floats = __m256;
using Doubles = __m256d;
inline Floats load(const float* p) { return _mm256_loadu_ps(p); }
inline Doubles load(const double* p) { return _mm256_loadu_pd(p); }
inline void store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
inline void store(double* p, Doubles v) { _mm256_storeu_pd(p, v); }
#endif

template <class T, auto function>
void unary(const T* x, const T*, T* out, std::ptrdiff_t n) {
  constexpr auto lanes = static_cast<std::ptrdiff_t>(sizeof(load(x)) / sizeof(T));
  for (std::ptrdiff_t i = 0; i < n; i += lanes) store(out + i, function(load(x + i)));
}

template <class T, auto function>
void binary(const T* x, const T* y, T* out, std::ptrdiff_t n) {
  constexpr auto lanes = static_cast<std::ptrdiff_t>(sizeof(load(x)) / sizeof(T));
  for (std::ptrdiff_t i = 0; i < n; i += lanes) store(out + i, function(load(x + i), load(y + i)));
}

}  // namespace
}  // namespace math_bench
