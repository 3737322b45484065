module;
#include <cstddef>
export module tessera.collective:gpu_combine;
import tessera.standard;
import tessera.core;
import tessera.darray;
import :reduce_op;

// Making one block of elements of several on a GPU, in the order in which combine() does it on the host.
namespace tessera::collective {

/// Elements that [begin, end) of the leaves have come to.
struct GpuPartial {
  std::ptrdiff_t begin, end;
  DArray elements;
};

/// Combines partials, which are subtrees of the tree over the leaves [begin, end), by one kernel where they are few. The result is of `dtype`; what is
/// combined is of `accumulating`.
DArray combine_on_gpu(ReduceOp op, std::span<const GpuPartial> partials, std::ptrdiff_t begin, std::ptrdiff_t end,
                      DType accumulating, DType dtype);

}  // namespace tessera::collective
