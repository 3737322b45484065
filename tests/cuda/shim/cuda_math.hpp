// Mathematical functions and arithmetic intrinsics of CUDA, by the host's library. cuda_language.hpp includes this.
#pragma once

// NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's.

#define SHIM_FUNCTION(name)                 \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  inline float name(float a) { return name##f(a); }
#define SHIM_FUNCTION_2(name)                      \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  inline float name(float a, float b) { return name##f(a, b); }

SHIM_FUNCTION(acos)
SHIM_FUNCTION(acosh)
SHIM_FUNCTION(asin)
SHIM_FUNCTION(asinh)
SHIM_FUNCTION(atan)
SHIM_FUNCTION(atanh)
SHIM_FUNCTION(cbrt)
SHIM_FUNCTION(ceil)
SHIM_FUNCTION(cos)
SHIM_FUNCTION(cosh)
SHIM_FUNCTION(erf)
SHIM_FUNCTION(erfc)
SHIM_FUNCTION(exp)
SHIM_FUNCTION(exp2)
SHIM_FUNCTION(expm1)
SHIM_FUNCTION(fabs)
SHIM_FUNCTION(floor)
SHIM_FUNCTION(lgamma)
SHIM_FUNCTION(log)
SHIM_FUNCTION(log10)
SHIM_FUNCTION(log1p)
SHIM_FUNCTION(log2)
SHIM_FUNCTION(rint)
SHIM_FUNCTION(round)
SHIM_FUNCTION(sin)
SHIM_FUNCTION(sinh)
SHIM_FUNCTION(sqrt)
SHIM_FUNCTION(tan)
SHIM_FUNCTION(tanh)
SHIM_FUNCTION(tgamma)
SHIM_FUNCTION(trunc)
SHIM_FUNCTION_2(atan2)
SHIM_FUNCTION_2(copysign)
SHIM_FUNCTION_2(fdim)
SHIM_FUNCTION_2(fmax)
SHIM_FUNCTION_2(fmin)
SHIM_FUNCTION_2(fmod)
SHIM_FUNCTION_2(hypot)
SHIM_FUNCTION_2(nextafter)
SHIM_FUNCTION_2(pow)
SHIM_FUNCTION_2(remainder)
#undef SHIM_FUNCTION
#undef SHIM_FUNCTION_2

// Of half turns, for angles in [0, 2): the quarter is split off first, as CUDA does, so that multiples of a quarter are exact.
inline void sincospi(double halves, double* sine, double* cosine) {
  const double quarters = rint(2 * halves), angle = (halves - quarters / 2) * 3.14159265358979323846;
  const double s = sin(angle), c = cos(angle);
  const int turn = static_cast<int>(quarters) & 3;
  *sine = turn == 0 ? s : turn == 1 ? c : turn == 2 ? -s : -c;
  *cosine = turn == 0 ? c : turn == 1 ? -s : turn == 2 ? -c : s;
}
inline void sincospif(float halves, float* sine, float* cosine) {
  double s = 0, c = 0;
  sincospi(halves, &s, &c);
  *sine = static_cast<float>(s);
  *cosine = static_cast<float>(c);
}

extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
int abs(int) noexcept;
}
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float scalbn(float a, int n) { return scalbnf(a, n); }
inline float ldexp(float a, int n) { return ldexpf(a, n); }
inline int ilogb(float a) { return ilogbf(a); }
inline float abs(float a) { return fabsf(a); }
inline double abs(double a) { return fabs(a); }
inline double rsqrt(double a) { return 1 / sqrt(a); }
inline float rsqrt(float a) { return 1 / sqrtf(a); }
inline float rsqrtf(float a) { return 1 / sqrtf(a); }
inline void sincosf(float a, float* s, float* c) { *s = sinf(a), *c = cosf(a); }
inline void sincos(double a, double* s, double* c) { *s = sin(a), *c = cos(a); }

inline bool isnan(float a) { return a != a; }
inline bool isnan(double a) { return a != a; }
inline bool isfinite(float a) { return a - a == 0; }
inline bool isfinite(double a) { return a - a == 0; }
inline bool isinf(float a) { return a == a && a - a != 0; }
inline bool isinf(double a) { return a == a && a - a != 0; }
inline bool signbit(float a) { return __builtin_signbitf(a) != 0; }
inline bool signbit(double a) { return __builtin_signbit(a) != 0; }

inline int min(int a, int b) { return b < a ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __expf(float a) { return expf(a); }
inline float __logf(float a) { return logf(a); }
inline float __sinf(float a) { return sinf(a); }
inline float __cosf(float a) { return cosf(a); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __fdividef(float a, float b) { return a / b; }

inline int __float_as_int(float a) { return shim::bits_as<int>(a); }
inline unsigned __float_as_uint(float a) { return shim::bits_as<unsigned>(a); }
inline float __int_as_float(int a) { return shim::bits_as<float>(a); }
inline float __uint_as_float(unsigned a) { return shim::bits_as<float>(a); }
inline long long __double_as_longlong(double a) { return shim::bits_as<long long>(a); }
inline double __longlong_as_double(long long a) { return shim::bits_as<double>(a); }
inline int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }

inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (bits & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (bits & 31));
}
// NOLINTEND(bugprone-reserved-identifier)
