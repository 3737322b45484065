module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:taken_node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :gathering;
import :node;
import :parameter_node;
import :map;
import :evaluate;
import :seen;

// The leaf that x(indices, all) is: elements that a vector of integers picks along one axis. They are gathered in the loop that needs them.
namespace tessera {

/// Throws PlaceError: what is picked is on a GPU, or the indices are.
[[noreturn]] void throw_picked_on_device(const char* what, Place place);

/// A vector of indices in memory of the host, and what keeps it.
struct HeldIndices {
  plan::IndexList list;
  std::shared_ptr<const void> owner;  // null for the user's own memory
};

/// Indices of the types that loops gather by are read where they are; others become int64 first.
template <class Indices>
HeldIndices indices_in_memory(const Indices& node) {
  using I = typename Indices::value_type;
  constexpr bool is_wide = std::same_as<I, std::uint64_t>;
  using Read = std::conditional_t<is_wide || std::same_as<I, std::int32_t>, I, std::int64_t>;
  const Place place = node.place().value_or(Place(CpuPlace{}));
  if (!place.on_host()) throw_picked_on_device("the indices are", place);
  const auto held = materialise<Read>(node, place);
  return {{held.data, held.shape[0], held.strides[0], dtype_of<Read>}, held.owner};
}

/// The elements of a node at the positions along axis Axis that another node's integers name, negative ones from the end. An expression
/// that is not elementwise is computed once, before.
template <class Node, class Indices, int Axis>
class TakenNode : public ExpressionOperations<TakenNode<Node, Indices, Axis>, typename Node::value_type, Node::rank> {
  static constexpr bool is_in_memory = requires(const Node& node) { node.array(); };
  using Stored = std::conditional_t<is_in_memory, typename Node::value_type, compute_t<typename Node::value_type>>;

 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = Node::rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = "picked elements";

  /// `source_axis` is the axis of the user's array, for messages. Throws ShapeError if the elements cannot be counted.
  TakenNode(Node node, Indices indices, int source_axis)
      : node_(std::move(node)), indices_(std::move(indices)), source_axis_(source_axis) {
    const Dim<1> count = indices_.shape();
    shape_ = Dim<rank>(node_.shape()).with(Axis, count[0]);
    static_cast<void>(product(shape_));
  }
  TakenNode(const TakenNode&) = default;
  TakenNode(TakenNode&&) = default;
  TakenNode& operator=(const TakenNode&) =
      delete;  // picked elements are only read: write rows one by one, x(i, all) = ...
  template <class S>
  void operator=(const S&) const = delete;  // picked elements are only read: write rows one by one, x(i, all) = ...

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return node_.place(); }

  /// An element is read at another place than its own, and indices when they are needed.
  bool conflicts(const plan::Written& written) const { return any_leaf(plan::OverlapVisitor(written)); }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit) || indices_.any_leaf(visit); }

  /// Throws IndexError for an index out of range, PlaceError on a GPU.
  LeafPlan<Stored> lower(plan::Lowering& lowering) const {
    if (!lowering.place().on_host()) throw_picked_on_device("the array is", lowering.place());
    HeldIndices indices = indices_in_memory(indices_);
    const Dim<rank> from = node_.shape();
    plan::check_indices(indices.list, from[Axis], source_axis_);
    auto elements = materialise<Stored>(node_, lowering.place());
    const int leaf = plan::add_gathered(lowering,
                                        {.data = elements.data,
                                         .shape = from.extents(),
                                         .strides = elements.strides,
                                         .item = sizeof(Stored),
                                         .axis = Axis},
                                        indices.list);
    if (indices.owner) lowering.keep(std::move(indices.owner));
    if (elements.owner) lowering.keep(std::move(elements.owner));
    return {leaf};
  }

 private:
  Node node_;
  Indices indices_;
  int source_axis_;
  Dim<rank> shape_;
};

// taken<Axis>(node, indices, source axis): the leaves of elementwise nodes are picked from, not their values.

template <int Axis, class Node, class Indices>
auto taken(const Node& node, const Indices& indices, int source_axis) {
  if constexpr (Node::rank == 0) {
    return node;
  } else {
    return TakenNode<Node, Indices, Axis>(node, indices, source_axis);
  }
}
template <int Axis, class Op, Element Value, class... Nodes, class Indices>
auto taken(const MapNode<Op, Value, Nodes...>& node, const Indices& indices, int source_axis) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return map_of<Op, Value>([&] { return taken<Axis>(node.template argument<I>(), indices, source_axis); }...);
  }(std::index_sequence_for<Nodes...>{});
}

/// x(indexers...) with one vector of indices among the indexers.
export template <Operand O, class... I>
  requires storage::PickingIndexers<rank_of<O>, I...>
auto picked(const O& x, const I&... indexers) {
  constexpr storage::PickedAxis axis = storage::picked_axis<rank_of<O>, I...>();
  const auto node =
      as_node(viewed(x, [&](const auto& layout) { return storage::layout_to_pick(layout, indexers...); }));
  return taken<axis.leads ? 0 : axis.sliced>(node, as_node(storage::index_vector(indexers...)), axis.source);
}

}  // namespace tessera
