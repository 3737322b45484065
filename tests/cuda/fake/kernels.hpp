// Kernels of the fake driver: shared libraries that were compiled for the host from CUDA text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../shim/threads.hpp"
#include "machine.hpp"

namespace fake {

/// A kernel in a library; without one, a kernel that does nothing, of which only the text is wanted.
struct Module {
  void* library = nullptr;
  std::string kernel{};
  int bound = 0;  // threads of a block, as the kernel's launch bounds say; 0 without them
};

struct Function {
  const Gpu* gpu = nullptr;
  void (*call)(const void*) = nullptr;  // null for a kernel that does nothing, whatever its arguments are
  std::size_t argument_bytes = 0;
  shim::View view{};
  int shared_allowed = 48 << 10;
  int bound = 0;
};

/// A launch of a kernel with its arguments.
struct Launch {
  Function* function = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments{};
};

/// Takes the arguments from CU_LAUNCH_PARAM_BUFFER_POINTER in `extra`, and checks all of the launch as CUDA does.
int check_launch(Launch& launch, const Gpu* gpu, void** extra);

void run_kernel(Machine& machine, const Launch& launch);

/// What the fake NVRTC gave in place of a cubin or of PTX, if a driver of CUDA's version `driver` (12080 for 12.8) takes it: no machine code of
/// a later major version, no later PTX.
int load(Module*& module, const void* image, int driver);

/// The kernel of a module for a GPU, null if there is none.
Function* find(const Module& module, const std::string& name, const Gpu& gpu);

/// Memory of GPUs to which the argument bytes point: whole allocations. Ends the process for pointers into freed
/// memory.
std::vector<Range> memory_of(Machine& machine, std::span<const std::byte> arguments);

}  // namespace fake
