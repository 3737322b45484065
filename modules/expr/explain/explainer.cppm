module;
#include <cstddef>
#include <cstring>
export module tessera.expr:explainer;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :loop_plan;
import :node;
import :parameter_node;
import :kernel;
import :evaluate;
import :direct;
import :assign;
import :map;
import :user_op;
import :reduction;
import :dot;
import :gpu_kernel;
import :device_source;
import :explanation;
import :operation_speed;

// Walks an expression and finds out what its evaluation would do. Every leaf is registered as the evaluation registers it; results
// of reductions and products, which are not computed here, are stood for by memory that nobody reads.
namespace tessera {

/// The compiler's text for a function template of T, from which type_name() takes the type's name.
template <class T>
std::string_view text_with_type() {
  return __PRETTY_FUNCTION__;
}

/// The operation that declares costs and names: a user's own type behind F<Op>, Op itself otherwise.
template <class Op>
struct DeclaredOperation {
  using type = Op;
  static std::string name() { return Op::name; }
};
template <class Op, class C>
struct DeclaredOperation<Uniform<Op, C>> : DeclaredOperation<Op> {};
template <class Op>
struct DeclaredOperation<UserMap<Op>> {
  using type = Op;
  static std::string name() { return "F<" + plan::type_name(text_with_type<Op>()) + ">"; }
};

/// An operation on arguments of nodes of the given types, to be timed by itself.
template <class Op, Element Value, class... Nodes, std::size_t... I>
plan::ExplainedOperation explained_operation(std::index_sequence<I...>) {
  using Plan = MapPlan<Op, LeafPlan<compute_t<typename Nodes::value_type>>...>;
  using Declared = typename DeclaredOperation<Op>::type;
  static const Plan lowered(LeafPlan<compute_t<typename Nodes::value_type>>{static_cast<int>(I)}...);
  plan::ExplainedOperation operation{.name = DeclaredOperation<Op>::name(),
                                     .arguments = {dtype_of<compute_t<typename Nodes::value_type>>...},
                                     .common = dtype_of<compute_t<Value>>,
                                     .value = dtype_of<compute_t<Value>>,
                                     .kernel = kernel_of<compute_t<Value>>(lowered),
                                     .scalar = scalar_kernel_of<compute_t<Value>>(lowered),
                                     .nodes = &lowered};
  if constexpr (requires { typename Op::argument_type; }) operation.common = dtype_of<typename Op::argument_type>;
  if constexpr (requires { Declared::vectorises; }) operation.vectorises = Declared::vectorises;
  if constexpr (requires { Declared::flops; }) operation.flops = Declared::flops;
  return operation;
}

/// A node that reduces its operand(), as ReduceNode does.
template <class Node>
concept ReducesOperand = requires(const Node& node) {
  node.operand();
  { Node::reduced[0] } -> std::convertible_to<bool>;
};

/// A node that multiplies left() by right(), as DotNode does.
template <class Node>
concept MultipliesOperands = requires(const Node& node) {
  node.left();
  node.right();
};

/// A node that changes each row by a statistic of the row, as softmax does: the evaluator computes it row by row.
template <class Node>
concept NormalisesOperand = ReducesOperand<Node> && FusesOne<Node>;

/// Walks an expression and collects the stages of its evaluation, in order.
class Explainer {
 public:
  plan::Explanation take() { return std::move(explanation_); }

  /// The evaluation of `node` as elements of type To.
  template <Element To, class Node, int Rank>
  void add(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides, Place place,
           std::string target) {
    if constexpr (Node::rank == Rank && (ComputesItself<Node, To> || NormalisesOperand<Node>)) {
      if (node.shape() == shape) return finish(add_itself(node, place), std::move(target), dtype_of<To>);
    }
    plan::ExplainedStage stage{.title = "elementwise"};
    stage.target = std::move(target);
    stage.written = dtype_of<To>;
    plan::Leaf storage[Node::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, plan::fusion_of<Node>);
    add_node(stage, lowering, node, 0);
    plan::Loop loop{.rank = Rank,
                    .extents = lowering.extents(),
                    .target = {.data = const_cast<void*>(data), .strides = {}, .item = sizeof(To)},
                    .leaves = lowering.leaves(),
                    .kernel = nullptr,
                    .nodes = nullptr};
    for (int axis = 0; axis < Rank; ++axis)
      loop.target.strides[static_cast<std::size_t>(axis)] = strides[static_cast<std::size_t>(axis)];
    stage.plan = plan::plan_of(loop);
    stage.plan.at_once = is_direct<To>(node, data, shape, strides, place);
    if (lowering.tiled())
      stage.notes.push_back("computed tile by tile, each just after the product's tile that it reads");
    stage.device = plan::element_of(device_form<Node>);
    explanation_.stages.push_back(std::move(stage));
  }

