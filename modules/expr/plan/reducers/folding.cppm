module;
#include <cstdint>
export module tessera.expr:folding;
import tessera.standard;
import tessera.core;
import :plan;

// The arithmetic of reductions that combine two values into one: sums, products, extremes, any and all.
namespace tessera::plan {

template <class C>
struct WideAccumulator {
  using type = C;
};
template <>
struct WideAccumulator<bool> {
  using type = std::int64_t;
};
template <Integer C>
struct WideAccumulator<C> {
  using type = std::conditional_t<kind_of<C> == Kind::signed_integer, std::int64_t, std::uint64_t>;
};

/// The reducer of such a reduction; null for types that it does not serve.
const Reducer* folding_reducer(ReduceOp op, DType dtype);

}  // namespace tessera::plan
