module;
#include <cstddef>
export module tessera.expr:box_folder;
import :reduction_task;

// Folding box by box.
namespace tessera::plan {

/// Computes a reduction that asks for boxes.
void run_boxes(const ReductionTask& arranged);

}  // namespace tessera::plan
