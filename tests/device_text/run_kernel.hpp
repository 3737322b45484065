// Runs a kernel on the host: every thread of every block in turn. Good for kernels without barriers.
#pragma once

#include "device_shim.hpp"

template <class Arguments>
void run_kernel(void (*kernel)(Arguments), const Arguments& arguments, unsigned blocks, unsigned threads) {
  gridDim = {blocks, 1, 1};
  blockDim = {threads, 1, 1};
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      blockIdx = {block, 0, 0};
      threadIdx = {thread, 0, 0};
      kernel(arguments);
    }
  }
}
