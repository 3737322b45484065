module;
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
export module tessera.expr:map;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :vector_reach;

// Elementwise nodes: one scalar function applied to the elements of its operands.
namespace tessera {

// A list of values of different types; std::tuple without its weight in compile time.
template <std::size_t I, class T>
struct Slot {
  T value;
};
template <class Indices, class... T>
struct SlotsOf;
template <std::size_t... I, class... T>
struct SlotsOf<std::index_sequence<I...>, T...> : Slot<I, T>... {};
template <class... T>
using Slots = SlotsOf<std::index_sequence_for<T...>, T...>;

/// The plan of a map: calls Op on the values of its arguments.
template <class Op, class... Arguments>
struct MapPlan {
  Slots<Arguments...> arguments;

  /// Makes the plan a class that functions return in memory. In registers its parts would be pieced together and read back at once,
  /// which stalls the processor for longer than a few elements take to compute.
  ~MapPlan() {}

  template <device::Isa Isa>
  [[gnu::always_inline]] auto bind(const plan::Input* inputs) const {
    return bind<Isa>(inputs, std::index_sequence_for<Arguments...>{});
  }
  [[gnu::always_inline]] auto at(std::ptrdiff_t step, std::ptrdiff_t i) const {
    return at(step, i, std::index_sequence_for<Arguments...>{});
  }

  static constexpr bool has_reach =
      requires(math::Near<true>& reach, const Arguments&... bound) { Op::map_within(reach, bound.at(0, 0)...); };
  static constexpr bool depends_on_reach = has_reach || (math::DependsOnReach<Arguments> || ...);

  /// As at(step, i), fast or carefully as `reach` says (see vector_reach.cppm).
  template <class Reach>
    requires depends_on_reach
  [[gnu::always_inline]] auto at(std::ptrdiff_t step, std::ptrdiff_t i, Reach& reach) const {
    return at(step, i, reach, std::index_sequence_for<Arguments...>{});
  }

 private:
  template <device::Isa Isa, std::size_t... I>
  [[gnu::always_inline]] auto bind(const plan::Input* inputs, std::index_sequence<I...>) const {
    using Bound =
        MapPlan<Op, decltype(static_cast<const Slot<I, Arguments>&>(arguments).value.template bind<Isa>(inputs))...>;
    return Bound{{{static_cast<const Slot<I, Arguments>&>(arguments).value.template bind<Isa>(inputs)}...}};
  }
  template <std::size_t... I>
  [[gnu::always_inline]] auto at(std::ptrdiff_t step, std::ptrdiff_t i, std::index_sequence<I...>) const {
    return Op::map(static_cast<const Slot<I, Arguments>&>(arguments).value.at(step, i)...);
  }
  template <class Reach, std::size_t... I>
  [[gnu::always_inline]] auto at(std::ptrdiff_t step, std::ptrdiff_t i, Reach& reach, std::index_sequence<I...>) const {
    if constexpr (has_reach) {
      return Op::map_within(
          reach, math::value_within(reach, static_cast<const Slot<I, Arguments>&>(arguments).value, step, i)...);
    } else {
      return Op::map(math::value_within(reach, static_cast<const Slot<I, Arguments>&>(arguments).value, step, i)...);
    }
  }
};

/// A node all of whose leaves are arrays or scalars.
template <class Node>
concept ReadsMemoryOnly = requires { requires Node::reads_memory_only; };

/// An elementwise node with values of type Value.
template <class Op, Element Value, class... Nodes>
class MapNode {
 public:
  using expression_tag = void;
  using value_type = Value;
  using place_type = typename join_places<typename Nodes::place_type...>::type;
  static constexpr int rank = std::max({Nodes::rank...});
  static constexpr int leaf_count = (0 + ... + Nodes::leaf_count);
  static constexpr int products = (0 + ... + Nodes::products);
  static constexpr std::size_t argument_count = sizeof...(Nodes);
  static constexpr bool reads_memory_only = (ReadsMemoryOnly<Nodes> && ...);

  /// Each operand's node is what calling its maker returns: made where it stays, so that no leaf moves more than once a level.
  template <class... Makers>
  explicit MapNode(const Makers&... make)
      : nodes_{{make()}...}, shape_(broadcast(std::index_sequence_for<Nodes...>{})) {}

  [[gnu::always_inline]] const Dim<rank>& shape() const { return shape_; }
  template <std::size_t I>
  const auto& argument() const {
    return slot<I>(nodes_);
  }
  [[gnu::always_inline]] std::optional<Place> place() const { return place(std::index_sequence_for<Nodes...>{}); }
  template <class Leaves>
  [[gnu::always_inline]] auto lower(Leaves& lowering) const {
    return lower(lowering, std::index_sequence_for<Nodes...>{});
  }
  [[gnu::always_inline]] bool conflicts(const plan::Written& written) const {
    return conflicts(written, std::index_sequence_for<Nodes...>{});
  }
  [[gnu::always_inline]] bool overlaps(const plan::Written& written) const {
    return overlaps(written, std::index_sequence_for<Nodes...>{});
  }

