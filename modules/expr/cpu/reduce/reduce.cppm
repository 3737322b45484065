export module tessera.expr:reduce;
import :plan;

// The evaluation of reductions.
namespace tessera::plan {

/// Computes every element of the target; on a GPU, gives the work to this thread's stream. The order of the arithmetic depends on the
/// shapes only.
void run(const Reduction& reduction);

}  // namespace tessera::plan
