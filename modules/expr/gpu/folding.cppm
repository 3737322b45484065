module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_folding;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :reduction_task;
import :gpu_variant;

// Reductions as CUDA kernels: one folds values of an expression, a second merges what several blocks have made of one output.
namespace tessera::plan {

/// How the threads of a block share the work.
enum class FoldShape : std::uint8_t {
  lanes,    // eight neighbours of a warp fold one output, neighbours along the reduced axes
  warps,    // the whole warp does
  blocks,   // the whole block does
  columns,  // 32 neighbouring outputs, each folded by eight threads
  quads,    // four neighbours of a warp fold one output
  threads,  // one thread folds one output of a few values
};

/// Which of a reduction's kernels is meant.
struct FoldKernel {
  ReduceOp op = ReduceOp::sum;
  FoldShape shape = FoldShape::warps;
  int kept = 0;      // axes of the variant that are not reduced: the first ones
  int merging = 32;  // threads that merge the parts of one output
  int each = 1;      // neighbouring outputs of a team of threads
  int most = 0;      // values of an output that one thread folds, or a few more

  friend bool operator==(const FoldKernel&, const FoldKernel&) = default;
};

/// How a reduction is cut, by its shape alone: `parts` blocks fold parts of each output's values.
struct FoldCut {
  FoldShape shape = FoldShape::warps;
  std::ptrdiff_t blocks = 1;  // for all outputs
  std::ptrdiff_t parts = 1;
  std::ptrdiff_t part_size = 1;  // values
  int merging = 32;              // threads that merge the parts of one output: a warp, or a block for many parts
  int each = 1;                  // neighbouring outputs of a team of threads
  int most = 0;                  // values of an output that one thread folds, or a few more
};

inline constexpr unsigned fold_threads = 256;

/// For a kernel of this variant.
FoldCut fold_cut(const ReductionTask& task, const DeviceElement& element, const DeviceVariant& variant);

/// Bytes of one accumulator of the operation on values of this type.
std::ptrdiff_t device_accumulator_bytes(ReduceOp op, DType value);

/// The variant of a reduction's kernel. Values that lie side by side along the reduced axes, or along the outputs of columns, are loaded in packs.
DeviceVariant folding_variant(const ReductionTask& task, const DeviceElement& element, DType target);

/// The same of a kernel that stores as many elements as it reads, such as a normalisation.
DeviceVariant normalising_variant(const ReductionTask& task, const DeviceElement& element, DType target);

/// Puts what the kernels are told of how the work is cut, and the extents of the first `rank` axes.
void put_cut(device::launching::Arguments& arguments, const ReductionTask& task, const DeviceVariant& variant,
             const FoldCut& cut, int rank);

/// The code that folding and merging kernels need before them.
std::string folding_support(const DeviceElement& element, DType target);

/// The text of the kernel that folds.
std::string folding_kernel(const DeviceElement& element, const DeviceVariant& variant, const FoldKernel& which);
void put_folding_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                           const DeviceElement& element, const DeviceVariant& variant, const FoldCut& cut,
                           void* partials, std::span<const std::byte> scalars);

/// The text of the kernel that merges; it needs no leaves.
std::string merging_kernel(const DeviceElement& element, const DeviceVariant& variant, const FoldKernel& which);
void put_merging_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                           const DeviceVariant& variant, const FoldCut& cut, void* partials);

}  // namespace tessera::plan
