module;
#include <cstddef>
export module tessera.expr:joining;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :elementwise;
import :node;
import :map;
import :evaluate;
import :part;

// Operands side by side along an axis: concat and stack. Each part is computed straight into its slice of the destination.
namespace tessera {

namespace plan {
/// Checks the shapes of what is joined and returns the extent of the result along `axis`. Stacked parts must be of one shape; others may
/// differ along the axis. Throws ShapeError, also when there are no parts.
export std::ptrdiff_t joined_extent(std::span<const std::span<const std::ptrdiff_t>> parts, int axis, bool stacks);
}  // namespace plan

/// Shape of the result of joining parts, the first of which has the shape `first`.
template <int Axis, bool Stacks, int Rank>
Dim<Rank + (Stacks ? 1 : 0)> joined_shape(const Dim<Rank>& first, std::ptrdiff_t extent) {
  constexpr int rank = Rank + (Stacks ? 1 : 0);
  Dim<rank> shape;
  for (int axis = 0, source = 0; axis < rank; ++axis) {
    shape = shape.with(axis, axis == Axis ? extent : first[source]);
    if (axis != Axis || !Stacks) ++source;
  }
  static_cast<void>(product(shape));
  return shape;
}

/// The strides of one part in a result with `strides`.
template <int Axis, bool Stacks, std::size_t Rank>
auto part_strides(const std::array<std::ptrdiff_t, Rank>& strides) {
  if constexpr (Stacks) {
    std::array<std::ptrdiff_t, Rank - 1> part{};
    for (std::size_t axis = 0, to = 0; axis < Rank; ++axis) {
      if (axis != static_cast<std::size_t>(Axis)) part[to++] = strides[axis];
    }
    return part;
  } else {
    return strides;
  }
}

/// Address of position `at` along the axis; `data` itself in an empty result, which may have no storage.
template <class To>
To* slice_start(To* data, std::ptrdiff_t at, std::ptrdiff_t stride, bool empty) {
  return empty ? data : data + at * stride;
}

template <class... T>
struct PromotedAll {};  // empty, so that types without a common one are a no and not an error
template <class T>
struct PromotedAll<T> {
  using type = T;
};
template <class T, class U, class... V>
  requires Promotable<T, U>
struct PromotedAll<T, U, V...> : PromotedAll<promote_t<T, U>, V...> {};

/// Nodes joined along Axis, counted in the result; Stacks says that the axis is a new one.
template <int Axis, bool Stacks, class... Nodes>
class JoinNode : public ExpressionOperations<JoinNode<Axis, Stacks, Nodes...>,
                                             typename PromotedAll<typename Nodes::value_type...>::type,
                                             std::tuple_element_t<0, std::tuple<Nodes...>>::rank + (Stacks ? 1 : 0)> {
  using First = std::tuple_element_t<0, std::tuple<Nodes...>>;

 public:
  using expression_tag = void;
  using value_type = typename PromotedAll<typename Nodes::value_type...>::type;
  using place_type = typename join_places<typename Nodes::place_type...>::type;
  static constexpr int rank = First::rank + (Stacks ? 1 : 0);
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = Stacks ? "stack" : "concat";

  /// Throws ShapeError if the parts do not fit each other.
  explicit JoinNode(Nodes... nodes) : shape_(shape_of(nodes.shape()...)), nodes_{{std::move(nodes)}...} {}

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const {
    return with_nodes([](const auto&... nodes) { return first_place(nodes...); });
  }

  /// Inside a larger expression the parts are complete before anything is written.
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const {
    return with_nodes([&](const auto&... nodes) { return (nodes.any_leaf(visit) || ...); });
  }

  /// Each part into its slice of elements of type To.
  template <Element To>
  void compute(To* data, const Strides<rank>& strides, Place place) const {
    compute_from<0>(data, strides, place);
  }

  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const { return computed_leaf(*this, lowering); }

  /// Calls `visit<is_straight>(part, slice, strides)` for all parts, with the slice that compute() writes; the straight one is evaluated there as
  /// by itself, the others by an elementwise loop.
  template <Element To, class Visit>
  void for_each_part(To* data, const Strides<rank>& strides, const Visit& visit) const {
    const bool empty = product(shape_) == 0;
    const auto inner = part_strides<Axis, Stacks>(strides);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (visit.template operator()<I == straight<To>()>(node<I>(), slice_start(data, start<I>(), strides[Axis], empty),
                                                      inner),
       ...);
    }(std::index_sequence_for<Nodes...>{});
  }

