// Copies and elementwise kernels as one writes them by hand: CUDA's copy, Thrust's transform, a tiled transposition, and a plain kernel
// for the cost of a launch.
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>

#include "by_hand.cuh"

namespace bench {

namespace {

struct Update {
  __device__ float operator()(float p, float g) const { return p - rate * (g + decay * p); }
};

__device__ float normal(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__device__ float call_price(float price, float strike, float years) {
  const float spread = volatility * sqrtf(years);
  const float d1 = (logf(price / strike) + (interest + 0.5f * volatility * volatility) * years) / spread;
  return price * normal(d1) - strike * expf(-interest * years) * normal(d1 - spread);
}

struct CallPrice {
  __device__ float operator()(const thrust::tuple<float, float, float>& x) const {
    return call_price(thrust::get<0>(x), thrust::get<1>(x), thrust::get<2>(x));
  }
};

/// The arithmetic of call_price alone: operands from a few bits of the index, a result that nobody wants.
__global__ void price_without_memory(float* to, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  float highest = 0.0f;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const auto x = static_cast<float>(static_cast<unsigned>(i) & 0xffffu) * 0x1p-16f;
    highest = fmaxf(highest, call_price(10.0f + 90.0f * x, 100.0f - 90.0f * x, 0.25f + x));
  }
  if (highest > 1e6f) *to = highest;
}

constexpr int tile = 32, tile_rows = 8;

template <class T>
__global__ void transpose(const T* from, T* to, int rows, int columns) {
  __shared__ T values[tile][tile + 1];
  const int column = blockIdx.x * tile + threadIdx.x, row = blockIdx.y * tile + threadIdx.y;
  for (int i = 0; i < tile; i += tile_rows)
    if (column < columns && row + i < rows)
      values[threadIdx.y + i][threadIdx.x] = from[static_cast<std::int64_t>(row + i) * columns + column];
  __syncthreads();
  const int to_column = blockIdx.y * tile + threadIdx.x, to_row = blockIdx.x * tile + threadIdx.y;
  for (int i = 0; i < tile; i += tile_rows)
    if (to_column < rows && to_row + i < columns)
      to[static_cast<std::int64_t>(to_row + i) * rows + to_column] = values[threadIdx.x][threadIdx.y + i];
}

__global__ void add(const float* a, const float* b, float* c, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + 2.0f * b[i];
}

struct Pair {
  Memory<float> from, to;
};

Work copying(const Request& request) {
  const std::int64_t count = request.count();
  return rotate(
      request, 8 * count, [&] { return Pair{numbers<float>(count, 1), poisoned<float>(count)}; },
      [](const Pair& s) {
        check(cudaMemcpyAsync(s.to.data(), s.from.data(), static_cast<std::size_t>(s.to.count()) * sizeof(float),
                              cudaMemcpyDeviceToDevice));
      },
      [](const Pair& s) { return samples(s.to); });
}

Work sgd(const Request& request) {
  const std::int64_t count = request.count();
  return rotate(
      request, 8 * count, [&] { return Pair{numbers<float>(count, 2), numbers<float>(count, 1)}; },
      [](const Pair& s) {
        float* p = s.to.data();
        thrust::transform(thrust::cuda::par_nosync, p, p + s.to.count(), s.from.data(), p, Update{});
      },
      [](const Pair& s) { return samples(s.to); });
}

struct Option {
  Memory<float> price, strike, years, call;
};

Work black_scholes(const Request& request) {
  const std::int64_t count = request.count();
  return rotate(
      request, 16 * count,
      [&] {
        return Option{numbers<float>(count, 1, Fill::prices), numbers<float>(count, 2, Fill::prices),
                      numbers<float>(count, 3, Fill::years), poisoned<float>(count)};
      },
      [](const Option& s) {
        const auto first =
            thrust::make_zip_iterator(thrust::make_tuple(s.price.data(), s.strike.data(), s.years.data()));
        thrust::transform(thrust::cuda::par_nosync, first, first + s.call.count(), s.call.data(), CallPrice{});
      },
      [](const Option& s) { return samples(s.call); });
}

/// What Black-Scholes cannot be faster than, whatever the memory. There is no result.
Work black_scholes_arithmetic(const Request& request) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const unsigned blocks = static_cast<unsigned>(multiprocessors) * (2048 / threads);
  const std::int64_t count = request.count();
  return {[blocks, count, unused = Memory<float>(1)](long repetitions) {
            for (; repetitions > 0; --repetitions) price_without_memory<<<blocks, threads>>>(unused.data(), count);
            check(cudaGetLastError());
          },
          [] { return std::vector<double>{}; }};
}

template <class T>
Work transposed_copy(const Request& request) {
  struct Set {
    Memory<T> from, to;
  };
  const int rows = static_cast<int>(request.rows), columns = static_cast<int>(request.columns);
  const bool tall = (rows + tile - 1) / tile > 65535;  // which is the most blocks along y
  if (tall) throw std::runtime_error("more rows than a grid has");
  const dim3 blocks((columns + tile - 1) / tile, (rows + tile - 1) / tile);
  return rotate(
      request, 2 * request.count() * static_cast<std::int64_t>(sizeof(T)),
      [&] { return Set{numbers<T>(request.count(), 1), poisoned<T>(request.count())}; },
      [=](const Set& s) {
        transpose<T><<<blocks, dim3(tile, tile_rows)>>>(s.from.data(), s.to.data(), rows, columns);
        check(cudaGetLastError());
      },
      [](const Set& s) { return samples(s.to); });
}

Work launching(const Request& request) {
  struct Set {
    Memory<float> a, b, c;
  };
  const std::int64_t count = request.count();
  return rotate(
      request, std::numeric_limits<std::int64_t>::max(),
      [&] { return Set{numbers<float>(count, 1), numbers<float>(count, 2), poisoned<float>(count)}; },
      [](const Set& s) { add<<<blocks_for(s.c.count()), threads>>>(s.a.data(), s.b.data(), s.c.data(), s.c.count()); },
      [](const Set& s) { return samples(s.c); });
}

}  // namespace

std::vector<Kernel> cuda_kernels() {
  return {{"copy", "f32", copying},
          {"sgd", "f32", sgd},
          {"black_scholes", "f32", black_scholes},
          {"black_scholes_arithmetic", "f32", black_scholes_arithmetic},
          {"transposed_copy", "f32", transposed_copy<float>},
          {"transposed_copy", "bf16", transposed_copy<__nv_bfloat16>},
          {"launch", "f32", launching, Clock::enqueued}};
}

}  // namespace bench