 private:
  template <std::size_t I, class Node>
  static const Node& slot(const Slot<I, Node>& found) {
    return found.value;
  }
  template <std::size_t... I>
  [[gnu::always_inline]] Dim<rank> broadcast(std::index_sequence<I...>) const {
    return broadcast_shape<rank>(Op::name, static_cast<const Slot<I, Nodes>&>(nodes_).value...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] bool conflicts(const plan::Written& written, std::index_sequence<I...>) const {
    return (static_cast<const Slot<I, Nodes>&>(nodes_).value.conflicts(written) || ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] bool overlaps(const plan::Written& written, std::index_sequence<I...>) const {
    return (static_cast<const Slot<I, Nodes>&>(nodes_).value.overlaps(written) || ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] std::optional<Place> place(std::index_sequence<I...>) const {
    return first_place(static_cast<const Slot<I, Nodes>&>(nodes_).value...);
  }
  template <class Leaves, std::size_t... I>
  [[gnu::always_inline]] auto lower(Leaves& lowering, std::index_sequence<I...>) const {
    using Plan = MapPlan<Op, decltype(static_cast<const Slot<I, Nodes>&>(nodes_).value.lower(lowering))...>;
    return Plan{{{static_cast<const Slot<I, Nodes>&>(nodes_).value.lower(lowering)}...}};
  }

  Slots<Nodes...> nodes_;
  Dim<rank> shape_;
};

/// The node of Op, with values of type Value, on the nodes that the makers return.
template <class Op, Element Value, class... Makers>
auto map_of(const Makers&... make) {
  return MapNode<Op, Value, decltype(make())...>(make...);
}

/// Places of operands that may meet in one expression, pairwise.
template <class... P>
inline constexpr bool places_may_meet = true;
template <class First, class... Rest>
inline constexpr bool places_may_meet<First, Rest...> = (PlacesMayMeet<First, Rest> && ...) && places_may_meet<Rest...>;

template <class L, class R>
struct common_value;
template <Operand L, Operand R>
  requires Promotable<value_of<L>, value_of<R>>
struct common_value<L, R> {
  using type = promote_t<value_of<L>, value_of<R>>;
};
template <Operand L, Scalar R>
  requires WeakWith<std::remove_cvref_t<R>, value_of<L>>
struct common_value<L, R> {
  using type = value_of<L>;
};
template <Operand L, Scalar R>
  requires(!WeakScalar<std::remove_cvref_t<R>>) && Promotable<value_of<L>, value_of<R>>
struct common_value<L, R> {
  using type = promote_t<value_of<L>, value_of<R>>;
};
template <Scalar L, Operand R>
struct common_value<L, R> : common_value<R, L> {};

/// The element type in which two operands meet: promoted for operands, the operand's own beside a C++ scalar.
template <class L, class R>
using common_value_t = typename common_value<std::remove_cvref_t<L>, std::remove_cvref_t<R>>::type;

/// The node of a source beside elements of type T: scalars take that type.
template <Element T, Source S>
auto as_node_beside(S&& source) {
  if constexpr (Operand<S>) {
    return as_node(std::forward<S>(source));
  } else {
    return ScalarNode<T>(static_cast<compute_t<T>>(source));
  }
}

/// Elementwise functions whose arguments all take the common type C: Op::apply(C...) of compute type.
template <class Op, class C>
struct Uniform {
  using argument_type = C;
  static constexpr const char* name = Op::name;
  static constexpr const char* device = Op::device;
  [[gnu::always_inline]] static auto map(auto... values) { return Op::apply(static_cast<C>(values)...); }
  template <class Reach>
  [[gnu::always_inline]] static auto map_within(Reach& reach, auto... values)
    requires requires { Op::within(reach, static_cast<C>(values)...); }
  {
    return Op::within(reach, static_cast<C>(values)...);
  }
};

/// Two sources that may stand on the two sides of an elementwise operation; a failure says why not.
export template <class L, class R>
concept Combinable = (Operand<L> || Operand<R>) && Source<L> && Source<R> &&
                     (requires { typename common_value_t<L, R>; } ||
                      unsatisfied<"the element types have no common type (bool with numbers, integers with floats, "
                                  "int64 with uint64): write cast<T>(...)">) &&
                     (PlacesMayMeet<place_of<L>, place_of<R>> ||
                      unsatisfied<"the operands are on different places: move one with to(place)">);

/// The node of `Op` on two sources of common type T, with values of type Value.
template <class Op, Element Value, class L, class R>
auto make_binary(L&& left, R&& right) {
  using T = common_value_t<L, R>;
  return map_of<Uniform<Op, compute_t<T>>, Value>([&] { return as_node_beside<T>(std::forward<L>(left)); },
                                                  [&] { return as_node_beside<T>(std::forward<R>(right)); });
}

/// The node of `Op` on one operand, with values of type Value.
template <class Op, Element Value, class O>
auto make_unary(O&& operand) {
  using C = compute_t<typename node_t<O>::value_type>;
  return map_of<Uniform<Op, C>, Value>([&] { return as_node(std::forward<O>(operand)); });
}

}  // namespace tessera
