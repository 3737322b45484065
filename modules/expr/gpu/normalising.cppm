module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_normalising;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :normalising;
import :reduction_task;
import :gpu_variant;
import :gpu_folding;

// Normalisations as CUDA kernels: a kernel reads each row once and writes it once where it fits the registers of a team of threads, with the
// expression around it. Longer rows, and columns, are read twice: a kernel folds parts of them to statistics, and a second one merges these and
// applies them.
namespace tessera::plan {

/// The two expressions of a normalisation's kernel, and how its threads share the work.
struct NormalisingKernel {
  const DeviceElement& outer;  // of what is stored; one leaf is the normalised value
  const DeviceElement& inner;  // of what is normalised
  std::size_t leaf;            // which of the outer's leaves
  NormaliseOp op;
  int kept;
  int threads;  // of a team: some lanes, a warp, or a block; 0 for columns
  int held;     // values that each thread keeps; 0 if they are read again
  NormaliseStage stage = NormaliseStage::whole;

  int block() const { return std::max<int>(threads, fold_threads); }
  /// How many blocks a multiprocessor has room for: of 1024 threads in all, which leaves each 64 registers.
  int resident() const { return 1024 / block(); }
};

/// Bytes of what is known of one row or column, or of a part of it.
std::ptrdiff_t statistics_bytes(NormaliseOp op);

/// The leaves of both expressions, the normalised one excepted, as those of one: all that is needed to choose a kernel.
struct CombinedLeaves {
  CombinedLeaves(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf);
  CombinedLeaves(const CombinedLeaves&) = delete;
  CombinedLeaves& operator=(const CombinedLeaves&) = delete;

  core::SmallVector<DType, 8> types;
  DeviceElement element;
};

/// The same with what the kernel's text is made of.
struct CombinedElement : CombinedLeaves {
  CombinedElement(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf);

  std::vector<DType> scalars;
  std::vector<DeviceGenerator> generators;
  std::string body;
};

/// Chooses the threads of a team and the values that each holds, for rows of so many values.
void choose_team(NormalisingKernel& kernel, const ReductionTask& task, const DeviceVariant& variant);

/// The code that normalising kernels need before them.
std::string normalising_support(const DeviceElement& all, DType target);

/// The text of the kernel. `all` has the leaves and scalars of both expressions (CombinedElement).
std::string normalising_kernel(const NormalisingKernel& kernel, const DeviceElement& all, const DeviceVariant& variant);
/// Puts the kernel's arguments; `scalars` are those of both expressions.
void put_normalising_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                               const DeviceVariant& variant, const FoldCut& cut, void* partials,
                               std::span<const std::byte> scalars, double epsilon);

}  // namespace tessera::plan
