module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_prelude;
import tessera.standard;
import tessera.core;

// CUDA C++ for what elementwise operations mean beyond C++'s own operators: wrapping, division by zero, Python's remainder,
// wide shifts, NaN in extremes. Every operation's `device` text is an expression over $0, $1, ...: values of the compute type
// of its arguments, spelled so that they need no parentheses. Whoever uses the expression puts it in parentheses and
// converts it to the compute type of the result. Nothing here includes a header: NVRTC has none.
namespace tessera {

/// The CUDA C++ name of a compute type.
template <class C>
constexpr const char* device_type() {
  if constexpr (std::same_as<C, std::complex<double>>) {
    return "tessera_complex<double>";
  } else if constexpr (std::same_as<C, std::complex<float>>) {
    return "tessera_complex<float>";
  } else if constexpr (std::floating_point<C>) {
    return sizeof(C) == 8 ? "double" : "float";
  } else if constexpr (std::same_as<C, bool>) {
    return "bool";
  } else {
    constexpr const char* signed_names[] = {"signed char", "short", "int", "long long"};
    constexpr const char* unsigned_names[] = {"unsigned char", "unsigned short", "unsigned int", "unsigned long long"};
    constexpr int width = sizeof(C) == 8 ? 3 : sizeof(C) == 4 ? 2 : sizeof(C) == 2 ? 1 : 0;
    return std::is_signed_v<C> ? signed_names[width] : unsigned_names[width];
  }
}

/// A text put together at compile time from a few pieces; what is longer than 127 characters does not compile.
struct DeviceText {
  char characters[128] = {};

