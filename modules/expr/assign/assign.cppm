module;
#include <cstddef>
#include <new>
export module tessera.expr:assign;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import :plan;
import :expression_name;
import :accesses;
import :ordered;
import :deferred;
import :lowering;
import :temporary;
import :node;
import :parameter_node;
import :map;
import :device_source;
import :device_split;
import :direct;
import :evaluate;

// Assignment: where an expression meets an array and is computed.
namespace tessera {

/// A node that may be computed by one call of its kernel.
template <class Node, class D>
concept MayBeDirect = !IsOnGpu<Node> && ReadsMemoryOnly<Node> && Node::leaf_count > 0 && Node::leaf_count <= 8 &&
                      Node::rank == D::rank && (D::rank > 0);

/// A product of arrays that writes straight into such elements.
template <class Node, class D>
concept MultipliesDirectly = Node::rank == D::rank && requires(const Node& node, const D& destination) {
  node.compute_directly(destination.data(), destination.shape(), destination.strides(), Place());
};

/// By way of a plan. An operand that overlaps the destination other than element by element makes the result go through a
/// temporary array, so that the expression sees its operands as they were.
template <class Node, class D>
void assign_by_plan(const D& destination, const Node& node) {
  using T = typename D::value_type;
  const Place place = destination.place();
  const auto from = node.shape();
  const Dim<D::rank>& shape = destination.shape();
  storage::check_broadcast(from.extents(), shape.extents(), "assignment");
  storage::require_distinct_elements(shape.extents(), destination.strides(), "assignment");
  if constexpr (TooLargeForDevice<Node> && !HostPlace<typename D::place_type>) {
    if (!place.on_host()) {
      DeviceParts<> parts(place);
      const auto compute = [](const auto& view, const auto& operand) { assign_by_plan(view, operand); };
      return assign_by_plan(destination, parts.split(node, compute));
    }
  }
  if constexpr (ReadsMemoryOnly<Node>) {
    static_assert(D::rank <= plan::most_axes, "an expression can have at most 16 axes");
    plan::Operand storage[Node::leaf_count + 1];
    plan::Lowering lowering(storage, shape.extents(), place, plan::Fusion::none);
    const auto lowered = node.lower(lowering);
    plan::evaluate_safely(lowering, {destination.data(), destination.strides(), sizeof(T)},
                          computation_of<T, typename D::place_type>(node, lowered));
  } else {
    const plan::Written written{destination.data(), shape.extents(), destination.strides(), sizeof(T)};
    const bool aliased =
        ComputesItself<Node, T> ? node.any_leaf(plan::OverlapVisitor(written)) : node.conflicts(written);
    if (!aliased) return evaluate_into(node, destination.data(), shape, destination.strides(), place);
    const Strides<D::rank> strides = storage::contiguous_strides(shape);
    const plan::Temporary values(place, core::checked_multiply(product(shape), sizeof(T)));
    evaluate_into(node, static_cast<T*>(values.data()), shape, strides, place);
    plan::copy_elements(values.data(), shape.extents(), {destination.data(), destination.strides(), sizeof(T)}, place);
  }
}

/// A node that writes some elements of its destination.
template <class Node>
concept WritesSome = requires(const Node& node) { node.scatter(); };

/// Writes the node into existing elements.
template <class Node, class D>
[[gnu::always_inline]] inline void assign_node(const D& destination, const Node& node) {
  if constexpr (WritesSome<Node>) return node.scatter();
  if constexpr (MayBeDirect<Node, D> && !std::same_as<typename D::place_type, GpuPlace>) {
    const Place place = destination.place();
    if (place.on_host() &&
        evaluate_directly(node, destination.data(), destination.shape(), destination.strides(), place))
      return;
  }
  if constexpr (MultipliesDirectly<Node, D> && !std::same_as<typename D::place_type, GpuPlace>) {
    if (node.compute_directly(destination.data(), destination.shape(), destination.strides(), destination.place()))
      return;
  }
  if constexpr (!WritesSome<Node>) assign_by_plan(destination, node);
}

/// As assign_node, by a call that has forgotten the types: the nodes of arrays are in memory anyway, because counting references may
/// change them.
template <class Node, class D>
[[gnu::noinline]] void compute_array(const void* destination, const void* node) {
  assign_node(*static_cast<const D*>(destination), *static_cast<const Node*>(node));
}

/// An array's side of an assignment, without its type.
template <class D>
AssignmentTarget target_of(const D& destination, bool is_name = false) {
  constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(typename D::value_type));
  return {.buffer = destination.buffer().get(),
          .memory = {destination.data(), destination.shape().extents(), destination.strides(), item},
          .place = destination.place(),
          .is_name = is_name};
}

