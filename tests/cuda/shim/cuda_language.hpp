// Lets the host's compiler read the text of CUDA kernels: the words of the language, the indices of a thread,
// mathematical functions and intrinsics. It includes no header of C++, so that a kernel compiles in a blink; CUDA's own
// names are in the global namespace.
#pragma once

#include "threads.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

using size_t = decltype(sizeof 0);
using dim3 = shim::Position;
inline constexpr int warpSize = 32;

// Set for each thread in turn by run_grid.
inline shim::Position gridDim, blockDim, blockIdx, threadIdx;

namespace shim {

inline const Threads* threads = nullptr;
inline constexpr unsigned long most_shared_bytes = 232448;  // of a block on sm_90
alignas(1024) inline unsigned char dynamic_shared[most_shared_bytes];

inline View view() { return {&gridDim, &blockDim, &blockIdx, &threadIdx}; }

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

template <class Arguments>
void call(void (*kernel)(Arguments), const void* arguments) {
  kernel(*static_cast<const Arguments*>(arguments));
}

template <class Arguments>
constexpr unsigned long argument_bytes(void (*)(Arguments)) {
  return sizeof(Arguments);
}

}  // namespace shim

/// Tells a library of kernels who runs their threads, and him where they look for their indices.
extern "C" __attribute__((used, visibility("default"))) inline shim::View shim_bind(const shim::Threads* threads) {
  shim::threads = threads;
  return shim::view();
}

#include "cuda_math.hpp"
#include "cuda_threads.hpp"
