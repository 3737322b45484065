module;
#include <cstddef>
export module tessera.expr:device_split;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :lowering;
import :node;
import :map;
import :temporary;
import :device_source;

// Expressions with more operands than one kernel's arguments can hold: parts of them are computed first.
namespace tessera {

/// Bytes that the arguments of a node's kernel take at most.
template <class Node>
constexpr std::size_t device_argument_bytes() {
  constexpr std::size_t sizes = 256;  // the target, and extents
  constexpr std::size_t leaf = 8 + 8 * static_cast<std::size_t>(Node::rank);
  return sizes + static_cast<std::size_t>(Node::leaf_count) * leaf +
         static_cast<std::size_t>(DeviceNode<Node>::scalars * plan::scalar_slot);
}

/// What CUDA takes on every device.
inline constexpr std::size_t most_device_argument_bytes = 4096;

/// A node whose arguments do not fit one kernel, and that has operands of which some can be computed first.
template <class Node>
concept TooLargeForDevice =
    requires { Node::argument_count; } && device_argument_bytes<Node>() > most_device_argument_bytes;

/// Memory of the pool that lives as long as this.
class DeviceMemory {
 public:
  void* operator()(Place place, std::ptrdiff_t bytes) {
    return memory_.emplace_back(std::make_unique<plan::Temporary>(place, bytes))->data();
  }

 private:
  std::vector<std::unique_ptr<plan::Temporary>> memory_;
};

/// Operands of one node that are computed first, into what `Memory` gives for a place and a number of bytes.
template <class Memory = DeviceMemory>
class DeviceParts {
 public:
  explicit DeviceParts(Place place, Memory memory = {}) : place_(place), memory_(std::move(memory)) {}

  /// The node on its operands, of which `compute(view, operand)` has computed the large ones.
  template <class Op, Element Value, class... Nodes, class Compute>
  auto split(const MapNode<Op, Value, Nodes...>& node, const Compute& compute) {
    constexpr std::size_t share = most_device_argument_bytes / (2 * sizeof...(Nodes));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return map_of<Op, Value>([&] { return part<share>(node.template argument<I>(), compute); }...);
    }(std::index_sequence_for<Nodes...>{});
  }

 private:
  template <std::size_t Share, class Node, class Compute>
  auto part(const Node& node, const Compute& compute) {
    if constexpr (device_argument_bytes<Node>() <= Share || !requires { Node::argument_count; }) {
      return node;
    } else {
      using Held = compute_t<typename Node::value_type>;
      const Dim<Node::rank> shape = node.shape();
      const auto bytes = core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(Held)));
      const ArrayView<Held, Node::rank, Place> view(static_cast<Held*>(memory_(place_, bytes)),
                                                    {.shape = shape, .strides = storage::contiguous_strides(shape)},
                                                    place_);
      compute(view, node);
      return LeafNode(view);
    }
  }

  Place place_;
  Memory memory_;
};

}  // namespace tessera