template <class D>
[[gnu::noinline]] void compute_array_in_turn(const D& destination, const void* node, const AssignmentForm& form,
                                             void (*compute)(const void*, const void*)) {
  compute_in_turn(target_of(destination), {.destination = &destination, .node = node}, form, compute);
}

template <class Node, class D>
extern AssignmentForm assignment_form;  // NOLINT(bugprone-throwing-static-initialization): it is constinit

/// An assignment to the array that is a parameter's value in the replay that runs.
template <class Node, class D>
void compute_parameter(const void* destination, const void* node) {
  const auto& array = static_cast<const D*>(destination)->array();
  require_rest(*array.buffer(), array.size() * static_cast<std::ptrdiff_t>(sizeof(typename D::value_type)));
  using Target = std::remove_cvref_t<decltype(array)>;
  compute_array_in_turn(array, node, assignment_form<Node, D>, compute_array<Node, Target>);
}

/// An assignment that is computed when its turn comes.
template <class Node, class D>
struct DeferredAssignment {
  D destination;
  Node node;

  static void make(void* memory, const void* from) {
    const auto& operands = *static_cast<const AssignmentOperands*>(from);
    const auto* const made = ::new (memory)
        DeferredAssignment{*static_cast<const D*>(operands.destination), *static_cast<const Node*>(operands.node)};
    if constexpr (ArrayHandle<D>) made->destination.hold();
    static_cast<void>(made->node.any_leaf(plan::NameReleaser()));
  }
  static void run(void* memory) {
    const auto& self = *static_cast<DeferredAssignment*>(memory);
    if constexpr (ArrayParameter<D>) {
      compute_parameter<Node, D>(&self.destination, &self.node);
    } else {
      compute_array_in_turn(self.destination, &self.node, assignment_form<Node, D>, compute_array<Node, D>);
    }
  }
  static void drop(void* memory) noexcept { static_cast<DeferredAssignment*>(memory)->~DeferredAssignment(); }
  static void look(const void* from, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents) {
    const auto& node = *static_cast<const Node*>(from);
    static_cast<void>(node.any_leaf(visitor));
    const auto& shape = node.shape();
    for (int axis = 0; axis < Node::rank; ++axis) extents[axis] = shape[axis];
  }
};

template <class Node, class D>
inline constinit AssignmentForm assignment_form{.body = {.bytes = sizeof(DeferredAssignment<Node, D>),
                                                         .alignment = alignof(DeferredAssignment<Node, D>),
                                                         .make = DeferredAssignment<Node, D>::make,
                                                         .run = DeferredAssignment<Node, D>::run,
                                                         .drop = DeferredAssignment<Node, D>::drop},
                                                .look = DeferredAssignment<Node, D>::look,
                                                .rank = Node::rank,
                                                .name = plan::ExpressionName(function_of_node<Node>())};

/// Submits the assignment to the scheduler of this thread's Async scope; without one, computes it when that can be done.
template <class D>
[[gnu::noinline]] void assign_in_order(const D& destination, const void* node, AssignmentForm& form,
                                       void (*compute)(const void*, const void*), bool is_name) {
  assign_in_order(target_of(destination, is_name), {.destination = &destination, .node = node}, form, compute);
}

/// Computes a node into a view, when that can be done.
template <class Node, class D>
[[gnu::noinline]] void assign_view(const D& destination, const Node& node) {
  AssignmentAccesses accesses({});
  static_cast<void>(node.any_leaf(OperandVisitor(accesses)));
  wait_for(accesses, Place(destination.place()));
  compute_now(accesses, destination.place(), {.destination = &destination, .node = &node}, compute_array<Node, D>);
}

/// Computes a node into the elements of an array. `is_name`: nobody else sees them.
template <class Node, class D>
[[gnu::always_inline]] inline void assign_array(const D& destination, const Node& node, bool is_name = false) {
  if (storage::buffers_have_vars.load(std::memory_order_relaxed)) [[unlikely]]
    return assign_in_order(destination, &node, assignment_form<Node, D>, compute_array<Node, D>, is_name);
  compute_array<Node, D>(&destination, &node);
}

/// The node of a source: expressions are not copied, because that would count references.
template <Element T, Source S>
decltype(auto) as_assigned_node(const S& source) {
  if constexpr (requires { typename S::read_node; }) {
    return static_cast<const typename S::read_node&>(source);
  } else if constexpr (ExpressionNode<S>) {
    return (source);
  } else if constexpr (Operand<S>) {
    return as_node(source);
  } else {
    using Value = std::conditional_t<WeakWith<scalar_of<S>, T>, T, scalar_of<S>>;
    return scalar_node<Value>(source, ToElement<Value>());
  }
}

