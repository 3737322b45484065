module;
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
export module tessera.expr:statistics;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operators;
import :functions;
import :arithmetic;
import :reduction;

// Averages and normalised exponentials, composed of reductions.
namespace tessera {

/// Number of elements behind each result of a reduction. Throws ShapeError if there are none.
template <int... Axis, class Node>
std::ptrdiff_t reduced_count(const Node& node, const char* operation) {
  const auto shape = node.shape();
  std::ptrdiff_t count = 1;
  for (int axis = 0; axis < Node::rank; ++axis) {
    if (reduced_axes<Node::rank, Axis...>()[static_cast<std::size_t>(axis)]) count *= shape[axis];
  }
  if (count == 0) {
    throw ShapeError(
        to_string(Failure{.operation = operation,
                          .problem = "the shape " + to_string(shape) + " has no elements along the reduced axes",
                          .advice = "there is no mean of nothing"}));
  }
  return count;
}

/// Mean along the named axes, or of all elements. Throws ShapeError over an empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto mean(O&& x) {
  auto node = as_node(std::forward<O>(x));
  const auto count = static_cast<double>(reduced_count<Axis...>(node, "mean"));
  return sum<Axis...>(std::move(node)) / count;
}
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto mean(O&& x, KeepDims) {
  auto node = as_node(std::forward<O>(x));
  const auto count = static_cast<double>(reduced_count<Axis...>(node, "mean"));
  return sum<Axis...>(std::move(node), keepdims) / count;
}

/// Variance along the named axes, or of all elements: the mean square distance from the mean (no correction). Throws ShapeError over an
/// empty axis.
export template <int... Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis...>
auto var(const O& x) {
  return mean<Axis...>(square(x - mean<Axis...>(x, keepdims)));
}

/// log(sum(e^x)) along the axis, without overflow. Throws ShapeError over an empty axis.
export template <int Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis>
auto logsumexp(const O& x, KeepDims) {
  auto largest = max<Axis>(x, keepdims);
  return log(sum<Axis>(exp(x - largest), keepdims)) + largest;
}

/// e^x / sum(e^x) along the axis, without overflow. Throws ShapeError over an empty axis.
export template <int Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis>
auto softmax(const O& x) {
  auto shifted = exp(x - max<Axis>(x, keepdims));
  return shifted / sum<Axis>(shifted, keepdims);
}

/// x - log(sum(e^x)) along the axis, without overflow. Throws ShapeError over an empty axis.
export template <int Axis, FloatingOperand O>
  requires ReducibleAxes<O, Axis>
auto log_softmax(const O& x) {
  return x - logsumexp<Axis>(x, keepdims);
}

}  // namespace tessera
