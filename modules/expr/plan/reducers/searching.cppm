module;
#include <cstdint>
export module tessera.expr:searching;
import tessera.core;
import :plan;

// The arithmetic of argmin and argmax.
namespace tessera::plan {

/// Accumulator of argmin and argmax: the best value so far and where it was; index -1 before the first value.
template <class C>
struct Best {
  C value;
  std::int64_t index;
};

/// The reducer of argmin or argmax; null for types that it does not serve.
const Reducer* searching_reducer(ReduceOp op, DType dtype);

}  // namespace tessera::plan
