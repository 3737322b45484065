module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.expr:device_source;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :parameter_node;
import :map;
import :kernel;
import :fold_loops;
import :gpu_variant;
import :expression_name;
import :gpu_form;

// The operations of an expression for CUDA text, taken from the node's type at compile time: leaves, scalars and operations in the order
// in which they are written, so that equal structure gives equal text. It is a list and not the text itself, because putting
// characters together at compile time took a tenth of the time that a file of expressions compiles.
namespace tessera {

/// The type that all arguments of an operation take first, for operations that have one.
template <class Op>
inline constexpr std::int8_t common_argument = -1;
template <class Op>
  requires requires { typename Op::argument_type; }
inline constexpr std::int8_t common_argument<Op> = static_cast<std::int8_t>(dtype_of<typename Op::argument_type>);

/// Null for operations without device text.
template <class Op>
inline constexpr const char* device_text_of = nullptr;
template <class Op>
  requires requires { Op::device; }
inline constexpr const char* device_text_of<Op> = static_cast<const char*>(Op::device);

/// Element type of the memory that a node reads as one leaf: that of its plan.
template <class Plan>
inline constexpr bool is_leaf_plan = false;
template <class T>
inline constexpr bool is_leaf_plan<LeafPlan<T>> = true;

template <class Plan>
struct LeafElement;
template <class T>
struct LeafElement<LeafPlan<T>> {
  using type = T;
};
template <class Node>
using lowered_t = decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>()));

/// A node whose elements CUDA code computes from its seed() and their positions: it names the call, with $0 and $1 for the two, and the
/// code that the call needs. With an array of 2 or 4 as a last argument the call fills it with neighbours; the position is a multiple of 4 then.
template <class Node>
concept DeviceGenerated = requires(const Node& node) {
  Node::device_generator;
  Node::device_code;
  node.seed();
};

/// A node's operations and scalars.
template <class Node>
struct DeviceNode {
  static constexpr int operations = DeviceGenerated<Node> ? 2 : 1;
  static constexpr int scalars = DeviceGenerated<Node> ? 1 : 0;
  static constexpr void put(plan::DeviceOperation*& to) {
    if constexpr (DeviceGenerated<Node>) {
      *to++ = {.kind = plan::DeviceOperation::Kind::scalar, .value = DType::uint64};
      *to++ = {.kind = plan::DeviceOperation::Kind::generated,
               .value = dtype_of<typename LeafElement<lowered_t<Node>>::type>,
               .text = Node::device_generator,
               .name = Node::name,
               .code = Node::device_code};
    } else if constexpr (is_leaf_plan<lowered_t<Node>>) {
      *to++ = {.kind = plan::DeviceOperation::Kind::leaf,
               .value = dtype_of<typename LeafElement<lowered_t<Node>>::type>};
    } else if constexpr (requires { Node::name; }) {
      *to++ = {.name = Node::name};
    } else {
      *to++ = {.name = "an operand that is not one array"};
    }
  }
  static void append(const Node& node, std::byte*& to)
    requires DeviceGenerated<Node>
  {
    const std::uint64_t seed = node.seed();
    std::memcpy(to, &seed, sizeof seed);
    to += plan::scalar_slot;
  }
};

template <Element T>
struct DeviceNode<ScalarNode<T>> {
  static constexpr int operations = 1;
  static constexpr int scalars = 1;
  static constexpr void put(plan::DeviceOperation*& to) {
    *to++ = {.kind = plan::DeviceOperation::Kind::scalar, .value = dtype_of<compute_t<T>>};
  }
  static void append(const auto& node, std::byte*& to) {
    const auto value = node.value();
    std::memcpy(to, &value, sizeof value);
    to += plan::scalar_slot;
  }
};

template <Element T, class P, class Convert>
struct DeviceNode<ScalarParameterNode<T, P, Convert>> : DeviceNode<ScalarNode<T>> {};