  void note(std::string text) { explanation_.stages.back().notes.push_back(std::move(text)); }

 private:
  using Stage = plan::ExplainedStage;

  /// Whether evaluate_directly would compute it.
  template <Element To, class Node, int Rank>
  static bool is_direct(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                        Place place) {
    if constexpr (MayBeDirect<Node, Dim<Rank>>) {
      const std::ptrdiff_t elements = row_major_elements(shape, strides);
      if (!is_for_one_thread(elements)) return false;
      DirectLeaves<Rank, Node::leaf_count> leaves(data, sizeof(To), elements, shape, place);
      node.lower(leaves);
      return leaves.all_direct();
    } else {
      return false;
    }
  }

  void finish(std::size_t number, std::string target, DType written) {
    explanation_.stages[number - 1].target = std::move(target);
    explanation_.stages[number - 1].written = written;
  }

  /// The stage of a node that computes itself, complete with those before it; returns its number, from 1.
  template <class Node>
  std::size_t add_itself(const Node& node, Place place) {
    if constexpr (ReducesOperand<Node>) {
      return add_reduction(node, place);
    } else if constexpr (MultipliesOperands<Node>) {
      return add_product(node, place).number;
    } else {
      return add_moved(node);
    }
  }

  /// A node that moves elements of its operands to other positions.
  template <class Node>
  std::size_t add_moved(const Node& node) {
    Stage stage{.kind = Stage::Kind::moved};
    if constexpr (requires { Node::name; }) stage.title = Node::name;
    stage.target = "memory of its own";
    stage.written = dtype_of<compute_t<typename Node::value_type>>;
    add_line(stage, 0, stage.title, dtype_of<typename Node::value_type>, to_string(node.shape()), "");
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
  }

  template <class Node>
  std::size_t add_reduction(const Node& node, Place place) {
    const auto& operand = node.operand();
    using Operand = std::remove_cvref_t<decltype(operand)>;
    Stage stage{.kind = NormalisesOperand<Node> ? Stage::Kind::normalisation : Stage::Kind::reduction,
                .title = Node::name};
    stage.target = "memory of its own";
    stage.written = dtype_of<compute_t<typename Node::value_type>>;
    add_line(stage, 0, Node::name, dtype_of<typename Node::value_type>, to_string(node.shape()),
             plan::reduced_axes_text(Node::reduced));
    const auto shape = operand.shape();
    plan::Leaf storage[Operand::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, plan::Fusion::none);
    add_node(stage, lowering, operand, 1);
    stage.reduction.rank = Operand::rank;
    stage.reduction.extents = lowering.extents();
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(Operand::rank); ++axis)
      stage.reduction.reduced[axis] = Node::reduced[axis];
    stage.leaves.assign(lowering.leaves().begin(), lowering.leaves().end());
    stage.device = plan::element_of(device_form<Operand>);
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
  }

  struct ProductStage {
    std::size_t number;
    plan::TiledProduct product;
  };

  /// Where the elements of a product's operand lie: in the user's memory, or in the result of a stage before.
  struct ProductOperand {
    const void* data;
    std::vector<std::ptrdiff_t> strides;
  };

