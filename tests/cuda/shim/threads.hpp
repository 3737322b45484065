// What the code of a kernel that is compiled for the host asks of the threads beside it. Plain enough for code that includes no header of C++.
#pragma once

namespace shim {

struct Position {
  unsigned x = 1, y = 1, z = 1;
};

/// Where a compiled text keeps gridDim, blockDim, blockIdx and threadIdx: whoever runs threads sets them for each.
struct View {
  Position* grid;
  Position* block;
  Position* block_index;
  Position* thread_index;
};

/// Waiting for, and giving values to, the threads of a block or warp. `mask` has a bit for each lane that takes part.
struct Threads {
  void (*wait_for_block)();
  void (*wait_for_warp)(unsigned mask);
  /// The value that the lane gave in the same call.
  unsigned long long (*exchange)(unsigned mask, unsigned long long value, unsigned lane);
  /// A bit for each lane whose predicate is true.
  unsigned (*ballot)(unsigned mask, bool predicate);
  /// Number of threads of the block whose predicate is true.
  unsigned (*count_in_block)(bool predicate);
};

/// Runs a kernel's threads: the blocks one after the other, in an order that `seed` chooses; the threads of a block in lock step from
/// barrier to barrier, in between one after the other in a chosen order. Ends the process with a message when threads wait for each
/// other for ever.
void run_grid(void (*call)(const void* arguments), const void* arguments, unsigned blocks, unsigned threads,
              const View& view, unsigned seed);

/// The services of run_grid for the code that it runs.
const Threads& threads_of_grid();

}  // namespace shim
