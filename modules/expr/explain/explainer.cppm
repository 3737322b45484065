module;
#include <cstddef>
#include <cstring>
export module tessera.expr:explainer;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :segments;
import :lowering;
import :elementwise;
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
import :dot_node;
import :factor;
import :normalising;
import :run_normalised;
import :product;
import :row_blocks;
import :reduce;
import :device_split;
import :gpu_variant;
import :gpu_form;
import :gpu_evaluation;
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

/// A node that shows the elements of its operand() through another layout(), as ViewNode does.
template <class Node>
concept ViewsExpression = requires(const Node& node) {
  node.operand();
  node.layout();
};

/// A node that changes each row by a statistic of the row, as softmax does: the evaluator computes it row by row.
template <class Node>
concept NormalisesOperand = ReducesOperand<Node> && FusesOne<Node>;

/// Walks an expression and collects the stages of its evaluation, in order.
class Explainer {
  using Stage = plan::ExplainedStage;

 public:
  plan::Explanation take() { return std::move(explanation_); }

  /// Memory that stands for another result.
  void* fresh() { return plan::nowhere(memories_++); }

  /// An assignment that does not go through a temporary.
  template <Element To, class Node, int Rank>
  void add_assignment(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                      Place place, std::string target) {
    const std::size_t number = add<To>(node, data, shape, strides, place, std::move(target));
    if (place.on_host() && is_direct<To>(node, data, shape, strides, place))
      explanation_.stages[number - 1].plan.at_once = true;
  }

  /// The evaluation of `node` as elements of type To. Returns the number of its stage, from 1; those before it have smaller ones.
  template <Element To, class Node, int Rank>
  std::size_t add(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides, Place place,
                  std::string target) {
    if constexpr (TooLargeForDevice<Node>) {
      if (!place.on_host()) return add_in_parts<To>(node, data, shape, strides, place, std::move(target));
    }
    if constexpr (Node::rank == Rank && ViewsExpression<Node>) {
      const auto from = node.operand().shape();
      if (node.shape() == shape && node.keeps_order(strides))
        return add<To>(node.operand(), data, from, storage::contiguous_strides(from), place, std::move(target));
    } else if constexpr (Node::rank == Rank && ComputesItself<Node, To>) {
      if (node.shape() == shape)
        return finish(add_itself<To>(node, data, strides, place), std::move(target), dtype_of<To>);
    }
    plan::Operand storage[Node::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, plan::fusion_of<Node>);
    if constexpr (Node::rank == Rank && NormalisesOperand<Node>) {
      if (node.shape() == shape) {
        const std::size_t number = add_normalisation(node, lowering);
        const plan::Loop loop = loop_of<To, Rank>(lowering, data, strides);
        plan_normalisation<To, Node>(explanation_.stages[number - 1], loop, lowering);
        return finish(number, std::move(target), dtype_of<To>);
      }
    }
    plan::ExplainedStage stage{.title = "elementwise"};
    stage.target = std::move(target);
    stage.written = dtype_of<To>;
    stage.place = place;
    add_node(stage, lowering, node, 0);
    const plan::Loop loop = loop_of<To, Rank>(lowering, data, strides);
    stage.plan = plan::plan_of(loop);
    if (lowering.tiled() && !lowering.normalised() && stage.plan.elements > 0) {
      stage.tile = plan::plan_of_first_tile(loop, *lowering.tiled(), fresh());
      stage.cached = static_cast<std::size_t>(lowering.tiled()->leaf);
    }
    if (lowering.normalised()) {
      plan_normalisation<To, Node>(explanation_.stages[normalised_ - 1], loop, lowering);
      stage.cached = static_cast<std::size_t>(lowering.normalised()->leaf);
      stage.normalisation = explanation_.stages[normalised_ - 1].normalisation;
    }
    stage.device = plan::element_of(device_form<Node>);
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
  }

  void note(std::string text) { explanation_.stages.back().notes.push_back(std::move(text)); }

