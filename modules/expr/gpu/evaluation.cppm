module;
#include <cstddef>
export module tessera.expr:gpu_evaluation;
import tessera.standard;
import tessera.core;
import :plan;
import :elementwise;
import :gpu_variant;
import :gpu_folding;
import :normalising;

// Evaluation on a GPU: each of these gives kernels to this thread's stream.
namespace tessera::plan {

/// A grid of so many blocks. Throws ShapeError if CUDA has no such grid.
unsigned grid_of(std::ptrdiff_t blocks);

/// How a GPU computes a loop, all of whose operations have device text.
struct DeviceLoopPlan {
  DeviceVariant variant;
  std::ptrdiff_t blocks;  // of tile_threads threads
};

DeviceLoopPlan device_plan(const LoopPlan& loop, const DeviceElement& element, DType written);

/// How a GPU reduces: by one kernel, and by a second where several blocks share an output.
struct DeviceFoldPlan {
  FoldCut cut{};
  std::ptrdiff_t blocks = 0;  // of the first kernel, each of fold_threads threads; 0 when there are no outputs
  std::ptrdiff_t merging_blocks = 0;
};

DeviceFoldPlan device_plan(const Reduction& reduction);

/// How a GPU normalises: by one kernel, which keeps each row in registers or finds it in a cache again, or by two, the first of which folds parts of
/// rows.
struct DeviceNormalisingPlan {
  std::ptrdiff_t rows = 0, length = 0;  // or columns, and their values; no rows where there are no elements
  std::ptrdiff_t blocks = 0;            // of each kernel
  int block_threads = 0;
  int threads = 0;  // for each row; 0 if 32 columns side by side have 8 each
  int held = 0;     // values that a thread keeps; 0 if they are read again
  std::ptrdiff_t parts = 1;
  bool in_one = true;
};

DeviceNormalisingPlan device_plan(const Loop& loop, const Normalisation& work);

/// The loop's elements on this thread's stream of its GPU. Throws DTypeError if an operation has no device text, DeviceError.
void run_on_device(const Loop& loop);

/// The same for a reduction.
void run_on_device(const Reduction& reduction);

/// The loop's elements around a normalisation.
void run_normalised_on_device(const Loop& loop, const Normalisation& work);

/// Copies elements of so many bytes, whatever they are: a form without a node.
DeviceWork copying_work(std::ptrdiff_t item);

}  // namespace tessera::plan
