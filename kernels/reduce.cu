// Reductions of whole arrays by CUB, whose sums of floating elements are the same on every run on a device.
#include "reduce.h"

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cmath>
#include <limits>

#include "totals.cuh"

namespace tessera::kernels {

namespace {

template <class T, class Operation>
void reduce_totals(const TesseraReduce& reduce, const TesseraStream& stream) {
  using Total = typename TotalOf<T>::Total;
  using Result = typename TotalOf<T>::Result;
  const auto from = thrust::make_transform_iterator(static_cast<const T*>(reduce.from), Widened<T>{});
  const auto to = thrust::make_transform_output_iterator(static_cast<Result*>(reduce.to), Narrowed<T>{});
  with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, from, to, reduce.length, Operation{},
                                     Operation::template identity<Total>(), stream.stream);
  });
}

template <class T>
__host__ __device__ bool is_nan(const T& x) {
  if constexpr (std::is_same_v<T, __half>) return __hisnan(x);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __hisnan(x);
  if constexpr (std::is_floating_point_v<T>) return x != x;
  return false;
}

template <class T>
__host__ __device__ bool is_less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, __half>) return __half2float(a) < __half2float(b);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __bfloat162float(a) < __bfloat162float(b);
  if constexpr (std::is_arithmetic_v<T>) return a < b;
}

/// NaN where one of the two is.
template <bool IsMinimum>
struct Extreme {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    if (is_nan(a)) return a;
    const bool is_second = is_nan(b) || (IsMinimum ? is_less(b, a) : is_less(a, b));
    return is_second ? b : a;
  }
};

/// What leaves every element as it is: the largest value for minima, the smallest for maxima.
template <class T, bool IsMinimum>
T neutral() {
  if constexpr (std::is_same_v<T, __half>)
    return __float2half(IsMinimum ? INFINITY : -INFINITY);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16(IsMinimum ? INFINITY : -INFINITY);
  else if constexpr (std::is_floating_point_v<T>)
    return IsMinimum ? T(INFINITY) : T(-INFINITY);
  else
    return IsMinimum ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
}

template <class T, bool IsMinimum>
void reduce_extreme(const TesseraReduce& reduce, const TesseraStream& stream) {
  with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, static_cast<const T*>(reduce.from), static_cast<T*>(reduce.to),
                                     reduce.length, Extreme<IsMinimum>{}, neutral<T, IsMinimum>(), stream.stream);
  });
}

void reduce_by(const TesseraReduce& reduce, const TesseraStream& stream) {
  switch (reduce.operation) {
    case TESSERA_REDUCE_SUM:
      return with_type(reduce.dtype,
                       [&](auto type) { reduce_totals<typename decltype(type)::type, Sum>(reduce, stream); });
    case TESSERA_REDUCE_PRODUCT:
      return with_type(reduce.dtype,
                       [&](auto type) { reduce_totals<typename decltype(type)::type, Product>(reduce, stream); });
    case TESSERA_REDUCE_MIN:
      return with_ordered_type(reduce.dtype,
                               [&](auto type) { reduce_extreme<typename decltype(type)::type, true>(reduce, stream); });
    case TESSERA_REDUCE_MAX:
      return with_ordered_type(
          reduce.dtype, [&](auto type) { reduce_extreme<typename decltype(type)::type, false>(reduce, stream); });
    default: refuse();
  }
}

}  // namespace

}  // namespace tessera::kernels

int tessera_reduce(const TesseraReduce* reduce, const TesseraStream* stream, TesseraFailure* failure) {
  return tessera::kernels::guarded(failure, [&] { tessera::kernels::reduce_by(*reduce, *stream); });
}
