module;
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
export module tessera.expr:assign;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :map;
import :direct;
import :evaluate;

// Assignment: where an expression meets an array and is computed.
namespace tessera {

/// A node that may be computed by one call of its kernel.
template <class Node, class D>
concept MayBeDirect =
    ReadsMemoryOnly<Node> && Node::leaf_count > 0 && Node::leaf_count <= 8 && Node::rank == D::rank && (D::rank > 0);

template <class Node, class D>
void assign_indirectly(const D& destination, const Node& node);

/// Writes the node into existing elements. An operand that overlaps them other than element by element makes the
/// result go through a temporary array, so that the expression sees its operands as they were.
template <class Node, class D>
[[gnu::always_inline]] inline void assign_node(const D& destination, const Node& node) {
  const Place place = destination.place();
  if (!place.on_host()) plan::throw_cannot_evaluate(place);
  if constexpr (MayBeDirect<Node, D>) {
    if (evaluate_directly(node, destination.data(), destination.shape(), destination.strides(), place)) return;
  }
  assign_indirectly(destination, node);
}

template <class Node, class D>
void assign_indirectly(const D& destination, const Node& node) {
  using T = typename D::value_type;
  const Place place = destination.place();
  const auto from = node.shape();
  check_broadcast(from.extents(), destination.shape().extents(), "assignment");
  const plan::Written written{destination.data(), destination.shape().extents(), destination.strides(), sizeof(T)};
  const bool aliased = ComputesItself<Node, T> ? node.overlaps(written) : node.conflicts(written);
  if (!aliased) return evaluate_into(node, destination.data(), destination.shape(), destination.strides(), place);
  const Array<T, D::rank, CpuPlace> result(destination.shape());
  evaluate_into(node, result.data(), result.shape(), result.strides(), place);
  const ArrayView<T, D::rank, Place> view(result.data(), result.layout(), place);
  evaluate_into(LeafNode(view), destination.data(), destination.shape(), destination.strides(), place);
}

/// The node of a source: expressions are not copied, because that would count references.
template <Element T, Source S>
decltype(auto) as_assigned_node(const S& source) {
  if constexpr (Expression<S>) {
    return (source);
  } else if constexpr (Operand<S>) {
    return as_node(source);
  } else if constexpr (WeakWith<S, T>) {
    return ScalarNode<T>(static_cast<compute_t<T>>(source));
  } else {
    return ScalarNode<S>(source);
  }
}

[[noreturn]] inline void throw_no_storage(const std::string& shape) {
  throw ShapeError(to_string(Failure{.operation = "assignment",
                                     .problem = "the array on the left has no storage",
                                     .operands = {"the right side is " + shape},
                                     .advice = "give it a shape first, or assign an expression of its full rank"}));
}

/// Evaluates `source` into the array's storage, broadcast to its shape. An array without storage gets some of the source's
/// shape, at the source's place. Throws ShapeError, PlaceError, DeviceError, OutOfMemory; the elements are then as before.
export template <Element T, int Rank, AnyPlace P, class S>
  requires AssignableSource<S, T, Rank, P>
[[gnu::always_inline]] inline void assign(Array<T, Rank, P>& destination, const S& source) {
  const auto& node = as_assigned_node<T>(source);
  using Node = std::remove_cvref_t<decltype(node)>;
  if (static_cast<bool>(destination)) return assign_node(destination, node);
  if constexpr (Node::rank == Rank) {
    Array<T, Rank, P> fresh(node.shape(), place_cast<P>(node.place().value_or(Place(P{}))));
    assign_node(fresh, node);
    destination = std::move(fresh);
  } else {
    throw_no_storage(to_string(node.shape()));
  }
}

/// Writes the elements of an array or view that cannot get new storage.
export template <Elements D, class S>
  requires AssignableSource<S, typename D::value_type, D::rank, typename D::place_type>
[[gnu::always_inline]] inline void assign(const D& destination, const S& source) {
  const auto& node = as_assigned_node<typename D::value_type>(source);
  if constexpr (ArrayHandle<D>) {
    if (!static_cast<bool>(destination)) throw_no_storage(to_string(node.shape()));
  }
  assign_node(destination, node);
}

/// The expression's elements in a new array of its own element type, shape and place.
export template <Operand O>
auto evaluate(const O& operand) {
  const auto& node = as_assigned_node<value_of<O>>(operand);
  using Node = std::remove_cvref_t<decltype(node)>;
  using P = std::conditional_t<std::is_void_v<typename Node::place_type>, Place, typename Node::place_type>;
  Array<typename Node::value_type, Node::rank, P> result;
  assign(result, node);
  return result;
}

}  // namespace tessera
