module;
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
export module tessera.expr:weak_scalar;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :device_prelude;
import :operand_concepts;

// C++ integers beside arrays of narrower integers. The array's type wins, and the scalar may not fit in it: sums, products
// and operations on bits wrap (which is the exact result, wrapped), comparisons answer for the scalar as it is written, and
// whatever has no such meaning throws.
namespace tessera {

/// A scalar of type S beside elements of type T may be outside T's range.
template <class S, class T>
concept MayNotFit = std::integral<S> && !std::same_as<S, bool> && Integer<T> &&
                    (std::cmp_less(std::numeric_limits<decltype(+S{})>::min(), std::numeric_limits<T>::min()) ||
                     std::cmp_greater(std::numeric_limits<decltype(+S{})>::max(), std::numeric_limits<T>::max()));

/// -1, 0 or 1: the scalar is below, in, or above the range of T.
template <Integer T, std::integral S>
constexpr int beside_range(S scalar) {
  if (std::cmp_less(+scalar, std::numeric_limits<T>::min())) return -1;
  return std::cmp_greater(+scalar, std::numeric_limits<T>::max()) ? 1 : 0;
}

[[noreturn]] inline void throw_scalar_does_not_fit(const char* operation, const std::string& scalar, DType dtype) {
  throw DTypeError(
      to_string(Failure{.operation = operation,
                        .problem = "the scalar " + scalar + " does not fit in " + std::string(name(dtype)) +
                                   ", the element type that it takes beside the array",
                        .advice = "convert the array to a wider type: cast<T>(...)"}));
}

/// As as_node_beside; throws DTypeError naming `operation` for an integer that does not fit in T.
template <Element T, Source S>
auto as_fitting_node(const char* operation, S&& source) {
  if constexpr (MayNotFit<std::remove_cvref_t<S>, T>) {
    if (beside_range<T>(source) != 0) throw_scalar_does_not_fit(operation, std::to_string(+source), dtype_of<T>);
  }
  return as_node_beside<T>(std::forward<S>(source));
}

/// As make_binary, for operations that a wrapped scalar would give another meaning. Throws DTypeError for a scalar that does
/// not fit.
template <class Op, Element Value, class L, class R>
auto make_fitting_binary(L&& left, R&& right) {
  using T = common_value_t<L, R>;
  return map_of<Uniform<Op, compute_t<T>>, Value>([&] { return as_fitting_node<T>(Op::name, std::forward<L>(left)); },
                                                  [&] { return as_fitting_node<T>(Op::name, std::forward<R>(right)); });
}

/// A comparison with a scalar that may be out of range: where it is, `fits` is false and `answer` the result.
template <class Op, class C>
struct ScalarComparison {
  using argument_type = C;
  static constexpr DeviceText text{"(", Op::device, ") && $2 || $3"};
  static constexpr const char* device = text.characters;
  static constexpr const char* name = Op::name;
  [[gnu::always_inline]] static bool map(auto a, auto b, bool fits, bool answer) {
    return (Op::apply(static_cast<C>(a), static_cast<C>(b)) & fits) | answer;
  }
};

/// The node of a comparison, which answers as if it were made in integers without bounds.
template <class Op, class L, class R>
auto make_comparison(L&& left, R&& right) {
  using T = common_value_t<L, R>;
  constexpr bool left_may_not_fit = MayNotFit<std::remove_cvref_t<L>, T>;
  if constexpr (left_may_not_fit || MayNotFit<std::remove_cvref_t<R>, T>) {
    int side = 0;  // of the range, seen from the left operand's
    if constexpr (left_may_not_fit)
      side = beside_range<T>(left);
    else
      side = -beside_range<T>(right);
    return map_of<ScalarComparison<Op, compute_t<T>>, bool>(
        [&] { return as_node_beside<T>(std::forward<L>(left)); },
        [&] { return as_node_beside<T>(std::forward<R>(right)); }, [&] { return ScalarNode<bool>(side == 0); },
        [&] { return ScalarNode<bool>(side != 0 && Op::apply(side, 0)); });
  } else {
    return make_binary<Op, bool>(std::forward<L>(left), std::forward<R>(right));
  }
}

/// The node of a shift count: one out of T's range shifts everything out, as T's highest value does.
template <Element T, Source S>
auto as_shift_count(S&& source) {
  if constexpr (MayNotFit<std::remove_cvref_t<S>, T>) {
    return ScalarNode<T>(beside_range<T>(source) == 0 ? static_cast<T>(source) : std::numeric_limits<T>::max());
  } else {
    return as_node_beside<T>(std::forward<S>(source));
  }
}

}  // namespace tessera
