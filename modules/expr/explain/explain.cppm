module;
#include <cstddef>
export module tessera.expr:explain;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :evaluate;
import :assign;
import :explanation;
import :explainer;

// explain(expression): what an assignment would do, in words and numbers. Nothing is computed.
namespace tessera {

/// How `expression` would be computed into a new array of its own element type and shape, as text: the tree of nodes; the plan
/// after simplification (axes, strides, how each operand is delivered, blocks, instruction set, threads); bytes and operations an
/// element; which operations vectorise, timed one by one on sample values; the CUDA text. Reductions and products are stages of
/// their own. Nothing is computed and no array changes. Throws PlaceError for operands on different places,
/// DeviceError where a BLAS is chosen for products of bfloat16 and cannot be opened.
export template <Operand O>
std::string explain(const O& expression) {
  const storage::ExamplesStandIn parameters;
  const auto node = as_node(expression);
  using T = typename std::remove_const_t<decltype(node)>::value_type;
  const Dim<rank_of<O>> shape = node.shape();
  Explainer explainer;
  explainer.add_assignment<T>(node, explainer.fresh(), shape, storage::contiguous_strides(shape),
                              node.place().value_or(Place(CpuPlace{})), "a new array");
  return plan::to_string(explainer.take());
}

/// As explain(expression) for the assignment `destination = source`, which has storage: with its strides, and with the temporary
/// that memory shared with an operand makes necessary. Throws ShapeError if the source does not broadcast to it.
export template <Elements D, class S>
  requires AssignableSource<S, typename D::value_type, D::rank, typename D::place_type>
std::string explain(const D& destination, const S& source) {
  using T = typename D::value_type;
  const storage::ExamplesStandIn parameters;
  const auto& node = as_assigned_node<T>(source);
  using Node = std::remove_cvref_t<decltype(node)>;
  if constexpr (ArrayHandle<D>) {
    if (!destination.has_storage()) throw_no_storage(to_string(node.shape()));
  }
  const auto from = node.shape();
  storage::check_broadcast(from.extents(), destination.shape().extents(), "explain");
  const plan::Written written{destination.data(), destination.shape().extents(), destination.strides(), sizeof(T)};
  const bool aliased = ComputesItself<Node, T> ? node.any_leaf(plan::OverlapVisitor(written)) : node.conflicts(written);
  Explainer explainer;
  if (!aliased) {
    explainer.add_assignment<T>(node, destination.data(), destination.shape(), destination.strides(),
                                destination.place(), "the destination");
  } else {
    explainer.add<T>(node, explainer.fresh(), destination.shape(), storage::contiguous_strides(destination.shape()),
                     destination.place(), "a temporary");
    explainer.note("a temporary of " +
                   std::to_string(product(destination.shape()) * static_cast<std::ptrdiff_t>(sizeof(T))) +
                   " bytes, copied to the destination at the end: an operand shares memory with the destination other "
                   "than element by element");
  }
  return plan::to_string(explainer.take());
}

}  // namespace tessera