  template <class... Pieces>
  constexpr explicit DeviceText(const Pieces*... pieces) {
    std::size_t length = 0;
    const auto append = [&](const char* piece) {
      while (*piece != '\0') characters[length++] = *piece++;
    };
    (append(pieces), ...);
  }
};

/// Device code of real numbers and integers.
inline constexpr const char* device_prelude = R"cuda(
// The unsigned type in which arithmetic on an integer wraps; floating types have none.
template <class T> struct tessera_wrapping { typedef unsigned int type; };
template <> struct tessera_wrapping<long> { typedef unsigned long type; };
template <> struct tessera_wrapping<unsigned long> { typedef unsigned long type; };
template <> struct tessera_wrapping<long long> { typedef unsigned long long type; };
template <> struct tessera_wrapping<unsigned long long> { typedef unsigned long long type; };
template <class T> struct tessera_is_floating { static const bool value = false; };
template <> struct tessera_is_floating<float> { static const bool value = true; };
template <> struct tessera_is_floating<double> { static const bool value = true; };

template <class T> __device__ inline T tessera_add(T a, T b) {
  typedef typename tessera_wrapping<T>::type U;
  return (T)((U)a + (U)b);
}
template <class T> __device__ inline T tessera_subtract(T a, T b) {
  typedef typename tessera_wrapping<T>::type U;
  return (T)((U)a - (U)b);
}
template <class T> __device__ inline T tessera_multiply(T a, T b) {
  typedef typename tessera_wrapping<T>::type U;
  return (T)((U)a * (U)b);
}
__device__ inline float tessera_add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double tessera_add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float tessera_subtract(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double tessera_subtract(double a, double b) { return __dsub_rn(a, b); }
__device__ inline float tessera_multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double tessera_multiply(double a, double b) { return __dmul_rn(a, b); }

template <class T> __device__ inline T tessera_negate(T a) { return tessera_subtract((T)0, a); }
__device__ inline float tessera_negate(float a) { return -a; }
__device__ inline double tessera_negate(double a) { return -a; }
template <class T> __device__ inline T tessera_complement(T a) { return (T)~a; }
__device__ inline bool tessera_complement(bool a) { return !a; }

// Quotients: x / 0 is 0 for integers, and the lowest value divided by -1 wraps to itself.
template <class T> __device__ inline bool tessera_is_minus_one(T a) { return (T)-1 < (T)0 && a == (T)-1; }
template <class T> __device__ inline T tessera_divide(T a, T b) {
  if (b == 0) return 0;
  return tessera_is_minus_one(b) ? tessera_negate(a) : (T)(a / b);
}
__device__ inline float tessera_divide(float a, float b) { return __fdiv_rn(a, b); }
__device__ inline double tessera_divide(double a, double b) { return a / b; }
template <class T> __device__ inline T tessera_modulo(T a, T b) {
  return b == 0 || tessera_is_minus_one(b) ? (T)0 : (T)(a % b);
}
template <class T> __device__ inline T tessera_floor_divide(T a, T b) {
  const T remainder = tessera_modulo(a, b);
  const bool between = remainder != 0 && (remainder < 0) != (b < 0);
  return (T)(tessera_divide(a, b) - (between ? 1 : 0));
}
template <class T> __device__ inline T tessera_remainder(T a, T b) {
  const T remainder = tessera_modulo(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? (T)(remainder + b) : remainder;
}
template <class T> __device__ inline T tessera_floating_remainder(T a, T b) {
  const T remainder = fmod(a, b);
  if (remainder == 0) return copysign((T)0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
template <class T> __device__ inline T tessera_floating_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = fmod(a, b);
  const T quotient = a / b;
  T whole = trunc(quotient);
  const bool is_exact = fabs(quotient) < (T)(sizeof(T) == 4 ? 16777216.0 : 9007199254740992.0);
  if (rest != 0 && is_exact && whole == quotient && fabs(rest) + fabs(rest) > fabs(b)) whole -= copysign((T)1, quotient);
  if (rest != 0 && (rest < 0) != (b < 0)) whole -= 1;
  if (rest != rest) return rest;
  return whole == 0 ? copysign((T)0, quotient) : whole;
}
__device__ inline float tessera_remainder(float a, float b) { return tessera_floating_remainder(a, b); }
__device__ inline double tessera_remainder(double a, double b) { return tessera_floating_remainder(a, b); }
__device__ inline float tessera_floor_divide(float a, float b) { return tessera_floating_floor_divide(a, b); }
__device__ inline double tessera_floor_divide(double a, double b) { return tessera_floating_floor_divide(a, b); }

// Shifts by the width or more, or by a negative number, shift everything out.
template <class T> __device__ inline T tessera_shift_left(T a, T bits) {
  typedef typename tessera_wrapping<T>::type U;
  return (U)bits < 8 * sizeof(T) ? (T)((U)a << (U)bits) : (T)0;
}
template <class T> __device__ inline T tessera_shift_right(T a, T bits) {
  typedef typename tessera_wrapping<T>::type U;
  if ((U)bits < 8 * sizeof(T)) return (T)(a >> (U)bits);
  return a < 0 ? (T)-1 : (T)0;
}

template <class T> __device__ inline T tessera_reciprocal(T a) { return tessera_divide((T)1, a); }
template <class T> __device__ inline T tessera_real(T a) { return a; }
template <class T> __device__ inline T tessera_imag(T) { return 0; }
template <class T> __device__ inline T tessera_conj(T a) { return a; }
template <class T> __device__ inline T tessera_angle(T a) { return atan2((T)0, a); }
template <class T> __device__ inline T tessera_abs(T a) { return a < 0 ? tessera_negate(a) : a; }
__device__ inline float tessera_abs(float a) { return fabsf(a); }
__device__ inline double tessera_abs(double a) { return fabs(a); }
template <class T> __device__ inline T tessera_sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a; }
template <class T> __device__ inline T tessera_maximum(T a, T b) { return a > b || a != a ? a : b; }
template <class T> __device__ inline T tessera_minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> __device__ inline bool tessera_isnan(T a) { return a != a; }
template <class T> __device__ inline bool tessera_isfinite(T a) { return a - a == 0; }
__device__ inline float tessera_largest(float) { return 3.402823466e+38f; }
__device__ inline double tessera_largest(double) { return 1.7976931348623157e+308; }
template <class T> __device__ inline bool tessera_isinf(T a) { return a == a && a - a != 0; }
template <class T> __device__ inline bool tessera_signbit(T a) { return a < 0; }
__device__ inline bool tessera_signbit(float a) { return __float_as_int(a) < 0; }
__device__ inline bool tessera_signbit(double a) { return __double_as_longlong(a) < 0; }

template <class T> __device__ inline T tessera_round(T a) { return rint(a); }
template <class T> __device__ inline T tessera_round_decimals(T a, T up, T down) {
  const T scaled = a * up / down, whole = rint(scaled);
  return scaled - scaled == 0 ? (whole == 0 ? whole : whole * down / up) : a;
}
template <class T> __device__ inline T tessera_round_integer(T a, T scale) {
  if (scale == 0) return 0;
  const T left = (T)(a % scale), rest = (T)(left < 0 ? left + scale : left), above = (T)(scale - rest), lower = (T)(a - rest);
  return (T)(lower + (rest > above || (rest == above && (lower / scale) % 2 != 0) ? scale : (T)0));
}

// Powers. Of integers: a negative exponent gives 1 / a^|n| cut towards zero, and 0 for a = 0.
template <class T> __device__ inline T tessera_pow(T a, T n) {
  if (n < 0) {
    if (!tessera_is_minus_one(a)) return a == 1 ? (T)1 : (T)0;
    return n % 2 == 0 ? (T)1 : a;
  }
  T result = 1;
  for (; n != 0; n = (T)(n / 2)) {
    if (n % 2 != 0) result = tessera_multiply(result, a);
    a = tessera_multiply(a, a);
  }
  return result;
}
__device__ inline float tessera_pow(float a, float b) { return powf(a, b); }
__device__ inline double tessera_pow(double a, double b) { return pow(a, b); }

template <class T> __device__ inline T tessera_sigmoid(T a) {
  const T decay = exp(-tessera_abs(a));
  return (a < 0 ? decay : (T)1) / (1 + decay);
}
template <class T> __device__ inline T tessera_silu(T a) { return tessera_isinf(a) && a < 0 ? (T)-0.0 : a * tessera_sigmoid(a); }
template <class T> __device__ inline T tessera_gelu(T a) {
  return tessera_isinf(a) && a < 0 ? (T)-0.0 : a * ((T)0.5 * (1 + erf(a * (T)0.707106781186547524400844362105)));
}
template <class T> __device__ inline T tessera_degrees(T a) { return a * (T)57.2957795130823208767981548141; }
template <class T> __device__ inline T tessera_radians(T a) { return a * (T)0.0174532925199432957692369076849; }
template <class T> __device__ inline T tessera_softplus(T a) {
  return tessera_maximum(a, (T)0) + log1p(exp(-tessera_abs(a)));
}
template <class T> __device__ inline T tessera_logaddexp(T a, T b) {
  if (a == b) return a + (T)0.693147180559945309417232121458;
  return tessera_maximum(a, b) + log1p(exp(-tessera_abs(a - b)));
}

// 16-bit floats as bits. Their values are float; what is stored is rounded to nearest, ties to even.
__device__ inline float tessera_float16_value(unsigned short bits) {
  const unsigned int sign = (bits & 0x8000u) << 16;
  const unsigned int magnitude = bits & 0x7fffu;
  const float subnormal = (float)magnitude * 5.9604644775390625e-8f;
  const unsigned int normal = (magnitude << 13) + (magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u);
  return __uint_as_float(sign | (magnitude < 0x400u ? __float_as_uint(subnormal) : normal));
}
__device__ inline unsigned short tessera_float16_bits(float value) {
  const unsigned int bits = __float_as_uint(value);
  const unsigned int sign = (bits >> 16) & 0x8000u;
  const unsigned int magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (unsigned short)(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (magnitude < 0x38800000u) return (unsigned short)(sign | (unsigned int)rintf(__uint_as_float(magnitude) * 0x1p24f));
  return (unsigned short)(sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
}
__device__ inline float tessera_bfloat16_value(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
__device__ inline unsigned short tessera_bfloat16_bits(float value) {
  const unsigned int bits = __float_as_uint(value);
  if (value != value) return (unsigned short)((bits >> 16) | 0x40u);
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
__device__ inline float tessera_round_float16(float a) { return tessera_float16_value(tessera_float16_bits(a)); }
__device__ inline float tessera_round_bfloat16(float a) { return tessera_bfloat16_value(tessera_bfloat16_bits(a)); }

// The 16-bit pattern after `bits` towards larger or smaller values; both numbers are finite or infinite, and differ.
__device__ inline unsigned short tessera_next_bits(unsigned short bits, bool up) {
  if ((bits & 0x7fffu) == 0) return up ? 1u : 0x8001u;
  return (unsigned short)(bits + ((bits < 0x8000u) == up ? 1 : -1));
}
__device__ inline float tessera_nextafter_float16(float a, float b) {
  if (a != a || b != b) return a + b;
  return a == b ? b : tessera_float16_value(tessera_next_bits(tessera_float16_bits(a), a < b));
}
__device__ inline float tessera_nextafter_bfloat16(float a, float b) {
  if (a != a || b != b) return a + b;
  return a == b ? b : tessera_bfloat16_value(tessera_next_bits(tessera_bfloat16_bits(a), a < b));
}

// From floating to integer: towards zero, cut to the range, NaN gives 0.
template <class T> struct tessera_limits {
  static const bool is_signed = (T)-1 < (T)0;
  __device__ static T highest() {
    return (T)(is_signed ? ((1ull << (8 * sizeof(T) - 1)) - 1) : (~0ull >> (64 - 8 * sizeof(T))));
  }
  __device__ static T lowest() { return is_signed ? (T)(-highest() - 1) : (T)0; }
};
template <class T, class From> __device__ inline T tessera_saturated(From a) {
  const From past = (From)(tessera_limits<T>::highest() / 2 + 1) * (From)2;
  if (a != a) return 0;
  if (a < (From)tessera_limits<T>::lowest()) return tessera_limits<T>::lowest();
  return a >= past ? tessera_limits<T>::highest() : (T)a;
}
template <class T, bool saturates> struct tessera_conversion {
  template <class From> __device__ static T of(From a) { return (T)a; }
};
template <class T> struct tessera_conversion<T, true> {
  template <class From> __device__ static T of(From a) { return tessera_saturated<T>(a); }
};
template <> struct tessera_conversion<bool, true> {
  template <class From> __device__ static bool of(From a) { return a != 0; }
};
template <class T, class From> __device__ inline T tessera_cast(From a) {
  return tessera_conversion<T, tessera_is_floating<From>::value && !tessera_is_floating<T>::value>::of(a);
}
)cuda";

}  // namespace tessera