template <class Op, Element Value, class... Nodes>
struct DeviceNode<MapNode<Op, Value, Nodes...>> {
  static constexpr int operations = (1 + ... + DeviceNode<Nodes>::operations);
  static constexpr int scalars = (0 + ... + DeviceNode<Nodes>::scalars);
  static constexpr void put(plan::DeviceOperation*& to) {
    (DeviceNode<Nodes>::put(to), ...);
    *to++ = {.kind = plan::DeviceOperation::Kind::map,
             .arguments = static_cast<std::int8_t>(sizeof...(Nodes)),
             .common = common_argument<Op>,
             .value = dtype_of<compute_t<Value>>,
             .stored = dtype_of<Value>,
             .text = device_text_of<Op>,
             .name = Op::name};
  }
  static void append(const MapNode<Op, Value, Nodes...>& node, std::byte*& to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (append_argument<Nodes>(node.template argument<I>(), to), ...);
    }(std::index_sequence_for<Nodes...>{});
  }

 private:
  template <class Argument>
  static void append_argument(const Argument& argument, std::byte*& to) {
    if constexpr (DeviceNode<Argument>::scalars > 0) DeviceNode<Argument>::append(argument, to);
  }
};

/// The operations of a node's type.
template <class Node>
inline constexpr auto device_operations = [] {
  std::array<plan::DeviceOperation, static_cast<std::size_t>(DeviceNode<Node>::operations)> operations{};
  plan::DeviceOperation* to = operations.data();
  DeviceNode<Node>::put(to);
  return operations;
}();

/// Whether each operation has device text.
template <class Node>
constexpr bool has_device_text() {
  for (const plan::DeviceOperation& operation : device_operations<Node>) {
    if (operation.kind == plan::DeviceOperation::Kind::map && operation.text == nullptr) return false;
  }
  return true;
}

/// Null for nodes without scalars.
template <class Node>
constexpr auto scalar_appender() {
  void (*append)(const void*, std::byte*) = nullptr;
  if constexpr (DeviceNode<Node>::scalars > 0) {
    append = [](const void* node, std::byte* to) { DeviceNode<Node>::append(*static_cast<const Node*>(node), to); };
  }
  return append;
}
template <class Node>
constexpr const char* function_of_node() {
  return std::source_location::current().function_name();
}

template <class Node>
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): it is constinit
inline constinit plan::DeviceForm device_form{.operations = device_operations<Node>,
                                              .append_scalars = scalar_appender<Node>(),
                                              .name = plan::ExpressionName(function_of_node<Node>())};

/// A node that a GPU computes for sure: nothing of it is compiled for the CPU.
template <class Node>
concept IsOnGpu = std::same_as<typename Node::place_type, GpuPlace>;

/// The CPU's kernel of what a node has been lowered to, for a destination of place type P; null where a GPU computes it.
template <Element To, class Node, class P = Place, class Plan>
[[gnu::always_inline]] inline plan::Kernel kernel_of_node(const Plan& lowered) {
  if constexpr (IsOnGpu<Node> || std::same_as<P, GpuPlace>) {
    return nullptr;
  } else {
    return kernel_of<To>(lowered);
  }
}

/// The same for rows.
template <Element To, class Node, class P = Place, class Plan>
[[gnu::always_inline]] inline plan::RowsKernel rows_kernel_of_node(const Plan& lowered) {
  if constexpr (IsOnGpu<Node> || std::same_as<P, GpuPlace>) {
    return {};
  } else {
    return rows_kernel_of<To>(lowered);
  }
}

/// The CPU's loops that fold a node's values as they are computed, of type C; none where a GPU computes them.
template <plan::ReduceOp Op, class C, class Node, class Plan>
[[gnu::always_inline]] inline plan::FoldLoops fold_loops_of_node(const Plan& lowered) {
  if constexpr (IsOnGpu<Node>) {
    return {};
  } else {
    return fold_loops_of<Op, C>(lowered);
  }
}

/// What a device computes of a node into elements of type To; nothing where the node is on the host for sure.
template <Element To, class Node>
[[gnu::always_inline]] inline plan::DeviceWork device_work(const Node& node) {
  if constexpr (HostPlace<typename Node::place_type>) {
    return {};
  } else {
    if constexpr (IsOnGpu<Node>) {
      static_assert(has_device_text<Node>(),
                    "an operation of an expression on a GPU has no CUDA text: give it a member `static constexpr const "
                    "char* device`");
    }
    return {&device_form<Node>, &node, dtype_of<To>};
  }
}

}  // namespace tessera
