// What the kernels that are written by hand share: memory of the GPU, errors of CUDA, operands.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

/// Throws if CUDA reports an error.
inline void check(cudaError_t error) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error));
}

/// Memory of the GPU for that many elements.
template <class T>
class Memory {
 public:
  explicit Memory(std::int64_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(T)));
    memory_.reset(static_cast<T*>(memory), [](T* pointer) { cudaFree(pointer); });
  }
  T* data() const { return memory_.get(); }
  std::int64_t count() const { return count_; }

 private:
  std::shared_ptr<T> memory_;
  std::int64_t count_;
};

inline constexpr unsigned threads = 256;
inline unsigned blocks_for(std::int64_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

enum class Fill { numbers, prices, years, less_one };

template <class T>
__global__ void fill(T* to, std::int64_t count, std::uint32_t seed, Fill kind) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = number(static_cast<std::uint32_t>(i), seed);
  to[i] = static_cast<T>(kind == Fill::prices     ? price_of(x)
                         : kind == Fill::years    ? years_of(x)
                         : kind == Fill::less_one ? x - 1.0f
                                                  : x);
}

/// Memory whose element i is number(i, seed), or what `kind` makes of it.
template <class T>
Memory<T> numbers(std::int64_t count, std::uint32_t seed, Fill kind = Fill::numbers) {
  Memory<T> memory(count);
  fill<T><<<blocks_for(count), threads>>>(memory.data(), count, seed, kind);
  check(cudaGetLastError());
  return memory;
}

/// A destination that no kernel has written yet: bytes of ones are NaN in every floating type, and -1.
template <class T>
Memory<T> poisoned(std::int64_t count) {
  Memory<T> memory(count);
  check(cudaMemset(memory.data(), 0xff, static_cast<std::size_t>(count) * sizeof(T)));
  return memory;
}

/// The elements that are compared.
template <class T>
std::vector<double> samples(const Memory<T>& result) {
  check(cudaDeviceSynchronize());
  std::vector<double> values;
  for (std::int64_t k = 0; k < samples_of(result.count()); ++k) {
    T value;
    check(cudaMemcpy(&value, result.data() + position(k, result.count()), sizeof(T), cudaMemcpyDeviceToHost));
    if constexpr (std::is_arithmetic_v<T>) {
      values.push_back(static_cast<double>(value));
    } else {
      values.push_back(static_cast<double>(static_cast<float>(value)));
    }
  }
  return values;
}

// The kernels, by the library that they are written with.
std::vector<Kernel> cuda_kernels();
std::vector<Kernel> cub_kernels();
std::vector<Kernel> cublaslt_kernels();

/// cuBLASLt's file and version, or why there is none.
std::string cublaslt_version();

}  // namespace bench