 private:
  template <class... Shape>
  static Dim<rank> shape_of(const Shape&... shapes) {
    const std::span<const std::ptrdiff_t> extents[] = {shapes.extents()...};
    const auto& first = std::get<0>(std::forward_as_tuple(shapes...));
    return joined_shape<Axis, Stacks>(first, plan::joined_extent(extents, Axis, Stacks));
  }

  template <class Function>
  auto with_nodes(const Function& function) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return function(static_cast<const Slot<I, Nodes>&>(nodes_).value...);
    }(std::index_sequence_for<Nodes...>{});
  }
  template <std::size_t I>
  const auto& node() const {
    return static_cast<const Slot<I, std::tuple_element_t<I, std::tuple<Nodes...>>>&>(nodes_).value;
  }

  /// Where part I begins along the axis.
  template <std::size_t I>
  std::ptrdiff_t start() const {
    if constexpr (Stacks) {
      return static_cast<std::ptrdiff_t>(I);
    } else if constexpr (I == 0) {
      return 0;
    } else {
      return start<I - 1>() + node<I - 1>().shape()[Axis];
    }
  }

  /// The one part that may compute itself while it is written: the first that does better so than element by element. All
  /// others are made ready before it, so that nothing is written when one of them fails.
  template <Element To>
  static constexpr std::size_t straight() {
    constexpr bool candidates[] = {(ComputesItself<Nodes, To> || FusesOne<Nodes>)...};
    std::size_t part = 0;
    while (part < sizeof...(Nodes) && !candidates[part]) ++part;
    return part;
  }

  /// Makes parts I, I + 1, ... ready, computes the straight one, then runs the others.
  template <std::size_t I, Element To>
  void compute_from(To* data, const Strides<rank>& strides, Place place) const {
    constexpr std::size_t special = straight<To>();
    const bool empty = product(shape_) == 0;
    const auto slice = [&](std::ptrdiff_t at) { return slice_start(data, at, strides[Axis], empty); };
    const auto inner = part_strides<Axis, Stacks>(strides);
    if constexpr (I == sizeof...(Nodes)) {
      if constexpr (special < I)
        evaluate_into(node<special>(), slice(start<special>()), node<special>().shape(), inner, place);
    } else if constexpr (I == special) {
      compute_from<I + 1>(data, strides, place);
    } else {
      const Part<To, std::remove_cvref_t<decltype(node<I>())>> part(node<I>(), place);
      compute_from<I + 1>(data, strides, place);
      plan::run(part.loop(slice(start<I>()), inner));
    }
  }

  Dim<rank> shape_;
  Arguments<Nodes...> nodes_;
};

/// Arrays, as many as there are at run time, joined along Axis.
template <int Axis, bool Stacks, Elements A>
class SequenceNode
    : public ExpressionOperations<SequenceNode<Axis, Stacks, A>, typename A::value_type, A::rank + (Stacks ? 1 : 0)> {
 public:
  using expression_tag = void;
  using value_type = typename A::value_type;
  using place_type = typename A::place_type;
  static constexpr int rank = A::rank + (Stacks ? 1 : 0);
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = Stacks ? "stack" : "concat";

  /// Throws ShapeError if there are none, or if they do not fit each other.
  explicit SequenceNode(const std::vector<A>& arrays) : parts_(arrays.begin(), arrays.end()) {
    std::vector<std::span<const std::ptrdiff_t>> shapes;
    for (const auto& part : parts_) shapes.push_back(part.shape().extents());
    const std::ptrdiff_t extent = plan::joined_extent(shapes, Axis, Stacks);
    shape_ = joined_shape<Axis, Stacks>(parts_.front().shape(), extent);
  }

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return parts_.front().place(); }
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const {
    for (const auto& part : parts_) {
      if (part.any_leaf(visit)) return true;
    }
    return false;
  }

  template <Element To>
  void compute(To* data, const Strides<rank>& strides, Place place) const {
    for (const auto& part : parts_)
      static_cast<void>(Part<To, LeafNode<A>>(part, place));  // throws before anything is written
    for_each_part(data, strides, [&]<bool>(const auto& part, To* slice, const auto& inner) {
      plan::run(Part<To, LeafNode<A>>(part, place).loop(slice, inner));
    });
  }

  /// As JoinNode's; no part is straight.
  template <Element To, class Visit>
  void for_each_part(To* data, const Strides<rank>& strides, const Visit& visit) const {
    const bool empty = product(shape_) == 0;
    const auto inner = part_strides<Axis, Stacks>(strides);
    std::ptrdiff_t at = 0;
    for (const auto& part : parts_) {
      visit.template operator()<false>(part, slice_start(data, at, strides[Axis], empty), inner);
      if constexpr (Stacks) {
        ++at;
      } else {
        at += part.shape()[Axis];
      }
    }
  }

  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const { return computed_leaf(*this, lowering); }

 private:
  std::vector<LeafNode<A>> parts_;
  Dim<rank> shape_;
};

