// Runs a kernel that was compiled for the host with the texts of other kernels.
#pragma once

#include "cuda_language.hpp"

template <class Arguments>
void run_kernel(void (*kernel)(Arguments), const Arguments& arguments, unsigned blocks, unsigned threads) {
  static void (*const called)(Arguments) = kernel;
  shim::threads = &shim::threads_of_grid();
  const auto call = [](const void* bytes) { shim::call(called, bytes); };
  constexpr unsigned seed = 1;
  shim::run_grid(call, &arguments, blocks, threads, shim::view(), seed);
}
