module;
#include <cstddef>
export module tessera.expr:map;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :parameter_node;
import :range_guard;

// Elementwise nodes: one scalar function applied to the elements of its operands.
namespace tessera {

// One of several values of different types: together they are a std::tuple without its weight in compile time.
template <std::size_t I, class T>
struct Slot {
  T value;
};

/// The nodes of a map's operands.
template <class Indices, class... Nodes>
struct ArgumentsOf;
template <std::size_t... I, class... Nodes>
struct ArgumentsOf<std::index_sequence<I...>, Nodes...> : Slot<I, Nodes>... {
  template <int Rank>
  [[gnu::always_inline]] Dim<Rank> broadcast(const char* operation) const {
    return broadcast_shape<Rank>(operation, static_cast<const Slot<I, Nodes>&>(*this).value...);
  }
  [[gnu::always_inline]] bool conflicts(const plan::Written& written) const {
    return (static_cast<const Slot<I, Nodes>&>(*this).value.conflicts(written) || ...);
  }
  [[gnu::always_inline]] bool any_leaf(const plan::LeafVisitor& visit) const {
    return (static_cast<const Slot<I, Nodes>&>(*this).value.any_leaf(visit) || ...);
  }
  [[gnu::always_inline]] std::optional<Place> place() const {
    return first_place(static_cast<const Slot<I, Nodes>&>(*this).value...);
  }
};

template <class... Nodes>
using Arguments = ArgumentsOf<std::index_sequence_for<Nodes...>, Nodes...>;

template <class Indices, class Op, class... Plans>
struct MapPlanOf;

/// A map's function where it is compiled for an instruction set: its own, or what it names as `in<Isa>`.
template <class Op, device::Isa Isa>
struct FunctionIn {
  using type = Op;
};
template <class Op, device::Isa Isa>
  requires requires { typename Op::template in<Isa>; }
struct FunctionIn<Op, Isa> {
  using type = typename Op::template in<Isa>;
};

/// A map's plan bound to the inputs of a block: calls Op on the values of its arguments.
template <class Indices, class Op, class... Values>
struct BoundMapOf;
template <std::size_t... I, class Op, class... Values>
struct BoundMapOf<std::index_sequence<I...>, Op, Values...> : Slot<I, Values>... {
  using value_type = std::remove_cvref_t<decltype(Op::map(std::declval<typename Values::value_type>()...))>;

  static constexpr bool has_guard =
      requires(math::FastRange<true>& guard) { Op::map_within(guard, std::declval<typename Values::value_type>()...); };
  static constexpr bool depends_on_range = has_guard || (math::DependsOnRange<Values> || ...);
  static constexpr bool reads_pairs = (ReadsPairs<Values> && ...);
  static constexpr int leaves = (0 + ... + Values::leaves);
  static constexpr std::size_t widest_value = std::max({sizeof(value_type), Values::widest_value...});
  static constexpr bool calls_once = math::CallsOnce<Op> || (math::CallsOnce<Values> || ...);
  static constexpr bool takes_long = depends_on_range || math::TakesLong<Op> || (math::TakesLong<Values> || ...);

  template <class Function, class... Plans>
  [[gnu::always_inline]] BoundMapOf(const MapPlanOf<std::index_sequence<I...>, Function, Plans...>& from,
                                    const plan::Input* inputs)
      : Slot<I, Values>{Values(static_cast<const Slot<I, Plans>&>(from).value, inputs)}... {}

  [[gnu::always_inline]] value_type at(std::ptrdiff_t step, std::ptrdiff_t i, math::RangeGuard& guard) const
    requires(!depends_on_range)
  {
    return Op::map(static_cast<const Slot<I, Values>&>(*this).value.at(step, i, guard)...);
  }
  template <class RangeGuard>
    requires depends_on_range
  [[gnu::always_inline]] value_type at(std::ptrdiff_t step, std::ptrdiff_t i, RangeGuard& guard) const {
    if constexpr (has_guard) {
      return Op::map_within(guard, static_cast<const Slot<I, Values>&>(*this).value.at(step, i, guard)...);
    } else {
      return Op::map(static_cast<const Slot<I, Values>&>(*this).value.at(step, i, guard)...);
    }
  }

  /// Goes to the next row.
  template <class Function, class... Plans>
  [[gnu::always_inline]] void advance(const MapPlanOf<std::index_sequence<I...>, Function, Plans...>& from,
                                      const std::ptrdiff_t* pitches) {
    (static_cast<Slot<I, Values>&>(*this).value.advance(static_cast<const Slot<I, Plans>&>(from).value, pitches), ...);
  }
};

/// The plan of a map.
template <std::size_t... I, class Op, class... Plans>
struct MapPlanOf<std::index_sequence<I...>, Op, Plans...> : Slot<I, Plans>... {
  template <device::Isa Isa>
  using Bound =
      BoundMapOf<std::index_sequence<I...>, typename FunctionIn<Op, Isa>::type, typename Plans::template Bound<Isa>...>;