template <class First, class... Rest>
inline constexpr int first_rank = rank_of<First>;

template <class... O>
concept PromotableOperands = requires { typename PromotedAll<value_of<O>...>::type; };

/// Operands that can stand side by side along an axis of a result of rank `Rank`; a failure says why not.
template <int Rank, int Axis, class... O>
concept JoinableOperands =
    (((rank_of<O> == first_rank<O...>) && ...) || unsatisfied<"joined operands have the same number of axes">) &&
    ((Axis >= -Rank && Axis < Rank) || unsatisfied<"the axis along which operands are joined is out of range">) &&
    (PromotableOperands<O...> ||
     unsatisfied<"the element types have no common type (bool with numbers, integers with floats, int64 with uint64): "
                 "write cast<T>(...)">) &&
    (places_may_meet<place_of<O>...> || unsatisfied<"the operands are on different places: move one with to(place)">);

/// Contiguous ranges of arrays or views, such as std::vector<Array<float, 2>>.
template <class R>
concept ArraySequence = std::ranges::contiguous_range<R> && Elements<std::ranges::range_value_t<R>>;

/// The operands one after the other along an axis that they have; all other extents are equal. Elements take the promoted type. Assigned
/// to an array, each operand is computed straight into its slice. Throws ShapeError with the first part that does not fit.
export template <int Axis, class... O>
  requires(sizeof...(O) > 0) && (Operand<O> && ...) && JoinableOperands<first_rank<O...>, Axis, O...>
auto concat(O&&... operands) {
  constexpr int axis = Axis < 0 ? Axis + first_rank<O...> : Axis;
  return JoinNode<axis, false, node_t<O>...>(as_node(std::forward<O>(operands))...);
}

/// The operands, all of one shape, along a new axis, which is axis Axis of the result. Otherwise as concat.
export template <int Axis, class... O>
  requires(sizeof...(O) > 0) && (Operand<O> && ...) && JoinableOperands<first_rank<O...> + 1, Axis, O...>
auto stack(O&&... operands) {
  constexpr int axis = Axis < 0 ? Axis + first_rank<O...> + 1 : Axis;
  return JoinNode<axis, true, node_t<O>...>(as_node(std::forward<O>(operands))...);
}

/// concat of the arrays of a vector or span. Throws ShapeError if it is empty.
export template <int Axis, ArraySequence R>
  requires JoinableOperands<rank_of<std::ranges::range_value_t<R>>, Axis, std::ranges::range_value_t<R>>
auto concat(const R& arrays) {
  using A = std::ranges::range_value_t<R>;
  constexpr int axis = Axis < 0 ? Axis + A::rank : Axis;
  return SequenceNode<axis, false, A>(std::vector<A>(std::ranges::begin(arrays), std::ranges::end(arrays)));
}

/// stack of the arrays of a vector or span. Throws ShapeError if it is empty.
export template <int Axis, ArraySequence R>
  requires JoinableOperands<rank_of<std::ranges::range_value_t<R>> + 1, Axis, std::ranges::range_value_t<R>>
auto stack(const R& arrays) {
  using A = std::ranges::range_value_t<R>;
  constexpr int axis = Axis < 0 ? Axis + A::rank + 1 : Axis;
  return SequenceNode<axis, true, A>(std::vector<A>(std::ranges::begin(arrays), std::ranges::end(arrays)));
}

}  // namespace tessera
