module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:gpu_moving;
import tessera.standard;
import :agreement;
import :protocol;
import :operation;

// The steps of collectives that move elements, when all ranks have agreed that GPUs do it: elements stay there.
namespace tessera::collective {

Protocol broadcast_on_gpus(Operation& operation, const Agreement& agreement);
/// `bytes` of each rank, as in those that follow.
Protocol all_gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes);
Protocol gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes);
Protocol scatter_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes);
Protocol all_to_all_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> sent,
                            std::vector<std::int64_t> received);

}  // namespace tessera::collective
