module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:reduce;
import :plan;

// The evaluation of reductions.
namespace tessera::plan {

/// Computes every element of the target; on a GPU, gives the work to this thread's stream. The order of the arithmetic depends on the
/// shapes only.
void run(const Reduction& reduction);

/// What run(reduction) does on a CPU.
struct ReductionPlan {
  enum class Way : std::uint8_t {
    nothing,  // there are no results
    at_once,  // one call of the kernel and one of the reducer
    cleared,  // no values: the reducer's neutral value
    units,    // results side by side, each by one thread
    chunks,   // parts of the values, merged in order
  };

  Way way = Way::nothing;
  bool by_columns = false;
  std::ptrdiff_t outputs = 1, reduced = 1;     // as in ReductionTask
  std::ptrdiff_t units = 1, unit_outputs = 1;  // the same
  std::ptrdiff_t chunks = 1;
  std::ptrdiff_t tasks = 1;  // that may run at the same time
};

/// The kernel of the reduction is not needed.
ReductionPlan plan_of(const Reduction& reduction);

}  // namespace tessera::plan
