// The kernels of all cases, compiled for the host from their CUDA text.
#pragma once

#include <cstddef>
#include <string_view>

struct HostKernel {
  std::string_view name;
  std::string_view text;       // as it was compiled
  std::size_t argument_bytes;  // of its tessera_arguments
  void (*run)(const void* arguments, unsigned blocks, unsigned threads);
};

/// The kernel of the case with this name; its text is empty if there is none.
HostKernel host_kernel(std::string_view name);
