module;
#include <cstddef>
export module tessera.expr:factor;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import :plan;
import :lowering;
import :temporary;
import :node;
import :blas_matrix;
import :evaluate;

// The factors of matrix products in memory: where they lie unless a BLAS is to be called that does not take them so.
namespace tessera {

/// A factor in memory; `owner` is null for the user's own.
template <int Rank>
struct Factor {
  const void* data;
  Strides<Rank> strides;
  std::shared_ptr<const plan::Temporary> owner;
};

/// The matrix at the last two axes of a factor; of a vector, the row on the left or the column on the right.
template <bool Left, int Rank>
plan::Matrix matrix_of(const Dim<Rank>& shape, const Strides<Rank>& strides) {
  constexpr auto last = static_cast<std::size_t>(Rank - 1);
  if constexpr (Rank > 1) {
    return {shape[Rank - 2], shape[Rank - 1], strides[last - 1], strides[last]};
  } else if constexpr (Left) {
    return {1, shape[0], shape[0], strides[0]};
  } else {
    return {shape[0], 1, strides[0], 1};
  }
}

/// Elements of type T in row-major memory of the pool.
template <Element T, class Node>
Factor<Node::rank> packed_factor(const Node& node, Place place) {
  const Dim<Node::rank> shape = node.shape();
  const Strides<Node::rank> strides = storage::contiguous_strides(shape);
  auto owner = make_shared_object<plan::Temporary>(
      place, core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(T))));
  evaluate_into(node, static_cast<T*>(owner->data()), shape, strides, place);
  return {owner->data(), strides, std::move(owner)};
}

/// An array that can be a factor of elements of type T where it lies.
template <class Node, class T>
concept FactorInMemory = requires(const Node& node) { node.array(); } && std::is_same_v<typename Node::value_type, T>;

/// The array stays where it is unless a BLAS is to be called and cannot take it so: with both strides above 1, below 1, or 0.
template <Element T, bool Left, FactorInMemory<T> Node>
bool stays(const Node& node, bool for_blas) {
  const plan::Matrix matrix = matrix_of<Left>(node.shape(), node.array().strides());
  return !for_blas || plan::is_blas_factor(matrix, Left, std::is_same_v<T, bfloat16>);
}

/// Makes factors: a node's elements as type T, for a product that calls a BLAS or not. Throws PlaceError if a leaf is not at `place`.
struct FactorMaker {
  template <Element T, bool Left, class Node>
  Factor<Node::rank> make(const Node& node, Place place, bool for_blas) const {
    if constexpr (FactorInMemory<Node, T>) {
      if (stays<T, Left>(node, for_blas)) {
        if (Place(node.array().place()) != place) static_cast<void>(materialise<T>(node, place));  // throws
        return {node.array().data(), node.array().strides(), nullptr};
      }
    }
    return packed_factor<T>(node, place);
  }
};

}  // namespace tessera
