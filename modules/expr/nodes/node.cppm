module;
#include <cstddef>
export module tessera.expr:node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :conversion;
import :range_guard;

// The leaves of expressions, and what every node offers:
//   value_type, rank, place_type, expression_tag   as the ExpressionNode concept asks
//   leaf_count                                     how many leaves it can lower to
//   fusible                                        how many matrix products and normalisations in it an evaluator could compute with the rest
//   shape(), place()                               place() is empty without operands in memory
//   lower(Lowering&)                               registers its leaves and returns its plan
//   reads_memory_only                              true if all its leaves are arrays: lower() then takes any collector of leaves
//   conflicts(Written)                             writing there while this is evaluated element by element would be wrong
//   any_leaf(LeafVisitor)                          the visitor says yes to some memory that it reads
// A plan offers the type Bound<Isa>, made of the plan and the inputs. It has a value_type, and at(step, i, guard) is the value of element
// step + i of the current block, where a kernel's step begins at `step`; range_guard.cppm says what `reach` is. Bound plans are the same
// type for several instruction sets wherever they can, because the compiler keeps each type's functions.
namespace tessera {

/// Base of all nodes: what a user can do with an expression as with an array that is not there yet.
export template <class Derived, class Value, int Rank>
class ExpressionOperations : public OperandMembers<Derived, Value, Rank> {
 public:
  /// A part, as of an array: the indices move down to the arrays of an expression, so that no more is computed; a reduction, product or other
  /// operand that is computed as a whole is computed once.
  template <class... I>
    requires(sizeof...(I) > 0) && SliceIndexers<Rank, I...>
  auto operator()(const I&... indexers) const {
    return viewed(self(), [=](const auto& layout) { return storage::sliced(layout, indexers...); });
  }

  /// The elements that index arrays or masks pick, as of an array.
  template <class... I>
    requires storage::PickingIndexers<Rank, I...>
  auto operator()(const I&... indexers) const {
    return picked(self(), indexers...);
  }

  /// One element, computed alone as far as that is possible. Throws IndexError outside the shape.
  template <Positional... I>
    requires(sizeof...(I) == Rank && Rank > 0)
  auto operator()(const I&... at) const {
    return viewed(self(), [... at = Position(at).value](const auto& layout) { return storage::sliced(layout, at...); });
  }

  template <class... I>
    requires storage::TooManyIndexers<Rank, I...>
  void operator()(const I&...) const = delete;  // more indices than axes
  template <class... I>
    requires storage::TwoEllipses<Rank, I...>
  void operator()(const I&...) const = delete;  // an index may hold one ellipsis
  template <class... I>
    requires storage::NoIndexer<I...>
  void operator()(const I&...) const = delete;  // indices are integers, range(...), all, newaxis and ellipsis
  template <class... I>
    requires storage::OperandAsIndexer<Rank, I...>
  void operator()(const I&...) const = delete;  // arrays of integers and masks pick, along no more axes than there are

  /// The axes in reverse order.
  auto T() const {
    return viewed(self(), [](const auto& layout) { return storage::reversed_axes(layout); });
  }

  /// Iterates over the values, which are computed by the call.
  auto begin() const { return evaluated_begin(self()); }
  std::default_sentinel_t end() const { return {}; }

 protected:
  ExpressionOperations() = default;

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// Reads elements of one block in their compute type.
export template <Element T>
struct LeafPlan {
  int leaf;

  template <device::Isa Isa>
  struct BoundLeaf {
    using value_type = compute_t<T>;
    static constexpr bool reads_pairs = std::same_as<T, bfloat16>;
    static constexpr int leaves = 1;
    static constexpr std::size_t widest_value = sizeof(value_type);
    const T* values;
    std::ptrdiff_t along;

    [[gnu::always_inline]] BoundLeaf(const LeafPlan& from, const plan::Input* inputs)
        : values(static_cast<const T*>(inputs[from.leaf].data)), along(inputs[from.leaf].along) {}
    [[gnu::always_inline]] value_type at(std::ptrdiff_t step, std::ptrdiff_t i, const math::RangeGuard&) const {
      return load<Isa>(values[(step & along) + i]);
    }
    [[gnu::always_inline]] void advance(const LeafPlan& from, const std::ptrdiff_t* pitches) {
      values = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(values) + pitches[from.leaf]);
    }
  };
  template <device::Isa Isa>
  using Bound = BoundLeaf<loads_alike<T>(Isa)>;
};

/// One value for all elements.
template <class C>
struct ScalarPlan {
  C value;

  struct BoundScalar {
    using value_type = C;
    static constexpr bool reads_pairs = true;
    static constexpr int leaves = 0;
    static constexpr std::size_t widest_value = 1;
    C value;

    [[gnu::always_inline]] BoundScalar(const ScalarPlan& from, const plan::Input*) : value(from.value) {}
    [[gnu::always_inline]] C at(std::ptrdiff_t, std::ptrdiff_t, const math::RangeGuard&) const { return value; }
    [[gnu::always_inline]] void advance(const ScalarPlan&, const std::ptrdiff_t*) {}
  };
  template <device::Isa>
  using Bound = BoundScalar;
};

/// An array or view as an expression.
template <Elements A>
class LeafNode : public ExpressionOperations<LeafNode<A>, typename A::value_type, A::rank> {
 public:
  using expression_tag = void;
  using value_type = typename A::value_type;
  using place_type = typename A::place_type;
  static constexpr int rank = A::rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr bool reads_memory_only = true;

