module;
#include <cstddef>
export module tessera.collective:gpu_reducing;
import tessera.standard;
import :agreement;
import :protocol;
import :operation;

// The steps of reductions, when all ranks have agreed that GPUs do them. The same pieces go the same ways as between hosts, and elements are combined in the
// same order: a result has the same bits wherever it is computed. NCCL's own reductions are not asked: their order is theirs, they round 16-bit numbers at each
// step, and have no complex numbers.
namespace tessera::collective {

Protocol all_reduce_on_gpus(Operation& operation, const Agreement& agreement);
Protocol reduce_on_gpus(Operation& operation, const Agreement& agreement);
Protocol reduce_scatter_on_gpus(Operation& operation, const Agreement& agreement);
Protocol reproducible_on_gpus(Operation& operation, const Agreement& agreement);

}  // namespace tessera::collective
