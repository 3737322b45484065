module;
#include <cstddef>
export module tessera.expr:repeating;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :segments;
import :lowering;
import :node;
import :part;

// Operands whose elements appear several times: tile and repeat.
namespace tessera {

/// A node whose axes appear several times, as a whole or element by element.
template <class Node>
class RepeatNode : public ExpressionOperations<RepeatNode<Node>, typename Node::value_type, Node::rank> {
 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = Node::rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = "repeat";
  using Times = std::array<plan::Repeats, static_cast<std::size_t>(rank)>;

  RepeatNode(Node node, const Dim<rank>& shape, const Times& times)
      : node_(std::move(node)), shape_(shape), times_(times) {}

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return node_.place(); }

  /// Inside a larger expression the elements are in their new positions before anything is written.
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit); }

  template <Element To>
  void compute(To* data, const Strides<rank>& strides, Place place) const {
    static_assert(2 * rank <= plan::most_axes, "tile and repeat take operands of at most 8 axes");
    const Part<To, Node> part(node_, place);
    for_each_loop<To>(part.loop(data, strides), &plan::run);
  }

  /// Calls `body(loop)` with the loop by which the elements get to their positions; `loop` computes those of the operand.
  template <Element To>
  void for_each_loop(const plan::Loop& loop, const plan::LoopBody& body) const {
    if (product(shape_) != 0) plan::with_repeats(loop, times_, body);
  }

  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const { return computed_leaf(*this, lowering); }

  const Node& operand() const { return node_; }

 private:
  Node node_;
  Dim<rank> shape_;
  Times times_;
};

namespace plan {
/// extent * times. Throws ShapeError if `times` is negative or the result too large.
export std::ptrdiff_t repeated_extent(std::ptrdiff_t extent, std::ptrdiff_t times, int axis, const char* operation);
}  // namespace plan

template <class Node>
auto make_repeated(Node node, const typename RepeatNode<Node>::Times& times, const char* operation) {
  Dim<Node::rank> shape = node.shape();
  for (int axis = 0; axis < Node::rank; ++axis) {
    shape = shape.with(
        axis, plan::repeated_extent(shape[axis], times[static_cast<std::size_t>(axis)].times, axis, operation));
  }
  static_cast<void>(product(shape));
  return RepeatNode<Node>(std::move(node), shape, times);
}

/// The operand side by side with itself, times[i] times along axis i: tile(x, {2, 1}). Throws ShapeError for a negative number of
/// times.
export template <Operand O, std::size_t Count>
  requires(static_cast<int>(Count) == rank_of<O> || unsatisfied<"tile takes a number of times for each axis">)
auto tile(O&& operand, const std::ptrdiff_t (&times)[Count]) {  // tile takes a number of times for each axis
  auto node = as_node(std::forward<O>(operand));
  typename RepeatNode<decltype(node)>::Times repeats{};
  for (std::size_t axis = 0; axis < Count; ++axis) repeats[axis] = {.times = times[axis], .whole = true};
  return make_repeated(std::move(node), repeats, "tile");
}

/// Each element `times` times along an axis: 1 1 2 2 3 3. Throws ShapeError for a negative number of times.
export template <int Axis, Operand O>
  requires AxesOf<rank_of<O>, Axis>
auto repeat(O&& operand, std::ptrdiff_t times) {  // the axis is in range
  auto node = as_node(std::forward<O>(operand));
  typename RepeatNode<decltype(node)>::Times repeats{};
  repeats.fill({.times = 1, .whole = true});
  repeats[static_cast<std::size_t>(Axis < 0 ? Axis + decltype(node)::rank : Axis)] = {.times = times, .whole = false};
  return make_repeated(std::move(node), repeats, "repeat");
}

}  // namespace tessera
