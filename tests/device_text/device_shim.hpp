// Lets the host's compiler read the text of CUDA kernels: the words of the language, the indices of a thread, the intrinsics.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__

namespace shim {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

}  // namespace shim

// Set for each thread in turn by run_kernel.
inline shim::Dim3 gridDim, blockDim, blockIdx, threadIdx;

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }

// CUDA overloads the mathematical functions for float in the global namespace.
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::ceil,
    std::copysign, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs, std::floor,
    std::fmax, std::fmin, std::fmod, std::hypot, std::ilogb, std::lgamma, std::log, std::log10, std::log1p, std::log2,
    std::nextafter, std::pow, std::rint, std::scalbn, std::sin, std::sinh, std::sqrt, std::tan, std::tanh, std::trunc;
