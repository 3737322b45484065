module;
#include <cstddef>
export module tessera.expr:box_loop;
import :plan;
import :blocks;
import :walk;

// Elementwise evaluation box by box.
namespace tessera::plan {

/// Computes the boxes [first, last) of a loop whose axes have been simplified to `space`.
void run_boxes(const Loop& loop, const Space& space, const Cut& cut, std::ptrdiff_t first, std::ptrdiff_t last);

}  // namespace tessera::plan
