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
import :picking_gathering;
import :node;
import :parameter_node;
import :map;
import :evaluate;
import :seen;
import :picks;
import :picked_node;

// The leaf that x(indices, all) is: elements that a vector of integers picks along one axis. They are gathered in the loop that needs them.
namespace tessera {

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
  static constexpr int at = Axis;
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
  TakenNode& operator=(const TakenNode&) = delete;  // elements of a const array or of an expression are only read
  template <class S>
  void operator=(const S&) const = delete;  // elements of a const array or of an expression are only read

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return node_.place(); }

  /// An element is read at another place than its own, and indices when they are needed.
  bool conflicts(const plan::Written& written) const { return any_leaf(plan::OverlapVisitor(written)); }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit) || indices_.any_leaf(visit); }

  /// Throws IndexError for an index out of range. On a GPU the elements are gathered first.
  LeafPlan<Stored> lower(plan::Lowering& lowering) const {
    const int gathered = gathered_by_gpu<Axis, Stored>(lowering, node_, picks(), shape_.extents());
    if (gathered >= 0) return {gathered};
    auto indices = indices_in_memory(indices_);
    const plan::IndexList list{indices.data, indices.shape[0], indices.strides[0], indices.type};
    const Dim<rank> from = node_.shape();
    plan::check_indices(list, from[Axis], source_axis_);
    auto elements = materialise<Stored>(node_, lowering.place());
    const plan::PickedMemory memory{
        {.data = elements.data, .shape = from.extents(), .strides = elements.strides, .item = sizeof(Stored)}, Axis};
    const int leaf = lowering.place().on_host() ? plan::add_gathered(lowering, memory, list)
                                                : plan::gather_taken(lowering, memory, list, shape_.extents());
    if (indices.owner) lowering.keep(std::move(indices.owner));
    if (elements.owner) lowering.keep(std::move(elements.owner));
    return {leaf};
  }

  /// Writes the elements to memory of a GPU that overlaps with no operand, if their indices are there and inside; false if not.
  bool compute_on_gpu(Stored* data, const Strides<rank>& strides, Place place) const {
    return is_gathered_by_gpu<Axis, Stored>({data, strides, sizeof(Stored)}, place, node_, picks(), shape_.extents());
  }

  const Node& source() const { return node_; }
  std::tuple<IndexPick<Indices>> picks() const { return {IndexPick<Indices>(indices_, {}, source_axis_)}; }

 private:
  Node node_;
  Indices indices_;
  int source_axis_;
  Dim<rank> shape_;
};

/// One vector of indices is read where it lies.
template <class... Picks>
inline constexpr bool is_one_vector = false;
template <class Indices>
inline constexpr bool is_one_vector<IndexPick<Indices>> = Indices::rank == 1;

// taken<At>(node, picks): the leaves of elementwise nodes are picked from, not their values.

template <int At, class Node, class... Picks>
auto taken(const Node& node, const std::tuple<Picks...>& picks) {
  if constexpr (Node::rank == 0) {
    return node;
  } else if constexpr (is_one_vector<Picks...>) {
    const auto& pick = std::get<0>(picks);
    return TakenNode<Node, std::remove_cvref_t<decltype(pick.indices())>, At>(node, pick.indices(), pick.source_axis());
  } else {
    return PickedNode<Node, At, Picks...>(node, picks);
  }
}
template <int At, class Op, Element Value, class... Nodes, class... Picks>
auto taken(const MapNode<Op, Value, Nodes...>& node, const std::tuple<Picks...>& picks) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return map_of<Op, Value>([&] { return taken<At>(node.template argument<I>(), picks); }...);
  }(std::index_sequence_for<Nodes...>{});
}

/// The first of the picked axes along which number `Number` of the indexers picks.
template <int Number, class... I>
constexpr int first_axis_of_pick() {
  constexpr int axes[] = {storage::Picker<I> ? storage::axes_named<I>() : 0 ...};
  int first = 0;
  for (int k = 0; k < Number; ++k) first += axes[k];
  return first;
}

/// What an indexer picks by, or nothing: `shape` is that of what is picked from, whose axes to pick from begin at `At`.
template <int At, int Number, int Rank, int SourceRank, class... I>
auto pick_of(const Dim<Rank>& shape, const std::tuple<const I&...>& indexers) {
  using Indexer = std::remove_cvref_t<std::tuple_element_t<static_cast<std::size_t>(Number), std::tuple<I...>>>;
  if constexpr (storage::Picker<Indexer>) {
    using Pick = PickOf<node_t<const Indexer&>>;
    constexpr auto axes = storage::picked_axes_of<SourceRank, I...>();
    constexpr int first = first_axis_of_pick<Number, I...>();
    std::array<std::ptrdiff_t, static_cast<std::size_t>(Pick::axes)> extents;
    for (int axis = 0; axis < Pick::axes; ++axis) extents[static_cast<std::size_t>(axis)] = shape[At + first + axis];
    return std::tuple<Pick>(Pick(as_node(std::get<static_cast<std::size_t>(Number)>(indexers)),
                                 dim_of<Pick::axes>(extents), axes.source[static_cast<std::size_t>(first)]));
  } else {
    return std::tuple<>();
  }
}

/// The axis of what the other indexers leave at which what is picked begins.
template <int Rank, class... I>
constexpr int axis_of_picked() {
  constexpr auto axes = storage::picked_axes_of<Rank, I...>();
  return axes.leads ? 0 : axes.sliced[0];
}

template <int SourceRank, class Node, class... I>
auto picks_of(const Node& node, const I&... indexers) {
  constexpr int at = axis_of_picked<SourceRank, I...>();
  const auto shape = Dim<Node::rank>(node.shape());
  const std::tuple<const I&...> all_indexers(indexers...);
  return [&]<int... Number>(std::integer_sequence<int, Number...>) {
    return std::tuple_cat(pick_of<at, Number, Node::rank, SourceRank, I...>(shape, all_indexers)...);
  }(std::make_integer_sequence<int, static_cast<int>(sizeof...(I))>());
}

/// x(indexers...) with index arrays or masks among the indexers.
export template <Operand O, class... I>
  requires storage::PickingIndexers<rank_of<O>, I...>
auto picked(const O& x, const I&... indexers) {
  const auto node =
      as_node(viewed(x, [&](const auto& layout) { return storage::layout_to_pick(layout, indexers...); }));
  return taken<axis_of_picked<rank_of<O>, I...>()>(node, picks_of<rank_of<O>>(node, indexers...));
}

}  // namespace tessera
