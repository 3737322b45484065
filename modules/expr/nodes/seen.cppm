module;
#include <cstddef>
export module tessera.expr:seen;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :map;
import :evaluate;

// Views of expressions: slices, transposes, new axes, reversals, windows. A view moves down to the arrays that an expression reads, so that
// what is not seen is not computed. What is computed as a whole, such as a reduction or a product, is computed once and then seen.
namespace tessera {

/// The elements of a node, computed once in row-major order, through a layout of theirs.
template <class Node, int Rank>
class ViewNode : public ExpressionOperations<ViewNode<Node, Rank>, typename Node::value_type, Rank> {
 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = Rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = "view";

  ViewNode(Node node, const Layout<Rank>& layout) : node_(std::move(node)), layout_(layout) {}

  const Dim<Rank>& shape() const { return layout_.shape; }
  std::optional<Place> place() const { return node_.place(); }
  const Node& operand() const { return node_; }
  const Layout<Rank>& layout() const { return layout_; }

  /// Inside a larger expression the elements are complete before anything is written.
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit); }

  /// Straight into the destination where the view only gives row-major elements another shape.
  template <Element To>
  void compute(To* data, const Strides<Rank>& strides, Place place) const {
    const Dim<Node::rank> from = node_.shape();
    if (keeps_order(strides)) return evaluate_into(node_, data, from, storage::contiguous_strides(from), place);
    evaluate_elementwise(*this, data, layout_.shape, strides, place);
  }

  /// Whether the operand's elements, row-major, are the destination's.
  bool keeps_order(const Strides<Rank>& strides) const {
    return layout_.offset == 0 && product(node_.shape()) == product(layout_.shape) &&
           storage::is_contiguous(layout_.shape, layout_.strides) && storage::is_contiguous(layout_.shape, strides);
  }

  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const {
    using Held = compute_t<value_type>;
    const Dim<Node::rank> from = node_.shape();
    const auto bytes = core::checked_multiply(product(from), static_cast<std::ptrdiff_t>(sizeof(Held)));
    auto* data = static_cast<Held*>(lowering.hold(bytes));
    evaluate_into(node_, data, from, storage::contiguous_strides(from), lowering.place());
    return {
        lowering.add(data + layout_.offset, layout_.shape.extents(), layout_.strides, sizeof(Held), lowering.place())};
  }

 private:
  Node node_;
  Layout<Rank> layout_;
};

// seen(node, shape, change): the node broadcast to `shape`, then through another layout. What has rank 0 is the same everywhere.

template <class Node, int Rank, class Change>
auto seen(const Node& node, const Dim<Rank>& shape, const Change& change) {
  if constexpr (Node::rank == 0 && Rank > 0) {
    return node;
  } else {
    const Dim<Node::rank> from = node.shape();
    const Layout<Node::rank> computed{.shape = from, .strides = storage::contiguous_strides(from)};
    const auto layout = change(storage::broadcasted(computed, shape));
    return ViewNode<Node, decltype(layout.shape)::rank>(node, layout);
  }
}
template <Element T, int Rank, class Change>
ScalarNode<T> seen(const ScalarNode<T>& node, const Dim<Rank>&, const Change&) {
  return node;
}
template <class A, int Rank, class Change>
auto seen(const LeafNode<A>& node, const Dim<Rank>& shape, const Change& change) {
  if constexpr (A::rank == 0 && Rank > 0) {
    return node;
  } else {
    return as_node(node.array().with_layout(change(storage::broadcasted(node.array().layout(), shape))));
  }
}
template <class Node, int From, int Rank, class Change>
auto seen(const ViewNode<Node, From>& node, const Dim<Rank>& shape, const Change& change) {
  if constexpr (From == 0 && Rank > 0) {
    return node;
  } else {
    const auto layout = change(storage::broadcasted(node.layout(), shape));
    return ViewNode<Node, decltype(layout.shape)::rank>(node.operand(), layout);
  }
}
template <class Op, Element Value, class... Nodes, int Rank, class Change>
auto seen(const MapNode<Op, Value, Nodes...>& node, const Dim<Rank>& shape, const Change& change) {
  if constexpr (MapNode<Op, Value, Nodes...>::rank == 0 && Rank > 0) {
    return node;
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return map_of<Op, Value>([&] { return seen(node.template argument<I>(), shape, change); }...);
    }(std::index_sequence_for<Nodes...>{});
  }
}

/// An expression through another layout, which `change` makes of one of its shape.
export template <ExpressionNode E, class Change>
auto viewed(E&& expression, const Change& change) {
  const Dim<rank_of<E>> shape = expression.shape();
  return seen(std::as_const(expression), shape, change);
}

/// The elements of an expression in row-major order under another shape. Throws ShapeError if the element counts differ.
export template <ExpressionNode E, int To>
auto reshape(const E& expression, const Dim<To>& shape, std::source_location where = std::source_location::current()) {
  const Dim<rank_of<E>> from = expression.shape();
  const auto layout = storage::reshaped(from, storage::contiguous_strides(from), product(from), shape, where);
  return ViewNode<E, To>(expression, *layout);
}

}  // namespace tessera
