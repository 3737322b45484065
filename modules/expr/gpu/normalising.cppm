module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_normalising;
import tessera.standard;
import tessera.core;
import :plan;
import :normalising;
import :reduction_task;
import :gpu_variant;
import :gpu_folding;

// Normalisations as CUDA kernels: a kernel reads each row once and writes it once where it fits the registers of a team of threads, with the
// expression around it; longer rows and columns are read again for each statistic.
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

  int block() const { return std::max<int>(threads, fold_threads); }
  /// How many blocks a multiprocessor has room for: of 1024 threads one, whose reading nothing else overlaps, so there are two smaller ones.
  int resident() const { return block() == 512 ? 2 : 1; }
};

/// The leaves of both expressions, the normalised one excepted, as those of one.
struct CombinedElement {
  CombinedElement(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf);
  CombinedElement(const CombinedElement&) = delete;
  CombinedElement& operator=(const CombinedElement&) = delete;

  std::vector<DType> leaves, scalars;
  std::vector<DeviceGenerator> generators;
  std::string body;
  DeviceElement element;
};

/// Chooses the threads of a team and the values that each holds, for rows of so many values.
void choose_team(NormalisingKernel& kernel, const ReductionTask& task);

/// The code that normalising kernels need before them.
std::string normalising_support(const DeviceElement& all, DType target);

/// The text of the kernel. `all` has the leaves and scalars of both expressions (CombinedElement).
std::string normalising_kernel(const NormalisingKernel& kernel, const DeviceElement& all, const DeviceVariant& variant);
std::vector<std::byte> normalising_arguments(const ReductionTask& task, const DeviceElement& all,
                                             const DeviceVariant& variant, std::span<const std::byte> scalars,
                                             double epsilon);

}  // namespace tessera::plan
