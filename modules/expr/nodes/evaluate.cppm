module;
#include <cstddef>
export module tessera.expr:evaluate;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import :plan;
import :normalising;
import :lowering;
import :temporary;
import :node;
import :device_source;
import :product;

// Computing a node into memory.
namespace tessera {

namespace plan {

/// The plan of an expression with its kernels. `copies`: its values are those of its only leaf, of the result's type.
struct Computation {
  Kernel kernel = nullptr;
  RowsKernel rows = {};
  const void* nodes = nullptr;
  bool copies = false;
  DeviceWork device = {};
};

/// Computes every element of the destination, which must not conflict with the leaves.
void evaluate(const Lowering& lowering, const storage::StridedMemory& destination, const Computation& computation);

/// The same by way of a temporary array if the destination conflicts with a leaf, all of which are in memory. Throws OutOfMemory.
void evaluate_safely(const Lowering& lowering, const storage::StridedMemory& destination,
                     const Computation& computation);

/// Copies row-major elements of so many bytes into a destination of this shape, on all threads.
void copy_elements(const void* from, std::span<const std::ptrdiff_t> shape, const storage::StridedMemory& destination,
                   Place place);

}  // namespace plan

/// The computation of a node and of what it has been lowered to into elements of type To, of a destination of place type P.
template <Element To, class P = Place, class Node, class Plan>
[[gnu::always_inline]] inline plan::Computation computation_of(const Node& node, const Plan& lowered) {
  return {.kernel = kernel_of_node<To, Node, P>(lowered),
          .rows = rows_kernel_of_node<To, Node, P>(lowered),
          .nodes = &lowered,
          .copies = std::same_as<Plan, LeafPlan<To>> && std::same_as<compute_t<To>, To>,
          .device = device_work<To>(node)};
}

/// A node that computes its own elements better than one by one, in its own shape: a reduction, a product.
template <class Node, class To>
concept ComputesItself = requires(const Node& node, To* data, const Strides<Node::rank>& strides, Place place) {
  node.compute(data, strides, place);
};

/// A node that a GPU may compute into its destination without a kernel for the expression around it.
template <class Node, class To>
concept ComputesOnGpu = !std::same_as<typename Node::place_type, CpuPlace> &&
                        requires(const Node& node, To* data, const Strides<Node::rank>& strides, Place place) {
                          { node.compute_on_gpu(data, strides, place) } -> std::same_as<bool>;
                        };

/// An expression of which the evaluator computes one matrix product or normalisation together with the rest.
template <class Node>
concept FusesOne = plan::fusion_of<Node> == plan::Fusion::one;

/// Writes the node's elements, broadcast to `shape`, as elements of type To. The memory must not conflict with the operands.
template <Element To, class Node, int Rank>
void evaluate_elementwise(const Node& node, To* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                          Place place) {
  static_assert(Rank <= plan::most_axes, "an expression can have at most 16 axes");
  plan::Operand storage[Node::leaf_count + 1];
  plan::Lowering lowering(storage, shape.extents(), place, plan::fusion_of<Node>);
  const auto lowered = node.lower(lowering);
  plan::evaluate(lowering, {data, strides, sizeof(To)}, computation_of<To>(node, lowered));
}

/// As evaluate_elementwise, letting the node compute itself where it can.
template <Element To, class Node, int Rank>
void evaluate_into(const Node& node, To* data, const Dim<Rank>& shape, const Strides<Rank>& strides, Place place) {
  if constexpr (Node::rank == Rank && ComputesItself<Node, To>) {
    if (node.shape() == shape) return node.compute(data, strides, place);
  }
  if constexpr (Node::rank == Rank && ComputesOnGpu<Node, To>) {
    if (!place.on_host() && node.shape() == shape && node.compute_on_gpu(data, strides, place)) return;
  }
  evaluate_elementwise(node, data, shape, strides, place);
}

/// Elements of a node in memory, row-major unless they were there already.
template <Element T, int Rank>
struct Materialised {
  const T* data;
  Dim<Rank> shape;
  Strides<Rank> strides;
  std::shared_ptr<const plan::Temporary> owner;  // null for the user's own memory
};

/// The node's elements as type T: its own memory for a leaf of T, computed into the pool otherwise. Throws PlaceError if a leaf
/// is not at `place`.
template <Element T, class Node>
Materialised<T, Node::rank> materialise(const Node& node, Place place) {
  if constexpr (requires { node.array(); } && std::same_as<typename Node::value_type, T>) {
    plan::Operand storage[1];
    plan::Lowering(storage, node.shape().extents(), place, plan::Fusion::none)
        .add(node.array().data(), node.shape().extents(), node.array().strides(), sizeof(T), node.array().place());
    return {node.array().data(), node.shape(), node.array().strides(), nullptr};
  } else {
    const Dim<Node::rank> shape = node.shape();
    const Strides<Node::rank> strides = storage::contiguous_strides(shape);
    auto owner = make_shared_object<plan::Temporary>(place, core::checked_multiply(product(shape), sizeof(T)));
    T* data = static_cast<T*>(owner->data());
    evaluate_into(node, data, shape, strides, place);
    return {data, shape, strides, std::move(owner)};
  }
}

}  // namespace tessera
