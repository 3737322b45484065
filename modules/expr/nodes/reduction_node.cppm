module;
#include <cmath>
#include <cstddef>
#include <cstdint>
export module tessera.expr:reduction_node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :quotients;
import :reducers;
import :row_blocks;
import :lowering;
import :node;
import :map;
import :device_source;

// The node of a reduction along axes: fused with the expression that it reduces, a leaf of the one that it is part of.
namespace tessera {

using plan::ReduceOp;

constexpr const char* reduction_name(ReduceOp op) {
  constexpr const char* names[] = {"sum", "prod", "min", "max",    "argmin",    "argmax", "any",
                                   "all", "mean", "var", "stddev", "logsumexp", "norm"};
  return names[static_cast<int>(op)];
}

/// There is a result over no values.
constexpr bool has_neutral(ReduceOp op) {
  return op == ReduceOp::sum || op == ReduceOp::product || op == ReduceOp::any || op == ReduceOp::all ||
         op == ReduceOp::norm;
}

/// The type of a reduction's results.
template <ReduceOp Op, class T>
struct ReducedValue {
  using type = T;
};
template <ReduceOp Op, class T>
  requires(Op == ReduceOp::argmin || Op == ReduceOp::argmax)
struct ReducedValue<Op, T> {
  using type = std::int64_t;
};
template <ReduceOp Op, class T>
  requires(Op == ReduceOp::sum || Op == ReduceOp::product) && (!Floating<T>) && (!Complex<T>)
struct ReducedValue<Op, T> {
  using type = plan::accumulator_t<Op, T>;
};
template <class T>
struct ReducedValue<ReduceOp::norm, T> {
  using type = part_t<T>;
};

/// The axes that are reduced: the named ones, counted from the end when negative, or all when none is named.
template <int Rank, int... Axis>
constexpr std::array<bool, static_cast<std::size_t>(Rank)> reduced_axes() {
  std::array<bool, static_cast<std::size_t>(Rank)> reduced{};
  if (sizeof...(Axis) == 0) reduced.fill(true);
  ((reduced[static_cast<std::size_t>(Axis < 0 ? Axis + Rank : Axis)] = true), ...);
  return reduced;
}

template <int Rank, int... Axis>
constexpr bool axes_are_valid() {
  if (!((Axis >= -Rank && Axis < Rank) && ...)) return false;
  int named = 0;
  for (const bool reduced : reduced_axes<Rank, Axis...>()) named += reduced ? 1 : 0;
  return sizeof...(Axis) == 0 || named == static_cast<int>(sizeof...(Axis));
}

/// Throws ShapeError if a reduced axis has no elements.
template <int Rank>
void check_reduced_axes(const Dim<Rank>& shape, const std::array<bool, static_cast<std::size_t>(Rank)>& reduced,
                        const char* operation) {
  for (int axis = 0; axis < Rank; ++axis) {
    if (!reduced[static_cast<std::size_t>(axis)] || shape[axis] != 0) continue;
    throw ShapeError(to_string(
        Failure{.operation = operation,
                .problem = "axis " + std::to_string(axis) + " of the shape " + to_string(shape) + " has no elements",
                .advice = "there is no result over nothing"}));
  }
}

/// The result of compute type C that an accumulator stands for.
template <ReduceOp Op, class C, class A>
auto result_of(const A& a, const plan::Finish& finish) {
  if constexpr (Op == ReduceOp::argmin || Op == ReduceOp::argmax) {
    return a.index;
  } else if constexpr (Op == ReduceOp::mean) {
    return a / static_cast<part_t<A>>(finish.count);
  } else if constexpr (Op == ReduceOp::variance || Op == ReduceOp::deviation) {
    const double left = finish.count - finish.correction;
    const double variance = a.squares / (left > 0 ? left : 0);
    return static_cast<C>(Op == ReduceOp::variance ? variance : std::sqrt(variance));
  } else if constexpr (Op == ReduceOp::log_sum_exp) {
    return std::log(a.sum) + (a.largest - a.largest == 0 ? a.largest : C(0));
  } else if constexpr (Op == ReduceOp::norm) {
    if constexpr (requires { a.scale; }) return static_cast<part_t<C>>(a.scale * std::sqrt(a.sum));
    if constexpr (!requires { a.scale; }) return static_cast<part_t<C>>(std::sqrt(a.sum));
  } else {
    return a;
  }
}

/// Writes the results of accumulators of type A as elements of type To, converted as an assignment would.
template <ReduceOp Op, class C, class To>
void store_results(void* to, std::ptrdiff_t stride, const void* accumulators, std::ptrdiff_t n,
                   const plan::Finish& finish) {
  const auto* __restrict from = static_cast<const plan::accumulator_t<Op, C>*>(accumulators);
  To* __restrict results = static_cast<To*>(to);
  if (stride == 1) {
    using Sum = plan::accumulator_t<Op, C>;
    if constexpr (Op == ReduceOp::mean && std::same_as<Sum, To> && std::floating_point<To>) {
      return plan::write_quotients(results, from, n, static_cast<To>(finish.count));
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) results[i] = static_cast<To>(result_of<Op, C>(from[i], finish));
    return;
  }
  for (std::ptrdiff_t i = 0; i < n; ++i) results[i * stride] = static_cast<To>(result_of<Op, C>(from[i], finish));
}

template <bool Keep, int Rank, int Axes>
inline constexpr int reduced_rank = Keep        ? Rank
                                    : Axes == 0 ? 0
                                                : Rank - Axes;

/// A reduction of `Node` by Op along Axis... .
template <ReduceOp Op, bool Keep, class Node, int... Axis>
class ReduceNode : public ExpressionOperations<ReduceNode<Op, Keep, Node, Axis...>,
                                               typename ReducedValue<Op, typename Node::value_type>::type,
                                               reduced_rank<Keep, Node::rank, static_cast<int>(sizeof...(Axis))>> {
  using Operand = typename Node::value_type;
  using Compute = compute_t<Operand>;

 public:
  using expression_tag = void;
  using value_type = typename ReducedValue<Op, Operand>::type;
  using place_type = typename Node::place_type;
  static constexpr std::array reduced = reduced_axes<Node::rank, Axis...>();
  static constexpr int rank = reduced_rank<Keep, Node::rank, static_cast<int>(sizeof...(Axis))>;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr plan::Fusion fusion = plan::fusion_along<Node>(reduced);
  static constexpr const char* name = reduction_name(Op);

  /// Throws ShapeError if an axis without elements is reduced by an operation without a neutral element. `correction` is taken
  /// from the count of a variance.
  explicit ReduceNode(Node node, double correction = 0) : node_(std::move(node)), correction_(correction) {
    if constexpr (!has_neutral(Op)) check_reduced_axes(node_.shape(), reduced, reduction_name(Op));
  }

  Dim<rank> shape() const {
    const Dim<Node::rank> from = node_.shape();
    Dim<rank> to;
    for (int axis = 0, target = 0; axis < Node::rank; ++axis) {
      const bool gone = reduced[static_cast<std::size_t>(axis)];
      if (gone && !Keep) continue;
      to = to.with(target++, gone ? 1 : from[axis]);
    }
    return to;
  }

  std::optional<Place> place() const { return node_.place(); }
  const Node& operand() const { return node_; }

  /// Inside a larger expression the reduction is complete before anything is written.
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit); }

  /// Computes into elements of type To at `data`, whose strides belong to this node's shape.
  template <Element To>
  void compute(To* data, const Strides<rank>& strides, Place place) const {
    const Dim<Node::rank> shape = node_.shape();
    plan::Operand storage[Node::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, fusion);
    const auto lowered = node_.lower(lowering);
    compute_lowered(lowering, lowered, data, strides);
  }

  /// As a leaf of a larger expression: computed first, into memory that lives as long as the evaluation.
  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const {
    using Held = compute_t<value_type>;
    const Dim<rank> result = shape();
    const auto bytes = core::checked_multiply(product(result), static_cast<std::ptrdiff_t>(sizeof(Held)));
    auto* data = static_cast<Held*>(lowering.hold(bytes));
    const Strides<rank> strides = storage::contiguous_strides(result);
    compute(data, strides, lowering.place());
    return {lowering.add(data, result.extents(), strides, sizeof(Held), lowering.place())};
  }

  /// The reduction of what has been lowered, but for the kernel, which depends on the plan.
  template <Element To>
  plan::Reduction reduction(const plan::Lowering& lowering, To* data, const Strides<rank>& strides) const {
    plan::Reduction work{.rank = Node::rank,
                         .extents = lowering.extents(),
                         .reduced = {},
                         .target = plan::operand_at(data, sizeof(To)),
                         .leaves = lowering.leaves(),
                         .kernel = nullptr,
                         .nodes = nullptr,
                         .reducer = &plan::reducer(Op, dtype_of<Operand>),
                         .store = store_results<Op, Compute, To>,
                         .finish = {.correction = correction_},
                         .op = Op,
                         .place = lowering.place(),
                         .device = device_work<To>(node_)};
    for (int axis = 0, target = 0; axis < Node::rank; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      work.reduced[at] = reduced[at];
      if (reduced[at]) work.finish.count *= static_cast<double>(work.extents[at]);
      if (!reduced[at]) work.target.strides[at] = strides[static_cast<std::size_t>(target)];
      if (!reduced[at] || Keep) ++target;
    }
    return work;
  }

 private:
  template <Element To, class Plan>
  void compute_lowered(plan::Lowering& lowering, const Plan& lowered, To* data, const Strides<rank>& strides) const {
    plan::Reduction work = reduction(lowering, data, strides);
    constexpr bool values_are_elements = std::same_as<Plan, LeafPlan<Compute>>;  // nothing to compute before folding
    if constexpr (!values_are_elements) {
      work.kernel = kernel_of_node<Compute, Node>(lowered);
      work.folds = fold_loops_of_node<Op, Compute, Node>(lowered);
    }
    work.nodes = &lowered;
    plan::run_reduction(work, lowering.tiled());
  }

  Node node_;
  double correction_;
};

template <ReduceOp Op, bool Keep, int... Axis, class O>
auto make_reduction(O&& operand, double correction = 0) {
  auto node = as_node(std::forward<O>(operand));
  return ReduceNode<Op, Keep, decltype(node), Axis...>(std::move(node), correction);
}

}  // namespace tessera
