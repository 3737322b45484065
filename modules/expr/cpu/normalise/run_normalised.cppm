module;
#include <cstddef>
export module tessera.expr:run_normalised;
import :plan;
import :normalising;

// The evaluation of normalisations.
namespace tessera::plan {

/// Computes every element of the loop's target. `copies`: the loop's values are those of the normalisation, of the target's
/// type. The order of the arithmetic depends on the shapes only. Rows are read before they are written. Throws OutOfMemory
/// before anything is written.
void run_normalised(const Loop& loop, const Normalisation& normalisation, bool copies);

/// What run_normalised() does on a CPU.
struct NormalisationPlan {
  bool by_columns = false;  // columns side by side
  bool whole_rows = false;  // otherwise long rows in parts
  std::ptrdiff_t rows = 0;  // or columns; 0 when there are no elements
  std::ptrdiff_t length = 0;
  std::ptrdiff_t unit = 1;   // rows or columns that are normalised together
  std::ptrdiff_t tasks = 1;  // that may run at the same time
  bool in_pool = false;      // their memory is taken from the pool
};

/// The kernels are not needed, but whether the normalisation has one.
NormalisationPlan plan_of(const Loop& loop, const Normalisation& normalisation, bool copies);

}  // namespace tessera::plan
