// What sums and products are accumulated in, for all element types: 64-bit integers, double, or a complex number of doubles.
#pragma once
#include <type_traits>

#include "support.cuh"

namespace tessera::kernels {

/// The type of a total of elements of type T, and of the result that is written.
template <class T>
struct TotalOf {
  using Total = std::uint64_t;
  using Result = std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>;
};
template <>
struct TotalOf<__half> {
  using Total = double;
  using Result = __half;
};
template <>
struct TotalOf<__nv_bfloat16> {
  using Total = double;
  using Result = __nv_bfloat16;
};
template <>
struct TotalOf<float> {
  using Total = double;
  using Result = float;
};
template <>
struct TotalOf<double> {
  using Total = double;
  using Result = double;
};
template <>
struct TotalOf<Complex64> {
  using Total = Complex128;
  using Result = Complex64;
};
template <>
struct TotalOf<Complex128> {
  using Total = Complex128;
  using Result = Complex128;
};

/// An element as a total of one.
template <class T>
struct Widened {
  using Total = typename TotalOf<T>::Total;
  __host__ __device__ Total operator()(const T& x) const {
    if constexpr (std::is_same_v<Total, Complex128>) {
      return {x.real, x.imaginary};
    } else if constexpr (std::is_same_v<T, __half>) {
      return __half2float(x);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      return __bfloat162float(x);
    } else {
      return static_cast<Total>(x);
    }
  }
};

/// A total as the result that is written, rounded once.
template <class T>
struct Narrowed {
  using Total = typename TotalOf<T>::Total;
  using Result = typename TotalOf<T>::Result;
  __host__ __device__ Result operator()(const Total& total) const {
    if constexpr (std::is_same_v<Result, Complex64>) {
      return {static_cast<float>(total.real), static_cast<float>(total.imaginary)};
    } else if constexpr (std::is_same_v<Result, __half>) {
      return __double2half(total);
    } else if constexpr (std::is_same_v<Result, __nv_bfloat16>) {
      return __double2bfloat16(total);
    } else {
      return static_cast<Result>(total);
    }
  }
};

struct Sum {
  template <class Total>
  static __host__ __device__ Total identity() {
    if constexpr (std::is_same_v<Total, Complex128>) return {-0.0, -0.0};
    if constexpr (std::is_same_v<Total, double>) return -0.0;  // leaves -0 as it is
    return Total{};
  }
  __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
  __host__ __device__ Complex128 operator()(const Complex128& a, const Complex128& b) const {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};

struct Product {
  template <class Total>
  static __host__ __device__ Total identity() {
    return {1};
  }
  __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a * b; }
  __host__ __device__ double operator()(double a, double b) const { return a * b; }
  __host__ __device__ Complex128 operator()(const Complex128& a, const Complex128& b) const {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};

}  // namespace tessera::kernels