  template <class Node>
  ProductStage add_product(const Node& node, Place place) {
    using Computed = compute_t<typename Node::value_type>;
    Stage stage{.kind = Stage::Kind::product, .title = Node::name};
    stage.target = "memory of its own";
    stage.written = dtype_of<Computed>;
    add_line(stage, 0, Node::name, dtype_of<typename Node::value_type>, to_string(node.shape()), "");
    const ProductOperand a = add_operand<Computed>(stage, node.left(), place);
    const ProductOperand b = add_operand<Computed>(stage, node.right(), place);
    constexpr int a_rank = std::remove_cvref_t<decltype(node.left())>::rank;
    constexpr int b_rank = std::remove_cvref_t<decltype(node.right())>::rank;
    const auto a_shape = node.left().shape();
    const auto b_shape = node.right().shape();
    constexpr std::size_t b_inner = b_rank == 1 ? 0 : b_rank - 2;
    stage.product = {.a = a.data,
                     .b = b.data,
                     .rows = a_rank >= 2 ? a_shape[a_rank - 2] : 1,
                     .columns = b_rank >= 2 ? b_shape[b_rank - 1] : 1,
                     .inner = a_shape[a_rank - 1],
                     .a_row = a_rank >= 2 ? a.strides[a_rank - 2] : a_shape[0],
                     .a_column = a.strides[a_rank - 1],
                     .b_row = b.strides[b_inner],
                     .b_column = b_rank >= 2 ? b.strides[b_rank - 1] : 1,
                     .dtype = dtype_of<Computed>,
                     .leaf = -1};
    const std::ptrdiff_t matrix = stage.product.rows * stage.product.columns;
    if (const std::ptrdiff_t all = product(node.shape()); matrix > 0 && all > matrix)
      stage.notes.push_back("the same for each of " + std::to_string(all / matrix) + " pairs of matrices");
    const plan::TiledProduct described = stage.product;
    explanation_.stages.push_back(std::move(stage));
    return {explanation_.stages.size(), described};
  }

  template <Element T, class Node>
  ProductOperand add_operand(Stage& stage, const Node& node, Place place) {
    plan::Leaf storage[Node::leaf_count + 1];
    if constexpr (requires { node.array(); } && std::same_as<typename Node::value_type, T>) {
      plan::Lowering lowering(storage, node.shape().extents(), place, plan::Fusion::none);
      add_node(stage, lowering, node, 1);
      const auto& array = node.array();
      return {array.data(), {array.strides().begin(), array.strides().end()}};
    } else {
      const auto shape = node.shape();
      const auto strides = contiguous_strides(shape);
      add<T>(node, plan::nowhere(), shape, strides, place, "memory of its own");
      add_result(stage, 1, dtype_of<T>, to_string(shape), explanation_.stages.size());
      return {plan::nowhere(), {strides.begin(), strides.end()}};
    }
  }

  static void add_line(Stage& stage, int depth, std::string label, DType dtype, std::string shape, std::string detail) {
    stage.nodes.push_back({depth, std::move(label), dtype, std::move(shape), std::move(detail)});
  }

  /// A leaf that reads what an earlier stage has computed.
  static void add_result(Stage& stage, int depth, DType dtype, std::string shape, std::size_t number) {
    add_line(stage, depth, plan::leaf_name(stage.leaf_types.size()) + " = result of stage " + std::to_string(number),
             dtype, std::move(shape), "");
    stage.leaf_types.push_back(dtype);
  }

