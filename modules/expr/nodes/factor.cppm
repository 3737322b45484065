module;
#include <cstddef>
#include <cstdint>
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
import :device_source;
import :map;
import :blas_matrix;
import :evaluate;
import :part;

// The factors of matrix products in memory: where they lie unless a BLAS is to be called that does not take them so.
namespace tessera {

/// A factor in memory, where `owner` is null for the user's own, or evaluated by the product.
template <int Rank>
struct Factor {
  const void* data;
  Strides<Rank> strides;
  std::shared_ptr<const void> owner;
  DType type;
  const plan::Loop* loop = nullptr;  // of an expression that the product evaluates block by block; `data` is null
};

/// The evaluation of a node's elements as type T, block by block.
template <Element T, class Node>
class FactorLoop {
 public:
  FactorLoop(const Node& node, Place place)
      : part_(node, place), loop_(part_.loop(nullptr, storage::contiguous_strides(node.shape()))) {
    // Elements that are generated as they are needed go straight to where the product packs them.
    loop_.copies = std::same_as<lowered_t<Node>, LeafPlan<T>> && std::same_as<compute_t<T>, T>;
  }

  const plan::Loop* loop() const { return &loop_; }

 private:
  Part<T, Node> part_;
  plan::Loop loop_;
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
  return {owner->data(), strides, std::move(owner), dtype_of<T>};
}

/// An array that can be a factor of elements of type T where it lies: it has such elements, or those of 16 bits that a product reads as floats.
template <class Node, class T>
concept FactorInMemory = requires(const Node& node) { node.array(); } &&
                         (std::is_same_v<typename Node::value_type, T> ||
                          (std::is_same_v<T, float> && std::is_same_v<compute_t<typename Node::value_type>, float>));

template <class Node>
inline constexpr bool widens_bytes = false;
template <class Op, class Bytes>
  requires requires { requires Op::converts_only; }
inline constexpr bool widens_bytes<MapNode<Op, std::int32_t, Bytes>> =
    std::is_same_v<typename Bytes::value_type, std::int8_t> || std::is_same_v<typename Bytes::value_type, std::uint8_t>;

/// cast<std::int32_t>(bytes): a product of two such factors on a CPU reads the bytes.
template <class Node>
concept WidenedBytes = widens_bytes<Node>;

/// A matrix whose elements are computed one by one, without a product or a normalisation that is better computed as a whole.
template <class Node, class T>
concept EvaluatedInBlocks =
    Node::rank == 2 && Node::fusible == 0 && !FactorInMemory<Node, T> && !ComputesItself<Node, T>;

/// The array stays where it is unless a BLAS or a GPU is to multiply and cannot take it so: with both strides above 1, below 1, or 0, or elements to
/// be converted.
template <Element T, bool Left, FactorInMemory<T> Node>
bool stays(const Node& node, Place place, bool for_blas) {
  const plan::Matrix matrix = matrix_of<Left>(node.shape(), node.array().strides());
  const bool converts = !std::is_same_v<typename Node::value_type, T>;
  if (converts && (for_blas || !place.on_host())) return false;
  return !for_blas || plan::is_blas_factor(matrix, Left, std::is_same_v<T, bfloat16>);
}

/// Makes factors: a node's elements as type T, for a product that calls a BLAS or not, or that evaluates expressions. Throws PlaceError if a leaf is not at `place`.
struct FactorMaker {
  template <Element T, bool Left, class Node>
  Factor<Node::rank> make(const Node& node, Place place, bool for_blas, bool evaluates = false) const {
    if constexpr (FactorInMemory<Node, T>) {
      if (stays<T, Left>(node, place, for_blas)) {
        if (Place(node.array().place()) != place) static_cast<void>(materialise<T>(node, place));  // throws
        return {node.array().data(), node.array().strides(), nullptr, dtype_of<typename Node::value_type>};
      }
    }
    if constexpr (EvaluatedInBlocks<Node, T>) {
      if (evaluates) {
        auto source = make_shared_object<FactorLoop<T, Node>>(node, place);
        const plan::Loop* const loop = source->loop();
        return {nullptr, storage::contiguous_strides(node.shape()), std::move(source), dtype_of<T>, loop};
      }
    }
    return packed_factor<T>(node, place);
  }
};

}  // namespace tessera