  template <class... Nodes, class Leaves>
  [[gnu::always_inline]] MapPlanOf(const ArgumentsOf<std::index_sequence<I...>, Nodes...>& nodes, Leaves& leaves)
      : Slot<I, Plans>{static_cast<const Slot<I, Nodes>&>(nodes).value.lower(leaves)}... {}
  explicit MapPlanOf(const Plans&... plans) : Slot<I, Plans>{plans}... {}

  /// Makes the plan a class that functions return in memory. In registers its parts would be pieced together and read back at once,
  /// which stalls the processor for longer than a few elements take to compute.
  MapPlanOf(const MapPlanOf& other) : Slot<I, Plans>(other)... {}
  MapPlanOf& operator=(const MapPlanOf&) = delete;
};

template <class Op, class... Plans>
using MapPlan = MapPlanOf<std::index_sequence_for<Plans...>, Op, Plans...>;

/// A node all of whose leaves are arrays or scalars.
template <class Node>
concept ReadsMemoryOnly = requires { requires Node::reads_memory_only; };

/// An elementwise node with values of type Value.
template <class Op, Element Value, class... Nodes>
class MapNode : public ExpressionOperations<MapNode<Op, Value, Nodes...>, Value, std::max({Nodes::rank...})> {
 public:
  using expression_tag = void;
  using value_type = Value;
  using place_type = typename join_places<typename Nodes::place_type...>::type;
  static constexpr int rank = std::max({Nodes::rank...});
  static constexpr int leaf_count = (0 + ... + Nodes::leaf_count);
  static constexpr int fusible = (0 + ... + Nodes::fusible);
  static constexpr std::size_t argument_count = sizeof...(Nodes);
  static constexpr bool reads_memory_only = (ReadsMemoryOnly<Nodes> && ...);

  /// Each operand's node is what calling its maker returns: made where it stays, so that no leaf moves more than once a level.
  template <class... Makers>
  explicit MapNode(const Makers&... make) : nodes_{{make()}...}, shape_(nodes_.template broadcast<rank>(Op::name)) {}

  [[gnu::always_inline]] const Dim<rank>& shape() const { return shape_; }
  template <std::size_t I>
  const auto& argument() const {
    return slot<I>(nodes_);
  }
  [[gnu::always_inline]] std::optional<Place> place() const { return nodes_.place(); }
  template <class Leaves>
  [[gnu::always_inline]] auto lower(Leaves& leaves) const {
    return MapPlan<Op, decltype(std::declval<const Nodes&>().lower(leaves))...>(nodes_, leaves);
  }
  [[gnu::always_inline]] bool conflicts(const plan::Written& written) const { return nodes_.conflicts(written); }
  [[gnu::always_inline]] bool any_leaf(const plan::LeafVisitor& visit) const { return nodes_.any_leaf(visit); }

 private:
  template <std::size_t I, class Node>
  static const Node& slot(const Slot<I, Node>& found) {
    return found.value;
  }

  Arguments<Nodes...> nodes_;
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
struct common_value {};  // empty, so that a pair without a common type is a no and not an error
template <Operand L, Operand R>
  requires Promotable<value_of<L>, value_of<R>>
struct common_value<L, R> {
  using type = promote_t<value_of<L>, value_of<R>>;
};
template <Operand L, Scalar R>
  requires WeakWith<scalar_of<R>, value_of<L>>
struct common_value<L, R> {
  using type = value_of<L>;
};
template <Operand L, Scalar R>
  requires(!WeakScalar<scalar_of<R>>) && Promotable<value_of<L>, value_of<R>>
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
    return scalar_node<T>(source, ToElement<T>());
  }
}

/// Elementwise functions whose arguments all take the common type C: Op::apply(C...) of compute type.
template <class Op, class C>
struct Uniform {
  using argument_type = C;
  static constexpr bool takes_long = math::TakesLong<Op>;
  static constexpr const char* name = Op::name;
  static constexpr const char* device = Op::device;
  [[gnu::always_inline]] static auto map(auto... values) { return Op::apply(static_cast<C>(values)...); }
  template <class RangeGuard>
  [[gnu::always_inline]] static auto map_within(RangeGuard& guard, auto... values)
    requires requires { Op::within(guard, static_cast<C>(values)...); }
  {
    return Op::within(guard, static_cast<C>(values)...);
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

/// The node of `Op` on one operand, with values of type Value; of a value the result.
template <class Op, Element Value, class O>
auto make_unary(O&& operand) {
  using C = compute_t<value_of<O>>;
  if constexpr (!Operand<O>) {
    return static_cast<Value>(Uniform<Op, C>::map(static_cast<C>(value_of<O>(std::as_const(operand)))));
  } else {
    return map_of<Uniform<Op, C>, Value>([&] { return as_node(std::forward<O>(operand)); });
  }
}

}  // namespace tessera
