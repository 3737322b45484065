// Sorting, running sums and row sums by CUB, called by hand; Thrust's algorithms of the same names call these.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "by_hand.cuh"

namespace bench {

namespace {

/// Calls call(memory, bytes) once to learn how much temporary memory it needs; later calls are given it.
template <class Call>
Memory<unsigned char> temporary_for(const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  return Memory<unsigned char>(static_cast<std::int64_t>(bytes) + 1);
}

template <class Result>
struct Set {
  Memory<float> x;
  Memory<Result> y;
};

/// call(memory, bytes, x, y) on vectors; the temporary memory is allocated once.
template <class Result, class Call>
Work of_vector(const Request& request, std::int64_t results, const Call& call) {
  const std::int64_t count = request.count();
  const auto memory = temporary_for([&](void* none, std::size_t& bytes) {
    return call(none, bytes, static_cast<float*>(nullptr), static_cast<Result*>(nullptr));
  });
  return rotate(
      request, count * 4 + results * static_cast<std::int64_t>(sizeof(Result)),
      [&] { return Set<Result>{numbers<float>(count, 1), poisoned<Result>(results)}; },
      [memory, call](const Set<Result>& s) {
        auto bytes = static_cast<std::size_t>(memory.count());
        check(call(memory.data(), bytes, s.x.data(), s.y.data()));
      },
      [](const Set<Result>& s) { return samples(s.y); });
}

Work sorting(const Request& request) {
  const std::int64_t count = request.count();
  return of_vector<float>(request, count, [count](void* memory, std::size_t& bytes, float* x, float* y) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, x, y, count);
  });
}

/// Positions are written before each sort, as a caller must.
__global__ void count_up(std::int64_t* to, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = i;
}

Work arg_sorting(const Request& request) {
  const std::int64_t count = request.count();
  const Memory<float> keys(count);
  const Memory<std::int64_t> positions(count);
  return of_vector<std::int64_t>(request, count, [=](void* memory, std::size_t& bytes, float* x, std::int64_t* y) {
    if (memory != nullptr) count_up<<<blocks_for(count), threads>>>(positions.data(), count);
    return cub::DeviceRadixSort::SortPairs(memory, bytes, x, keys.data(), positions.data(), y, count);
  });
}

Work scanning(const Request& request) {
  const std::int64_t count = request.count();
  return of_vector<float>(request, count, [count](void* memory, std::size_t& bytes, float* x, float* y) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, x, y, count);
  });
}

struct RowStart {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};

Work row_sums(const Request& request) {
  const std::int64_t rows = request.rows;
  const auto begin =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), RowStart{request.columns});
  return of_vector<float>(request, rows, [=](void* memory, std::size_t& bytes, float* x, float* y) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, x, y, rows, begin, begin + 1);
  });
}

}  // namespace

std::vector<Kernel> cub_kernels() {
  return {{"sort", "f32", sorting},
          {"argsort", "f32", arg_sorting},
          {"scan", "f32", scanning},
          {"row_sums", "f32", row_sums}};
}

}  // namespace bench
