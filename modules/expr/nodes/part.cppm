module;
#include <cstddef>
export module tessera.expr:part;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import :plan;
import :lowering;
import :temporary;
import :node;
import :device_source;

// Evaluations made ready before they run, for nodes that write several of them into one destination.
namespace tessera {

/// The elementwise evaluation of a node over its own shape. Once it is constructed, operands have been checked and memory
/// has been taken, so that a failure leaves a destination untouched even when other parts are to follow.
template <Element To, class Node>
class Part {
 public:
  static_assert(Node::rank <= plan::most_axes, "an expression can have at most 16 axes");

  /// The node must live as long as this. Throws what lowering throws: PlaceError, ShapeError, OutOfMemory.
  Part(const Node& node, Place place)
      : node_(node),
        lowering_(storage_, node.shape().extents(), place, plan::Fusion::none),
        plan_(node.lower(lowering_)) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// The loop that writes to `data`; valid as long as the part.
  plan::Loop loop(To* data, const Strides<Node::rank>& strides) const {
    plan::Loop loop{.rank = Node::rank,
                    .extents = lowering_.extents(),
                    .target = plan::operand_at(data, sizeof(To)),
                    .leaves = lowering_.leaves(),
                    .kernel = kernel_of_node<To, Node>(plan_),
                    .rows = rows_kernel_of_node<To, Node>(plan_),
                    .nodes = &plan_,
                    .place = lowering_.place(),
                    .device = device_work<To>(node_)};
    for (int axis = 0; axis < Node::rank; ++axis)
      loop.target.strides[static_cast<std::size_t>(axis)] = strides[static_cast<std::size_t>(axis)];
    return loop;
  }

 private:
  const Node& node_;
  plan::Operand storage_[Node::leaf_count + 1];
  plan::Lowering lowering_;
  decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>())) plan_;
};

/// A node that computes itself as a leaf of a larger expression: computed first, into memory that lives as long as the evaluation.
template <class Node>
LeafPlan<compute_t<typename Node::value_type>> computed_leaf(const Node& node, plan::Lowering& lowering) {
  using Held = compute_t<typename Node::value_type>;
  const Dim<Node::rank> shape = node.shape();
  const auto bytes = core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(Held)));
  auto memory = make_shared_object<plan::Temporary>(lowering.place(), bytes);
  const Strides<Node::rank> strides = storage::contiguous_strides(shape);
  node.compute(static_cast<Held*>(memory->data()), strides, lowering.place());
  const int leaf = lowering.add(memory->data(), shape.extents(), strides, sizeof(Held), lowering.place());
  lowering.keep(std::move(memory));
  return {leaf};
}

}  // namespace tessera