 private:
  /// Whether evaluate_directly computes it.
  template <Element To, class Node, int Rank>
  static bool is_direct(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                        Place place) {
    if constexpr (MayBeDirect<Node, Dim<Rank>>) {
      return with_direct_operands<To>(node, data, shape, strides, place,
                                      [](const auto&, const plan::Input*, std::ptrdiff_t) {});
    } else {
      return false;
    }
  }

  std::size_t finish(std::size_t number, std::string target, DType written) {
    explanation_.stages[number - 1].target = std::move(target);
    explanation_.stages[number - 1].written = written;
    return number;
  }

  /// What plan::evaluate makes of an expression that has been lowered; there is no kernel.
  template <Element To, int Rank>
  static plan::Loop loop_of(const plan::Lowering& lowering, const void* data, const Strides<Rank>& strides) {
    plan::Loop loop{.rank = Rank,
                    .extents = lowering.extents(),
                    .target = plan::operand_at(const_cast<void*>(data), sizeof(To)),
                    .leaves = lowering.leaves(),
                    .kernel = nullptr,
                    .nodes = nullptr,
                    .place = lowering.place()};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(Rank); ++axis) loop.target.strides[axis] = strides[axis];
    return loop;
  }

  template <Element To, class Node>
  void plan_normalisation(Stage& stage, const plan::Loop& loop, const plan::Lowering& lowering) {
    using Plan = decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>()));
    constexpr bool copies = std::same_as<Plan, LeafPlan<To>> && std::same_as<compute_t<To>, To>;
    if (!loop.place.on_host()) {
      stage.device_normalisation = device_plan_of<To, Node>(loop, *lowering.normalised());
      return;
    }
    stage.normalisation = plan::plan_of(loop, *lowering.normalised(), copies);
    if (const auto& product = lowering.tiled())
      plan_rows(stage, *product, plan::row_blocks(loop, *lowering.normalised(), copies, *product));
  }

  /// Nothing is said where there is no kernel.
  template <Element To, class Node>
  static plan::DeviceNormalisingPlan device_plan_of(plan::Loop loop, const plan::Normalisation& work) {
    loop.device = {.form = &device_form<Node>, .node = nullptr, .written = dtype_of<To>};
    const auto is_text = [](plan::DeviceForm& form) { return plan::element_of(form).missing == nullptr; };
    if (!is_text(*loop.device.form) || !is_text(*work.device.form)) return {};
    return plan::device_plan(loop, work);
  }

  /// A product whose rows the stage takes block by block, or as a whole after all.
  void plan_rows(Stage& stage, const plan::TiledProduct& product, const plan::RowBlocks& blocks) {
    const auto leaf = static_cast<std::size_t>(product.leaf);
    Stage& made = explanation_.stages[stage.product_stage - 1];
    made.product = plan::plan_of_rows(product, blocks);
    if (blocks.count == 0) {
      made.target = "memory of its own";
      stage.leaves[leaf].data = static_cast<std::byte*>(fresh());
      return;
    }
    made.target = "blocks of rows, for the stage that reads them";
    stage.cached = leaf;
    stage.rows = blocks;
    if (blocks.count > 1) stage.folding.tasks = stage.normalisation.tasks = blocks.count;
  }

  /// Gives memory that stands for a part of a large expression.
  struct PartMemory {
    Explainer* explainer;

    void* operator()(Place, std::ptrdiff_t) const { return explainer->fresh(); }
  };

  /// On a GPU: operands that are too much for one kernel are stages of their own.
  template <Element To, class Node, int Rank>
  std::size_t add_in_parts(const Node& node, const void* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                           Place place, std::string target) {
    DeviceParts<PartMemory> parts(place, {this});
    const auto compute = [&]<class View, class Part>(const View& view, const Part& part) {
      const std::size_t number =
          add<typename View::value_type>(part, view.data(), view.shape(), view.strides(), place, "memory of its own");
      parts_.emplace_back(view.data(), number);
    };
    return add<To>(parts.split(node, compute), data, shape, strides, place, std::move(target));
  }

  /// The stage of a node that computes itself into elements of type To, after those before it; returns its number, from 1.
  template <Element To, class Node>
  std::size_t add_itself(const Node& node, const void* data, const Strides<Node::rank>& strides, Place place) {
    if constexpr (ReducesOperand<Node>) {
      return add_reduction<To>(node, data, strides, place);
    } else if constexpr (MultipliesOperands<Node>) {
      return add_product(node, data, strides, place);
    } else {
      return add_moved<To>(node, data, strides, place);
    }
  }

  /// A node that moves elements of its operands to other positions: elementwise work on them is done on the way.
  template <Element To, class Node>
  std::size_t add_moved(const Node& node, const void* data, const Strides<Node::rank>& strides, Place place) {
    Stage stage{.kind = Stage::Kind::moved};
    if constexpr (requires { Node::name; }) stage.title = Node::name;
    stage.target = "memory of its own";
    stage.written = dtype_of<compute_t<typename Node::value_type>>;
    stage.place = place;
    add_line(stage, 0, stage.title, dtype_of<typename Node::value_type>, to_string(node.shape()), "");
    if constexpr (requires { node.operand(); }) {
      add_moves<To>(stage, node.operand(), data, strides, [&](const plan::Loop& loop, const plan::LoopBody& add_move) {
        node.template for_each_loop<To>(loop, add_move);
      });
    } else {
      const auto add_part = [&]<bool is_straight, class Part>(const Part& part, To* slice, const auto& inner) {
        if constexpr (is_straight) {
          const std::size_t number = add<To>(part, slice, part.shape(), inner, place, "its part of the result");
          add_result(stage, 1, dtype_of<typename Part::value_type>, to_string(part.shape()), number);
        } else {
          add_moves<To>(stage, part, slice, inner,
                        [](const plan::Loop& loop, const plan::LoopBody& add_move) { add_move(loop); });
        }
      };
      node.for_each_part(static_cast<To*>(const_cast<void*>(data)), strides, add_part);
    }
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
  }

  /// The loops that `for_each_loop` makes of the one over an operand's elements.
  template <Element To, class Node>
  void add_moves(Stage& stage, const Node& node, const void* data, const auto& strides, const auto& for_each_loop) {
    constexpr std::size_t most = 16;
    plan::Operand storage[Node::leaf_count + 1];
    plan::Lowering lowering(storage, node.shape().extents(), stage.place, plan::Fusion::none);
    add_node(stage, lowering, node, 1);
    plan::Loop all = loop_of<To, Node::rank>(lowering, data, strides);
    all.device = {.form = &device_form<Node>, .node = nullptr, .written = dtype_of<To>};
    for_each_loop(all, [&](const plan::Loop& loop) {
      ++stage.moves_count;
      if (stage.moves.size() < most) stage.moves.push_back({plan::plan_of(loop), plan::element_of(*loop.device.form)});
    });
  }

  /// A stage that takes values along axes of its operand, which it registers with `lowering`.
  template <class Node>
  Stage stage_along_axes(const Node& node, plan::Lowering& lowering, Stage::Kind kind) {
    const auto& operand = node.operand();
    using Operand = std::remove_cvref_t<decltype(operand)>;
    Stage stage{.kind = kind, .title = Node::name};
    stage.target = "memory of its own";
    stage.written = dtype_of<compute_t<typename Node::value_type>>;
    stage.place = lowering.place();
    add_line(stage, 0, Node::name, dtype_of<typename Node::value_type>, to_string(node.shape()),
             plan::reduced_axes_text(Node::reduced));
    add_node(stage, lowering, operand, 1);
    stage.reduction.rank = Operand::rank;
    stage.reduction.extents = lowering.extents();
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(Operand::rank); ++axis)
      stage.reduction.reduced[axis] = Node::reduced[axis];
    stage.leaves.assign(lowering.leaves().begin(), lowering.leaves().end());
    stage.device = plan::element_of(device_form<Operand>);
    return stage;
  }

  template <Element To, class Node>
  std::size_t add_reduction(const Node& node, const void* data, const Strides<Node::rank>& strides, Place place) {
    using Operand = std::remove_cvref_t<decltype(node.operand())>;
    const auto shape = node.operand().shape();
    plan::Operand storage[Operand::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, Node::fusion);
    Stage stage = stage_along_axes(node, lowering, Stage::Kind::reduction);
    const plan::Reduction work =
        node.template reduction<To>(lowering, static_cast<To*>(const_cast<void*>(data)), strides);
    if (place.on_host()) {
      stage.folding = plan::plan_of(work);
      if (const auto& product = lowering.tiled()) plan_rows(stage, *product, plan::row_blocks(work, *product));
    } else {
      stage.device_folding = plan::device_plan(work);
    }
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
  }

  /// A normalisation that is left to the evaluator of what is lowered.
  template <class Node>
  std::size_t add_normalisation(const Node& node, plan::Lowering& lowering) {
    using Value = compute_t<typename Node::value_type>;
    using Operand = std::remove_cvref_t<decltype(node.operand())>;
    const auto shape = node.shape();
    plan::Lowering inner(lowering, lowering.spare_leaves(Operand::leaf_count + 1), Node::fusion);
    Stage stage = stage_along_axes(node, inner, Stage::Kind::normalisation);
    const plan::Kernel some = [](const void*, void*, const plan::Input*, std::ptrdiff_t) {};
    lowering.normalise(node.normalisation(inner, Node::values_are_elements ? nullptr : some, nullptr), shape.extents(),
                       storage::contiguous_strides(shape), sizeof(Value));
    explanation_.stages.push_back(std::move(stage));
    normalised_ = explanation_.stages.size();
    return normalised_;
  }

  /// The stage of a product without its factors.
  template <class Node>
  static Stage stage_of_product(const Node& node, Place place) {
    Stage stage{.kind = Stage::Kind::product, .title = Node::name};
    stage.target = "memory of its own";
    stage.written = dtype_of<compute_t<typename Node::value_type>>;
    stage.place = place;
    add_line(stage, 0, Node::name, dtype_of<typename Node::value_type>, to_string(node.shape()), "");
    return stage;
  }

  /// Makes a product's factors as FactorMaker does: an array stays where it is, or a stage before this one fills other memory.
  struct FactorExplainer {
    Explainer* explainer;
    Stage* stage;

    template <Element T, bool Left, class Node>
    Factor<Node::rank> make(const Node& node, Place place, bool for_blas, bool evaluates = false) const {
      if constexpr (FactorInMemory<Node, T>) {
        if (stays<T, Left>(node, place, for_blas)) {
          plan::Operand storage[Node::leaf_count + 1];
          plan::Lowering lowering(storage, node.shape().extents(), place, plan::Fusion::none);
          explainer->add_node(*stage, lowering, node, 1);
          return {node.array().data(), node.array().strides(), nullptr, dtype_of<typename Node::value_type>};
        }
      }
      const auto shape = node.shape();
      const auto strides = storage::contiguous_strides(shape);
      const void* const data = explainer->fresh();
      const bool in_blocks = EvaluatedInBlocks<Node, T> && evaluates;
      const std::size_t number =
          explainer->add<T>(node, data, shape, strides, place,
                            in_blocks ? "blocks, for the product that reads them" : "memory of its own");
      add_result(*stage, 1, dtype_of<T>, to_string(shape), number);
      static constexpr plan::Loop example{};
      return {data, strides, nullptr, dtype_of<T>, in_blocks ? &example : nullptr};
    }
  };

  template <class Node>
  std::size_t add_product(const Node& node, const void* data, const Strides<Node::rank>& strides, Place place) {
    Stage stage = stage_of_product(node, place);
    const bool transposes = node.writing(strides).way == ProductWriting::Way::columns;
    const auto factors = node.factors_by(FactorExplainer{this, &stage}, place, transposes);
    return add_product(node, std::move(stage), factors, data, strides);
  }

  template <class Node>
  std::size_t add_product(const Node& node, Stage stage, const typename Node::Factors& factors, const void* data,
                          const Strides<Node::rank>& strides) {
    const ProductWriting to = node.writing(strides);
    const bool copied = to.way == ProductWriting::Way::copied;
    stage.is_transposed = to.way == ProductWriting::Way::columns;
    stage.product = plan::plan_of(
        node.work(factors, copied ? storage::contiguous_strides(node.shape()) : strides, stage.is_transposed),
        {.data = copied ? fresh() : const_cast<void*>(data), .row = to.row});
    if (copied) stage.notes.push_back("through a temporary, copied to where its elements are at the end");
    explanation_.stages.push_back(std::move(stage));
    return explanation_.stages.size();
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
      if (lowering.may_normalise(node.shape().extents())) {
        const std::size_t number = add_normalisation(node, lowering);
        explanation_.stages[number - 1].target = "the cache, for the stage that reads it";
        add_result(stage, depth, dtype_of<Value>, to_string(node.shape()), number);
      } else {
        const auto shape = node.shape();
        const void* const data = fresh();
        const std::size_t number =
            add<Value>(node, data, shape, storage::contiguous_strides(shape), lowering.place(), "memory of its own");
        add_result<Value>(stage, lowering, node, depth, number, data);
      }
    } else if constexpr (ReducesOperand<Node>) {
      const void* const data = fresh();
      const std::size_t number =
          add_reduction<Value>(node, data, storage::contiguous_strides(node.shape()), lowering.place());
      add_result<Value>(stage, lowering, node, depth, number, data);
    } else if constexpr (MultipliesOperands<Node>) {
      Stage made = stage_of_product(node, lowering.place());
      const auto factors = node.factors_by(FactorExplainer{this, &made}, lowering.place(), false);
      if (Node::rank == 2 && Node::fusible == 1 && lowering.try_tile(node.matrices(factors))) {
        made.product = plan::plan_of_tiled(*lowering.tiled());
        made.target = "tiles, for the stage that reads it";
        explanation_.stages.push_back(std::move(made));
        stage.product_stage = explanation_.stages.size();
        add_result(stage, depth, dtype_of<Value>, to_string(node.shape()), stage.product_stage);
      } else {
        const void* const data = fresh();
        const std::size_t number =
            add_product(node, std::move(made), factors, data, storage::contiguous_strides(node.shape()));
        add_result<Value>(stage, lowering, node, depth, number, data);
      }
    } else if constexpr (ViewsExpression<Node>) {
      const auto from = node.operand().shape();
      const auto* const data = static_cast<const Value*>(fresh());
      const std::size_t number = add<Value>(node.operand(), data, from, storage::contiguous_strides(from),
                                            lowering.place(), "memory of its own");
      lowering.add(data + node.layout().offset, node.shape().extents(), node.layout().strides, sizeof(Value),
                   lowering.place());
      add_result(stage, depth, dtype_of<Value>, to_string(node.shape()), number);
    } else if constexpr (ComputesItself<Node, Value>) {
      const void* const data = fresh();
      const auto strides = storage::contiguous_strides(node.shape());
      const std::size_t number = add_moved<Value>(node, data, strides, lowering.place());
      add_result<Value>(stage, lowering, node, depth, number, data);
    } else {
      add_other(stage, lowering, node, depth);
    }
  }

  template <Element Held, class Node>
  void add_result(Stage& stage, plan::Lowering& lowering, const Node& node, int depth, std::size_t number,
                  const void* data) {
    const auto shape = node.shape();
    const auto strides = storage::contiguous_strides(shape);
    lowering.add(data, shape.extents(), strides, sizeof(Held), lowering.place());
    add_result(stage, depth, dtype_of<Held>, to_string(shape), number);
  }

  template <class Node>
  void add_array(Stage& stage, plan::Lowering& lowering, const Node& node, int depth) {
    node.lower(lowering);
    for (const auto& [data, number] : parts_) {
      if (data == node.array().data())
        return add_result(stage, depth, dtype_of<typename Node::value_type>, to_string(node.shape()), number);
    }
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

  using KnownPart = std::pair<const void*, std::size_t>;

  plan::Explanation explanation_;
  std::size_t memories_ = 0;      // that stand for results
  std::size_t normalised_ = 0;    // stage of the last normalisation that is left to an evaluator
  std::vector<KnownPart> parts_;  // of large expressions: memory and stage
};

}  // namespace tessera
