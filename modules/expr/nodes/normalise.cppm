module;
#include <cstddef>
#include <new>
export module tessera.expr:normalise;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :normalisers;
import :normalising;
import :lowering;
import :node;
import :device_source;
import :evaluate;
import :reduction_node;

// The node of a normalisation: softmax, log_softmax, standardise.
namespace tessera {

/// Every value of `Node` changed by a statistic of the values along Axis..., of all values when no axis is named.
template <plan::NormaliseOp Op, class Node, int... Axis>
class NormaliseNode
    : public ExpressionOperations<NormaliseNode<Op, Node, Axis...>, typename Node::value_type, Node::rank> {
 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = Node::rank;
  static constexpr std::array reduced = reduced_axes<rank, Axis...>();
  static constexpr const char* name = Op == plan::NormaliseOp::softmax       ? "softmax"
                                      : Op == plan::NormaliseOp::log_softmax ? "log_softmax"
                                                                             : "standardise";
  static constexpr int leaf_count = Node::leaf_count + 2;
  static constexpr int fusible = 1;
  static constexpr plan::Fusion fusion = plan::fusion_along<Node>(reduced);  // of the operand

  /// Throws ShapeError if there is nothing along the axes.
  NormaliseNode(Node node, const char* operation, double epsilon) : node_(std::move(node)), epsilon_(epsilon) {
    check_reduced_axes(node_.shape(), reduced, operation);
  }

  decltype(auto) shape() const { return node_.shape(); }
  std::optional<Place> place() const { return node_.place(); }
  const Node& operand() const { return node_; }
  /// A row is read before it is written.
  bool conflicts(const plan::Written& written) const { return node_.conflicts(written); }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit); }

  /// Left to the evaluator where the evaluation has this shape; otherwise computed first.
  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const {
    using Value = compute_t<value_type>;
    const Dim<rank> shape = node_.shape();
    const Strides<rank> strides = storage::contiguous_strides(shape);
    if (lowering.may_normalise(shape.extents())) {
      plan::Lowering inner(lowering, lowering.spare_leaves(Node::leaf_count + 1), fusion);
      return {lowering.normalise(lowered_operand(lowering, inner), shape.extents(), strides, sizeof(Value))};
    }
    const auto bytes = core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(Value)));
    auto* data = static_cast<Value*>(lowering.hold(bytes));
    evaluate_elementwise(*this, data, shape, strides, lowering.place());
    return {lowering.add(data, shape.extents(), strides, sizeof(Value), lowering.place())};
  }

  /// What the operand is lowered to; there is nothing to compute before normalising if that is its elements.
  using OperandPlan = decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>()));
  static constexpr bool values_are_elements = std::same_as<OperandPlan, LeafPlan<compute_t<value_type>>>;

  /// The normalisation of what has been lowered, with the kernel of its values.
  plan::Normalisation normalisation(const plan::Lowering& inner, plan::Kernel kernel, const void* nodes) const {
    using Value = compute_t<value_type>;
    plan::Normalisation work{.reduced = {},
                             .leaves = inner.leaves(),
                             .kernel = kernel,
                             .nodes = nodes,
                             .arithmetic = &plan::normaliser(Op, dtype_of<value_type>),
                             .epsilon = epsilon_,
                             .leaf = 0,
                             .op = Op,
                             .device = device_work<Value>(node_)};
    for (int axis = 0; axis < rank; ++axis)
      work.reduced[static_cast<std::size_t>(axis)] = reduced[static_cast<std::size_t>(axis)];
    return work;
  }

 private:
  plan::Normalisation lowered_operand(plan::Lowering& lowering, plan::Lowering& inner) const {
    const auto lowered = node_.lower(inner);
    using Plan = std::remove_const_t<decltype(lowered)>;
    static_assert(alignof(Plan) <= 16);
    const auto* nodes = ::new (lowering.hold_on_host(sizeof(Plan))) Plan(lowered);  // numbers only: nothing to destroy
    plan::Kernel kernel = nullptr;
    if constexpr (!values_are_elements) kernel = kernel_of_node<compute_t<value_type>, Node>(lowered);
    return normalisation(inner, kernel, nodes);
  }

  Node node_;
  double epsilon_;
};

template <plan::NormaliseOp Op, int... Axis, class O>
auto make_normalisation(O&& operand, const char* operation, double epsilon) {
  auto node = as_node(std::forward<O>(operand));
  return NormaliseNode<Op, decltype(node), Axis...>(std::move(node), operation, epsilon);
}

}  // namespace tessera
