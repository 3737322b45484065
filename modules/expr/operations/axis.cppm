module;
#include <cstddef>
export module tessera.expr:axis;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :seen;
import :reduction;
import :statistics;

// The axes of reductions and normalisations as arguments: sum(x, axis<1>), and sum(x, 1) for an axis known at run time.
namespace tessera {

template <int... Axis>
struct AxisList {};
/// Axes for functions that take them: sum(x, axis<0, 1>) is sum<0, 1>(x).
export template <int... Axis>
inline constexpr AxisList<Axis...> axis{};

/// An operand with at least one axis.
template <class O>
concept HasAxes = Operand<O> && (rank_of<O> > 0);

/// The operand with this axis as its last one. Throws IndexError for an axis out of range.
template <HasAxes O>
auto with_last(const O& x, std::ptrdiff_t which, const char* operation) {
  return moveaxis(as_node(x), storage::checked_axis(which, rank_of<O>, operation), -1);
}

/// The last axis back in its place, where the result still has it.
template <int Rank, class E>
auto with_last_back(const E& result, [[maybe_unused]] std::ptrdiff_t which) {
  if constexpr (rank_of<E> == Rank) {
    return moveaxis(result, -1, static_cast<int>(which));
  } else {
    return result;
  }
}

// Each takes what the function takes behind its operand. An axis at run time throws IndexError out of range.
#define TESSERA_AXIS(function)                                                                                     \
  export template <class O, int... Axis, class... Rest>                                                            \
    requires requires(const O& x, const Rest&... rest) { function<Axis...>(x, rest...); }                          \
  auto function(O&& x, AxisList<Axis...>, const Rest&... rest) {                                                   \
    return function<Axis...>(std::forward<O>(x), rest...);                                                         \
  }                                                                                                                \
  export template <HasAxes O, std::integral Axis, class... Rest>                                                   \
    requires(!std::same_as<Axis, bool>) && requires(const O& x, const Rest&... rest) { function<-1>(x, rest...); } \
  auto function(const O& x, Axis which, const Rest&... rest) {                                                     \
    return with_last_back<rank_of<O>>(function<-1>(with_last(x, position(which), #function), rest...),             \
                                      position(which));                                                            \
  }

constexpr std::ptrdiff_t position(std::integral auto which) { return Position(which).value; }

TESSERA_AXIS(sum)
TESSERA_AXIS(prod)
TESSERA_AXIS(min)
TESSERA_AXIS(max)
TESSERA_AXIS(any)
TESSERA_AXIS(any_of)
TESSERA_AXIS(all_of)
TESSERA_AXIS(count_nonzero)
TESSERA_AXIS(argmin)
TESSERA_AXIS(argmax)
TESSERA_AXIS(mean)
TESSERA_AXIS(var)
TESSERA_AXIS(stddev)
TESSERA_AXIS(logsumexp)
TESSERA_AXIS(softmax)
TESSERA_AXIS(log_softmax)
#undef TESSERA_AXIS

/// The norm along these axes; a number behind the operand is an exponent.
export template <class O, int... Axis, class... Rest>
  requires requires(const O& x, const Rest&... rest) { norm<Axis...>(x, rest...); }
auto norm(O&& x, AxisList<Axis...>, const Rest&... rest) {
  return norm<Axis...>(std::forward<O>(x), rest...);
}

}  // namespace tessera
