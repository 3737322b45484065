// Reductions of whole arrays in two steps: blocks reduce tiles that depend on the length alone, then one block reduces what they found. So a
// sum of floating elements has the same bits on every run, and on every GPU, which CUB's DeviceReduce promises for one GPU only.
#include "reduce.h"

#include <cub/block/block_reduce.cuh>
#include <cuda/std/limits>

#include <cmath>

#include "totals.cuh"

namespace tessera::kernels {

namespace {

constexpr int threads = 256;
constexpr int per_thread = 8;
constexpr int tile = threads * per_thread;
constexpr std::int64_t most_blocks = 2048;

/// Sums and products.
template <class T, class Operation>
struct Totals {
  using Element = T;
  using Value = typename TotalOf<T>::Total;
  using Result = typename TotalOf<T>::Result;
  static __device__ Value read(const T& x) { return Widened<T>{}(x); }
  /// A sum begins with 0, so that there is one of nothing; a scan begins with -0, so that its first sum is the first element.
  static __device__ Value neutral() {
    return std::is_same_v<Operation, Sum> ? Value{} : Operation::template identity<Value>();
  }
  static __device__ Result result(const Value& value) { return Narrowed<T>{}(value); }
  __device__ Value operator()(const Value& a, const Value& b) const { return Operation{}(a, b); }
};

template <class T>
__device__ bool is_nan(const T& x) {
  if constexpr (std::is_same_v<T, __half>) return __hisnan(x);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __hisnan(x);
  if constexpr (std::is_floating_point_v<T>) return x != x;
  return false;
}

template <class T>
__device__ bool is_less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, __half>) return __half2float(a) < __half2float(b);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __bfloat162float(a) < __bfloat162float(b);
  if constexpr (std::is_arithmetic_v<T>) return a < b;
}

/// Minima and maxima; NaN where one element is.
template <class T, bool IsMinimum>
struct Extremes {
  using Element = T;
  using Value = T;
  using Result = T;
  static __device__ T read(const T& x) { return x; }
  static __device__ T neutral() {
    if constexpr (std::is_same_v<T, __half>) {
      return __float2half(IsMinimum ? INFINITY : -INFINITY);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      return __float2bfloat16(IsMinimum ? INFINITY : -INFINITY);
    } else if constexpr (std::is_floating_point_v<T>) {
      return IsMinimum ? T(INFINITY) : T(-INFINITY);
    } else {
      constexpr T most = cuda::std::numeric_limits<T>::max();
      constexpr T least = cuda::std::numeric_limits<T>::lowest();
      return IsMinimum ? most : least;
    }
  }
  static __device__ T result(const T& value) { return value; }
  __device__ T operator()(const T& a, const T& b) const {
    if (is_nan(a)) return a;
    const bool is_second = is_nan(b) || (IsMinimum ? is_less(b, a) : is_less(a, b));
    return is_second ? b : a;
  }
};

/// Each block reduces every gridDim.x-th tile.
template <class Reduction>
__global__ void __launch_bounds__(threads)
    reduce_tiles(const typename Reduction::Element* from, typename Reduction::Value* found, std::int64_t length) {
  using Value = typename Reduction::Value;
  using Block = cub::BlockReduce<Value, threads>;
  __shared__ typename Block::TempStorage shared;
  Value value = Reduction::neutral();
  for (std::int64_t start = std::int64_t{blockIdx.x} * tile; start < length; start += std::int64_t{gridDim.x} * tile) {
    Value values[per_thread];
    for (int i = 0; i < per_thread; ++i) {
      const std::int64_t at = start + i * threads + threadIdx.x;
      values[i] = at < length ? Reduction::read(from[at]) : Reduction::neutral();
    }
    for (int width = per_thread / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) values[i] = Reduction{}(values[i], values[i + width]);
    }
    value = Reduction{}(value, values[0]);
  }
  value = Block(shared).Reduce(value, Reduction{});
  if (threadIdx.x == 0) found[blockIdx.x] = value;
}

/// One block reduces what the others found.
template <class Reduction>
__global__ void __launch_bounds__(threads)
    reduce_found(const typename Reduction::Value* found, typename Reduction::Result* to, int count) {
  using Value = typename Reduction::Value;
  using Block = cub::BlockReduce<Value, threads>;
  __shared__ typename Block::TempStorage shared;
  Value value = Reduction::neutral();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) value = Reduction{}(value, found[i]);
  value = Block(shared).Reduce(value, Reduction{});
  if (threadIdx.x == 0) *to = Reduction::result(value);
}

template <class Reduction>
void reduce_all(const TesseraReduce& reduce, const TesseraStream& stream) {
  using Value = typename Reduction::Value;
  const std::int64_t tiles = (reduce.length + tile - 1) / tile;
  const std::int64_t blocks = tiles < 1 ? 1 : tiles < most_blocks ? tiles : most_blocks;
  const Temporary found(stream, static_cast<std::size_t>(blocks) * sizeof(Value));
  reduce_tiles<Reduction><<<static_cast<unsigned>(blocks), threads, 0, stream.stream>>>(
      static_cast<const typename Reduction::Element*>(reduce.from), found.as<Value>(), reduce.length);
  check(cudaGetLastError());
  reduce_found<Reduction><<<1, threads, 0, stream.stream>>>(
      found.as<const Value>(), static_cast<typename Reduction::Result*>(reduce.to), static_cast<int>(blocks));
  check(cudaGetLastError());
}

void reduce_by(const TesseraReduce& reduce, const TesseraStream& stream) {
  switch (reduce.operation) {
    case TESSERA_REDUCE_SUM:
      return with_type(reduce.dtype,
                       [&](auto type) { reduce_all<Totals<typename decltype(type)::type, Sum>>(reduce, stream); });
    case TESSERA_REDUCE_PRODUCT:
      return with_type(reduce.dtype,
                       [&](auto type) { reduce_all<Totals<typename decltype(type)::type, Product>>(reduce, stream); });
    case TESSERA_REDUCE_MIN:
      return with_ordered_type(
          reduce.dtype, [&](auto type) { reduce_all<Extremes<typename decltype(type)::type, true>>(reduce, stream); });
    case TESSERA_REDUCE_MAX:
      return with_ordered_type(
          reduce.dtype, [&](auto type) { reduce_all<Extremes<typename decltype(type)::type, false>>(reduce, stream); });
    default: refuse();
  }
}

}  // namespace

}  // namespace tessera::kernels

int tessera_reduce(const TesseraReduce* reduce, const TesseraStream* stream, TesseraFailure* failure) {
  return tessera::kernels::guarded(failure, [&] { tessera::kernels::reduce_by(*reduce, *stream); });
}
