module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picked_node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :gathering;
import :picking_gathering;
import :positions;
import :node;
import :map;
import :evaluate;
import :picks;

// The leaf that x(rows, columns) and x(mask) are: elements that several index arrays, index arrays of several axes or masks pick.
namespace tessera {

template <class Node, class... Picks>
inline constexpr int rank_when_picked = Node::rank - (0 + ... + Picks::axes) + std::max({Picks::rank...});

/// The elements of a node that picks name along axis At and those behind it. What is not in memory is computed once, before.
template <class Node, int At, class... Picks>
class PickedNode : public ExpressionOperations<PickedNode<Node, At, Picks...>, typename Node::value_type,
                                               rank_when_picked<Node, Picks...>> {
  static constexpr bool is_in_memory = requires(const Node& node) { node.array(); };
  using Stored = std::conditional_t<is_in_memory, typename Node::value_type, compute_t<typename Node::value_type>>;
  static constexpr int picked = (0 + ... + Picks::axes);          // axes of the node
  static constexpr int picked_rank = std::max({Picks::rank...});  // axes of this, from At on

 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = rank_when_picked<Node, Picks...>;
  static constexpr int at = At;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = "picked elements";

  PickedNode(Node node, std::tuple<Picks...> picks) : node_(std::move(node)), picks_(std::move(picks)) {}
  PickedNode(const PickedNode&) = default;
  PickedNode(PickedNode&&) = default;
  PickedNode& operator=(const PickedNode&) = delete;  // elements of a const array or of an expression are only read
  template <class S>
  void operator=(const S&) const = delete;  // elements of a const array or of an expression are only read

  /// Throws ShapeError if what picks does not broadcast or the elements cannot be counted.
  const Dim<rank>& shape() const {
    if (!shape_) shape_ = shape_of_this();
    return *shape_;
  }
  std::optional<Place> place() const { return node_.place(); }

  /// An element is read at another place than its own, and indices when they are needed.
  bool conflicts(const plan::Written& written) const { return any_leaf(plan::OverlapVisitor(written)); }
  bool any_leaf(const plan::LeafVisitor& visit) const {
    return node_.any_leaf(visit) ||
           std::apply([&](const auto&... each) { return (each.any_leaf(visit) || ...); }, picks_);
  }

  /// Throws IndexError for an index out of range. On a GPU the elements are gathered first.
  LeafPlan<Stored> lower(plan::Lowering& lowering) const {
    const Dim<rank>& extents = shape();
    const int gathered = gathered_by_gpu<At, Stored>(lowering, node_, picks_, extents.extents());
    if (gathered >= 0) return {gathered};
    const Dim<Node::rank> from = node_.shape();
    auto elements = materialise<Stored>(node_, lowering.place());
    HeldPicks<At, Picks...> held(picks_, from.extents(), elements.strides);
    const auto picked_extents = extents.extents().template subspan<At, picked_rank>();
    const std::ptrdiff_t count = product(dim_of<picked_rank>(picked_extents));
    auto* const offsets =
        static_cast<std::int64_t*>(lowering.hold_on_host(count * static_cast<std::ptrdiff_t>(sizeof(std::int64_t))));
    plan::write_offsets(offsets, picked_extents, held.pickers());
    // In place of the axes that are picked from, one whose positions are the offsets.
    std::array<std::ptrdiff_t, static_cast<std::size_t>(Node::rank - picked + 1)> memory_shape{}, memory_strides{};
    for (int axis = 0; axis < Node::rank - picked + 1; ++axis) {
      const int source = axis < At ? axis : axis + picked - 1;
      const auto to = static_cast<std::size_t>(axis);
      memory_shape[to] = axis == At ? 0 : from[source];
      memory_strides[to] = axis == At ? 1 : elements.strides[static_cast<std::size_t>(source)];
    }
    const plan::PickedMemory memory{
        {.data = elements.data, .shape = memory_shape, .strides = memory_strides, .item = sizeof(Stored)}, At};
    const int leaf =
        lowering.place().on_host()
            ? plan::add_gathered(lowering, memory, {offsets, count, 1, DType::int64}, extents.extents())
            : plan::gather_leaf(lowering, memory, {offsets, static_cast<std::size_t>(count)}, extents.extents());
    if (elements.owner) lowering.keep(std::move(elements.owner));
    return {leaf};
  }

  /// Writes the elements to memory of a GPU that overlaps with no operand, if their indices are there and inside; false if not.
  bool compute_on_gpu(Stored* data, const Strides<rank>& strides, Place place) const {
    return is_gathered_by_gpu<At, Stored>({data, strides, sizeof(Stored)}, place, node_, picks_, shape().extents());
  }

  const Node& source() const { return node_; }
  const std::tuple<Picks...>& picks() const { return picks_; }

 private:
  Dim<rank> shape_of_this() const {
    const Dim<picked_rank> positions = shape_of_picks<picked_rank>(picks_);
    const Dim<Node::rank> from = node_.shape();
    std::array<std::ptrdiff_t, static_cast<std::size_t>(rank)> extents{};
    for (int axis = 0; axis < rank; ++axis) {
      extents[static_cast<std::size_t>(axis)] = axis < At                 ? from[axis]
                                                : axis < At + picked_rank ? positions[axis - At]
                                                                          : from[axis - picked_rank + picked];
    }
    const auto shape = dim_of<rank>(extents);
    static_cast<void>(product(shape));
    return shape;
  }

  Node node_;
  std::tuple<Picks...> picks_;
  mutable std::optional<Dim<rank>> shape_;
};

}  // namespace tessera
