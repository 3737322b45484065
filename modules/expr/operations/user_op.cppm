export module tessera.expr:user_op;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :parameter_node;
import :map;

// mshadow's way to a user's own operation: a type with a static function `map` on scalars. (A generic lambda over
// expressions needs nothing of this: calling it composes nodes.)
namespace tessera {

/// What explain() and errors call an operation: its member `name` if it has one.
template <class Op>
inline constexpr const char* user_name = "F<Op>";
template <class Op>
  requires requires {
    { Op::name } -> std::convertible_to<const char*>;
  }
inline constexpr const char* user_name<Op> = Op::name;

template <class Op>
struct UserMap {
  static constexpr bool calls_once = true;
  static constexpr const char* name = user_name<Op>;
  [[gnu::always_inline]] static auto map(auto... values) { return Op::map(values...); }
};

/// An Op that also says what it is in CUDA C++: `static constexpr const char* device`, over $0, $1, ...
export template <class Op>
concept DeviceOperation = requires {
  { Op::device } -> std::convertible_to<const char*>;
};

template <DeviceOperation Op>
struct UserMap<Op> {
  static constexpr bool calls_once = true;
  static constexpr const char* name = user_name<Op>;
  static constexpr const char* device = Op::device;
  [[gnu::always_inline]] static auto map(auto... values) { return Op::map(values...); }
};

template <class S>
using argument_value = compute_t<value_of<S>>;

struct NamesMap {
  int map;
};
template <class Op>
struct MapTwice : Op, NamesMap {};

/// Op has a member named map, whatever it is: beside another one the name is ambiguous. A final class is taken at its word.
template <class Op>
concept HasMap = std::is_class_v<Op> && (std::is_final_v<Op> || !requires { &MapTwice<Op>::map; });

template <class Op, class... Values>
concept CallsMap = requires(Values... values) { Op::map(values...); };

template <class Op, class... Values>
concept CallsMapOfObject = requires(const Op& op, Values... values) { op.map(values...); };

/// Op has a static `map` that takes one scalar per argument, in its compute type (float for 16-bit floats), and returns an
/// element; at least one of the arguments is an array or expression, and all are on one place.
export template <class Op, class... Arguments>
concept UserOperation =
    ((Element<value_of<Arguments>> && ...) ||
     unsatisfied<"the arguments of F<Op> are arrays, expressions and scalars of element types">) &&
    ((Operand<Arguments> || ...) || unsatisfied<"one argument of F<Op> at least is an array or an expression">) &&
    (HasMap<Op> || unsatisfied<"F<Op> needs a static function Op::map: Op has nothing of that name">) &&
    (CallsMap<Op, argument_value<Arguments>...> || !CallsMapOfObject<Op, argument_value<Arguments>...> ||
     unsatisfied<"F<Op> needs a static function Op::map: this one is not static">) &&
    (CallsMap<Op, argument_value<Arguments>...> ||
     unsatisfied<"Op::map cannot be called with one scalar of each argument (float for 16-bit floats)">) &&
    (Element<std::remove_cvref_t<decltype(Op::map(std::declval<argument_value<Arguments>>()...))>> ||
     unsatisfied<"Op::map must return an element type">) &&
    (places_may_meet<place_of<Arguments>...> ||
     unsatisfied<"the operands are on different places: move one with to(place)">);

template <Source S>
auto as_argument(S&& source) {
  if constexpr (Operand<S>) {
    return as_node(std::forward<S>(source));
  } else {
    return scalar_node<scalar_of<S>>(source, ToElement<scalar_of<S>>());
  }
}

/// Op::map applied to the elements of the arguments, of which there are any number and which broadcast. The loop over them is
/// vectorised if map can be; a map with loops of its own, or defined in another source file, is called for each element.
export template <class Op, Source... Arguments>
  requires UserOperation<Op, Arguments...>
auto F(Arguments&&... arguments) {
  using Value = std::remove_cvref_t<decltype(Op::map(std::declval<argument_value<Arguments>>()...))>;
  return map_of<UserMap<Op>, Value>([&] { return as_argument(std::forward<Arguments>(arguments)); }...);
}

}  // namespace tessera
