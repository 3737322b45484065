module;
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
export module tessera.expr:reducers;
import tessera.core;
import :plan;

// The arithmetic of reductions, per operation and element type.
namespace tessera::plan {

enum class ReduceOp : std::uint8_t { sum, product, minimum, maximum, argmin, argmax };

/// Accumulator of argmin and argmax: the best value so far and where it was; index -1 before the first value.
template <class C>
struct Best {
  C value;
  std::int64_t index;
};

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

template <ReduceOp Op, class C>
struct AccumulatorOf {
  using type = std::conditional_t<
      Op == ReduceOp::argmin || Op == ReduceOp::argmax, Best<C>,
      std::conditional_t<Op == ReduceOp::sum || Op == ReduceOp::product, typename WideAccumulator<C>::type, C>>;
};

/// Type in which values of compute type C are accumulated: 64 bits for sums and products of integers, C otherwise.
template <ReduceOp Op, class C>
using accumulator_t = typename AccumulatorOf<Op, C>::type;

/// The reducer for values of the compute type of `dtype`, for the CPU at hand. Throws DTypeError for an order on complex.
const Reducer& reducer(ReduceOp op, DType dtype);

}  // namespace tessera::plan