  template <class Op, Element Value, class... Nodes>
  void add_node(Stage& stage, plan::Lowering& lowering, const MapNode<Op, Value, Nodes...>& node, int depth) {
    stage.operations.push_back(explained_operation<Op, Value, Nodes...>(std::index_sequence_for<Nodes...>{}));
    add_line(stage, depth, stage.operations.back().name, dtype_of<Value>, to_string(node.shape()), "");
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add_node(stage, lowering, node.template argument<I>(), depth + 1), ...);
    }(std::index_sequence_for<Nodes...>{});
  }

  template <Element T>
  void add_node(Stage& stage, plan::Lowering&, const ScalarNode<T>& node, int depth) {
    const compute_t<T> value = node.value();
    add_scalar(stage, depth, dtype_of<T>, value, plan::value_text(dtype_of<compute_t<T>>, &value));
  }
  template <Element T, class P, class Convert>
  void add_node(Stage& stage, plan::Lowering&, const ScalarParameterNode<T, P, Convert>&, int depth) {
    add_scalar(stage, depth, dtype_of<T>, compute_t<T>(1), "given by each replay");
  }
  static void add_scalar(Stage& stage, int depth, DType dtype, const auto& value, std::string text) {
    const std::size_t at = stage.scalars.size();
    stage.scalars.resize(at + 16);
    std::memcpy(stage.scalars.data() + at, &value, sizeof value);
    add_line(stage, depth, "s" + std::to_string(at / 16) + " = scalar", dtype, "()", std::move(text));
  }

  template <class Node>
  void add_node(Stage& stage, plan::Lowering& lowering, const Node& node, int depth) {
    using Value = compute_t<typename Node::value_type>;
    if constexpr (requires { node.array(); }) {
      add_array(stage, lowering, node, depth);
    } else if constexpr (NormalisesOperand<Node>) {
      const std::size_t number = add_reduction(node, lowering.place());
      const bool beside = lowering.may_normalise(node.shape().extents());
      if (beside) explanation_.stages[number - 1].target = "the cache, for the stage that reads it";
      add_result<Value>(stage, lowering, node, depth, number, beside ? nullptr : plan::nowhere());
    } else if constexpr (ReducesOperand<Node>) {
      using Held = compute_t<typename Node::value_type>;
      const std::size_t number = add_reduction(node, lowering.place());
      if constexpr (FusesOne<Node>) {  // a normalisation, unless it has another shape or is not the only one
        if (lowering.may_normalise(node.shape().extents()))
          explanation_.stages[number - 1].target = "rows in the cache, for the stage that reads them";
      }
      add_result<Held>(stage, lowering, node, depth, number);
    } else if constexpr (MultipliesOperands<Node>) {
      const ProductStage added = add_product(node, lowering.place());
      if (Node::rank == 2 && lowering.try_tile(added.product)) {
        add_result(stage, depth, added.product.dtype, to_string(node.shape()), added.number);
        explanation_.stages[added.number - 1].target = "tiles, for the stage that reads it";
      } else {
        add_result<compute_t<typename Node::value_type>>(stage, lowering, node, depth, added.number);
      }
    } else if constexpr (ComputesItself<Node, Value>) {
      add_result<Value>(stage, lowering, node, depth, add_moved(node));
    } else {
      add_other(stage, lowering, node, depth);
    }
  }

  template <Element Held, class Node>
  void add_result(Stage& stage, plan::Lowering& lowering, const Node& node, int depth, std::size_t number,
                  const void* data = plan::nowhere()) {
    const auto shape = node.shape();
    const auto strides = contiguous_strides(shape);
    lowering.add(data, shape.extents(), strides, sizeof(Held), lowering.place());
    add_result(stage, depth, dtype_of<Held>, to_string(shape), number);
  }

  template <class Node>
  void add_array(Stage& stage, plan::Lowering& lowering, const Node& node, int depth) {
    node.lower(lowering);
    add_line(stage, depth, plan::leaf_name(stage.leaf_types.size()) + " = array", dtype_of<typename Node::value_type>,
             to_string(node.shape()),
             plan::layout_text(node.shape().extents(), node.array().strides(), to_string(Place(node.array().place()))));
    stage.leaf_types.push_back(dtype_of<typename Node::value_type>);
  }

  /// A node that has no parts to show: it registers its own leaves, as random numbers do.
  template <class Node>
  void add_other(Stage& stage, plan::Lowering& lowering, const Node& node, int depth) {
    node.lower(lowering);
    std::string label = "operand";
    if constexpr (requires { Node::name; }) label = Node::name;
    for (int leaf = 0; leaf < Node::leaf_count; ++leaf) {
      add_line(stage, depth, plan::leaf_name(stage.leaf_types.size()) + " = " + label,
               dtype_of<typename Node::value_type>, to_string(node.shape()), "generated where it is needed");
      stage.leaf_types.push_back(dtype_of<compute_t<typename Node::value_type>>);
    }
  }

  plan::Explanation explanation_;
};

}  // namespace tessera
