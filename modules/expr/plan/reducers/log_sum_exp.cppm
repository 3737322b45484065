export module tessera.expr:log_sum_exp;
import tessera.core;
import :plan;

// The arithmetic of logsumexp.
namespace tessera::plan {

/// Accumulator of logsumexp: sum of e^(x - largest), where an infinite `largest` counts as 0.
template <class C>
struct Exponentials {
  C largest;
  C sum;
};

/// The reducer of logsumexp; null for types that it does not serve.
const Reducer* exponentials_reducer(DType dtype);

}  // namespace tessera::plan