[[noreturn]] void throw_no_storage(const std::string& shape);

/// Throws what keeps a name from getting new storage for a value of the shape `from`: ShapeError if that is another shape which broadcasts to
/// the one that it has, SchedulerError if the assignment is being recorded.
void check_renaming(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> shape);

/// The storage is the array's own, no other name shares it, and no element is there twice. Names that `leaves` visits do not count.
bool is_own(const Buffer& buffer, std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
            const void* node, bool (*any_leaf)(const void* node, const plan::LeafVisitor& visit));

/// The values of a node that is not kept can go into the array's own storage.
template <bool IsKept, class Node, Element T, int Rank, AnyPlace P>
[[gnu::always_inline]] inline bool fits_own_storage(const Array<T, Rank, P>& destination, const Node& node) {
  const Buffer* const buffer = destination.buffer().get();
  if (buffer == nullptr) return false;
  if constexpr (Node::rank == Rank) {
    if (destination.shape() != node.shape()) return false;
    if constexpr (!HostPlace<P> && !std::is_void_v<typename Node::place_type>) {
      if (node.place() != Place(destination.place())) return false;
    }
  }
  if (buffer->names() == 1 && buffer->owns() && row_major_elements(destination.shape(), destination.strides()) > 0)
      [[likely]]
    return true;
  bool (*any_leaf)(const void*, const plan::LeafVisitor&) = nullptr;
  if constexpr (!IsKept) {
    any_leaf = [](const void* of, const plan::LeafVisitor& visit) {
      return static_cast<const Node*>(of)->any_leaf(visit);
    };
  }
  return is_own(*buffer, destination.shape().extents(), destination.strides(), &node, any_leaf);
}

/// Gives a name new storage with the values of a node; it is as before if that fails. A scalar fills the shape that it has.
template <Element T, int Rank, AnyPlace P, class Node>
[[gnu::noinline]] void assign_to_fresh(Array<T, Rank, P>& destination, const Node& node) {
  Dim<Rank> shape;
  if constexpr (Node::rank == Rank) {
    shape = node.shape();
    if (destination.has_storage()) check_renaming(shape.extents(), destination.shape().extents());
  } else {
    if (!destination.has_storage()) throw_no_storage(to_string(node.shape()));
    shape = destination.shape();
    check_renaming(shape.extents(), shape.extents());
  }
  Array<T, Rank, P> fresh(shape, place_cast<P>(node.place().value_or(Place(destination.place()))));
  assign_array(fresh, node, true);
  destination = std::move(fresh);
}

/// Gives the name `destination` the value of `source`: into its own storage if that has this shape and no other name sees it, into new
/// storage otherwise. Throws ShapeError, PlaceError, DeviceError, OutOfMemory; the name has its former value then.
export template <class T, int Rank, AnyPlace P, class S>
  requires NamedSource<S, std::remove_const_t<T>, Rank, P>
[[gnu::always_inline]] inline void assign_name(Array<T, Rank, P>& destination, S&& source) {
  const auto& node = as_assigned_node<std::remove_const_t<T>>(source);
  if constexpr (std::is_const_v<T>) {
    Array<std::remove_const_t<T>, Rank, P> fresh;
    assign_to_fresh(fresh, node);
    destination = fresh;
  } else {
    constexpr bool is_kept = ExpressionNode<S> && std::is_lvalue_reference_v<S>;
    fits_own_storage<is_kept>(destination, node) ? assign_array(destination, node, true)
                                                 : assign_to_fresh(destination, node);
  }
}

/// Writes the elements of an array or view that cannot get new storage.
export template <WritableElements D, class S>
  requires AssignableSource<S, typename D::value_type, D::rank, typename D::place_type>
[[gnu::always_inline]] inline void assign(const D& destination, const S& source) {
  const auto& node = as_assigned_node<typename D::value_type>(source);
  if constexpr (ArrayHandle<D>) {
    if (!destination.has_storage()) throw_no_storage(to_string(node.shape()));
    assign_array(destination, node);
  } else {
    if (storage::buffers_have_vars.load(std::memory_order_relaxed)) [[unlikely]]
      return assign_view(destination, node);
    assign_node(destination, node);
  }
}

/// The expression's elements in a new array of its own element type, shape and place.
export template <Operand O>
auto evaluate(const O& operand) {
  const auto& node = as_assigned_node<value_of<O>>(operand);
  using Node = std::remove_cvref_t<decltype(node)>;
  using P = std::conditional_t<std::is_void_v<typename Node::place_type>, Place, typename Node::place_type>;
  Array<typename Node::value_type, Node::rank, P> result;
  assign_to_fresh(result, node);
  return result;
}

}  // namespace tessera
