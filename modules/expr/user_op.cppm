module;
#include <concepts>
#include <concepts>
#include <type_traits>
#include <utility>
export module tessera.expr:user_op;
import tessera.core;
import tessera.array;
import :node;
import :map;

// mshadow's way to a user's own operation: a type with a static function `map` on scalars. (A generic lambda over
// expressions needs nothing of this: calling it composes nodes.)
namespace tessera {

template <class Op>
struct UserMap {
  static constexpr const char* name = "F<Op>";
  [[gnu::always_inline]] static auto map(auto... values) { return Op::map(values...); }
};

/// An Op that also says what it is in CUDA C++: `static constexpr const char* device`, over $0, $1, ...
export template <class Op>
concept DeviceOperation = requires {
  { Op::device } -> std::convertible_to<const char*>;
};

template <DeviceOperation Op>
struct UserMap<Op> {
  static constexpr const char* name = "F<Op>";
  static constexpr const char* device = Op::device;
  [[gnu::always_inline]] static auto map(auto... values) { return Op::map(values...); }
};

template <class S>
using argument_value = compute_t<value_of<S>>;

/// Op has a static `map` that takes one scalar per argument, in its compute type, and returns an element.
export template <class Op, class... Arguments>
concept UserOperation =
    (requires(argument_value<Arguments>... values) { Op::map(values...); } ||
     unsatisfied<"F<Op> needs a static function Op::map that takes one scalar for each argument">) &&
    (Element<std::remove_cvref_t<decltype(Op::map(std::declval<argument_value<Arguments>>()...))>> ||
     unsatisfied<"Op::map must return an element type">);

template <Source S>
auto as_argument(S&& source) {
  if constexpr (Operand<S>) {
    return as_node(std::forward<S>(source));
  } else {
    return ScalarNode<std::remove_cvref_t<S>>(source);
  }
}

/// Op::map applied to the elements of the arguments, which broadcast; at least one of them is an array or expression.
export template <class Op, Source... Arguments>
  requires(Operand<Arguments> || ...) && UserOperation<Op, Arguments...> && places_may_meet<place_of<Arguments>...>
auto F(Arguments&&... arguments) {
  using Value = std::remove_cvref_t<decltype(Op::map(std::declval<argument_value<Arguments>>()...))>;
  return map_of<UserMap<Op>, Value>([&] { return as_argument(std::forward<Arguments>(arguments)); }...);
}

}  // namespace tessera