  explicit LeafNode(const A& array) : array_(array) {}
  explicit LeafNode(A&& array) : array_(std::move(array)) {}

  const Dim<rank>& shape() const { return array_.shape(); }
  std::optional<Place> place() const { return array_.place(); }
  const A& array() const { return array_; }

  template <class Leaves>
  [[gnu::always_inline]] LeafPlan<value_type> lower(Leaves& lowering) const {
    if constexpr (rank == 0) {  // an array of higher rank without storage is empty
      if (array_.data() == nullptr) plan::throw_no_operand_storage();
    }
    return {
        lowering.add(array_.data(), array_.shape().extents(), array_.strides(), sizeof(value_type), array_.place())};
  }
  bool conflicts(const plan::Written& written) const { return plan::conflicts(written, memory()); }
  [[gnu::noinline]] bool any_leaf(const plan::LeafVisitor& visit) const {
    if (array_.data() == nullptr) return false;
    if constexpr (ArrayHandle<A>) {
      return visit(memory(), &array_.buffer());
    } else {
      return visit(memory(), nullptr);
    }
  }

 private:
  plan::Written memory() const {
    return {array_.data(), array_.shape().extents(), array_.strides(), sizeof(value_type)};
  }

  A array_;
};

/// A scalar as an expression of rank 0.
template <Element T>
class ScalarNode : public ExpressionOperations<ScalarNode<T>, T, 0> {
 public:
  using expression_tag = void;
  using value_type = T;
  using place_type = void;
  static constexpr int rank = 0;
  static constexpr int leaf_count = 0;
  static constexpr int fusible = 0;
  static constexpr bool reads_memory_only = true;

  explicit ScalarNode(compute_t<T> value) : value_(value) {}

  compute_t<T> value() const { return value_; }

  [[gnu::always_inline]] Dim<0> shape() const { return {}; }
  [[gnu::always_inline]] std::optional<Place> place() const { return std::nullopt; }
  template <class Leaves>
  [[gnu::always_inline]] ScalarPlan<compute_t<T>> lower(Leaves&) const {
    return {value_};
  }
  [[gnu::always_inline]] bool conflicts(const plan::Written&) const { return false; }
  [[gnu::always_inline]] bool any_leaf(const plan::LeafVisitor&) const { return false; }

 private:
  compute_t<T> value_;
};

template <ArrayParameter O>
class ParameterNode;

/// The node of an operand: itself for expressions, a leaf for arrays and views.
template <Operand O>
[[gnu::always_inline]] inline auto as_node(O&& operand) {
  using Plain = std::remove_cvref_t<O>;
  if constexpr (requires { typename Plain::read_node; }) {  // a target, as what it is when it is read
    return typename Plain::read_node(operand);
  } else if constexpr (ExpressionNode<Plain>) {
    return Plain(std::forward<O>(operand));
  } else if constexpr (ArrayParameter<Plain>) {
    return ParameterNode<Plain>(operand);
  } else if constexpr (requires { operand.as_operand(); }) {
    return LeafNode(operand.as_operand());
  } else {
    return LeafNode<Plain>(std::forward<O>(operand));
  }
}

template <class O>
using node_t = decltype(as_node(std::declval<O>()));

/// The place type of several operands together: the known one, if any is known.
template <class P, class Q>
using joined_place = std::conditional_t<std::is_void_v<P> || (std::same_as<P, Place> && !std::is_void_v<Q>), Q, P>;

template <class First, class... Rest>
struct join_places {
  using type = joined_place<First, typename join_places<Rest...>::type>;
};
template <class Only>
struct join_places<Only> {
  using type = Only;
};

/// The place of the first operand that has one.
template <class First, class... Rest>
[[gnu::always_inline]] inline std::optional<Place> first_place(const First& first, const Rest&... rest) {
  if constexpr (std::is_void_v<typename First::place_type> && sizeof...(Rest) > 0) {
    return first_place(rest...);
  } else {
    return first.place();
  }
}

/// The node is a scalar or has exactly this shape.
template <int Rank, class Node>
bool has_shape(const Node& node, const Dim<Rank>& shape) {
  if constexpr (Node::rank == Rank) return node.shape() == shape;
  return Node::rank == 0;
}

/// Broadcasts shapes that are not all alike.
template <int Rank, class... Shapes>
[[gnu::noinline]] Dim<Rank> broadcast_shapes(const char* operation, Shapes... shapes) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents;
  extents.fill(1);
  const std::span<const std::ptrdiff_t> operands[] = {shapes.extents()...};
  plan::broadcast_into(extents, operands, operation);
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
  return shape;
}

/// Shape of the operands broadcast together. Throws ShapeError naming `operation`.
template <int Rank, class First, class... Rest>
[[gnu::always_inline]] inline Dim<Rank> broadcast_shape(const char* operation, const First& first,
                                                        const Rest&... rest) {
  if constexpr (((First::rank == Rank) && ... && (Rest::rank == 0))) {
    return first.shape();
  } else if constexpr (First::rank == 0 && sizeof...(Rest) > 0) {
    return broadcast_shape<Rank>(operation, rest...);
  } else {
    if constexpr (First::rank == Rank) {
      if ((has_shape(rest, first.shape()) && ...)) return first.shape();  // the usual case, without a call
    }
    return broadcast_shapes<Rank>(operation, first.shape(), rest.shape()...);
  }
}

}  // namespace tessera
