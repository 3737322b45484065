module;
#include <cstddef>
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
import :device_kernel;
import :device_form;

// The CUDA text of an expression's elementwise work, made from the node's type at compile time: one statement a node, leaves x0,
// x1, ... and scalars s0, s1, ... numbered in the order of traversal, so that equal structure gives equal text.
namespace tessera {

/// Writes text into memory, or only counts its characters while there is none.
class TextWriter {
 public:
  explicit constexpr TextWriter(char* to) : to_(to) {}

  constexpr TextWriter& operator<<(char c) {
    if (to_ != nullptr) to_[size_] = c;
    ++size_;
    return *this;
  }
  constexpr TextWriter& operator<<(std::string_view text) {
    for (const char c : text) *this << c;
    return *this;
  }
  constexpr TextWriter& operator<<(int number) {
    if (number >= 10) *this << number / 10;
    return *this << static_cast<char>('0' + number % 10);
  }
  constexpr std::size_t size() const { return size_; }

 private:
  char* to_;
  std::size_t size_ = 0;
};

/// The name of a value in the text: x for leaves, s for scalars, v for computed values.
struct DeviceName {
  char letter;
  int number;
};

constexpr TextWriter& operator<<(TextWriter& out, DeviceName name) { return out << name.letter << name.number; }

/// The text so far, and what it has named.
struct DeviceEmission {
  TextWriter out;
  DType* leaf_types;
  DType* scalar_types;
  int leaves = 0;
  int scalars = 0;
  int values = 0;

  constexpr DeviceName leaf(DType dtype) {
    if (leaf_types != nullptr) leaf_types[leaves] = dtype;
    return {'x', leaves++};
  }
  constexpr DeviceName scalar(DType dtype) {
    if (scalar_types != nullptr) scalar_types[scalars] = dtype;
    return {'s', scalars++};
  }
};

/// The type that all arguments of an operation take first, for operations that have one.
template <class Op>
inline constexpr DType common_argument = DType::boolean;
template <class Op>
  requires requires { typename Op::argument_type; }
inline constexpr DType common_argument<Op> = dtype_of<typename Op::argument_type>;

/// Writes the operation's text with $0, $1, ... replaced by the arguments' names.
template <class Op, std::size_t Count>
constexpr void put_operation(TextWriter& out, const std::array<DeviceName, Count>& arguments,
                             const std::array<DType, Count>& types) {
  const std::string_view text = Op::device;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out << text[i];
      continue;
    }
    const auto k = static_cast<std::size_t>(text[++i] - '0');
    if (!requires { typename Op::argument_type; } || types[k] == common_argument<Op>) {
      out << arguments[k];
    } else {
      out << "tessera_cast<" << plan::device_name(common_argument<Op>) << ">(" << arguments[k] << ')';
    }
  }
}

/// A user's function may return 16 bits; what it delivers is the float with that value.
template <class Op, class Value>
constexpr std::string_view device_rounding() {
  if constexpr (requires { typename Op::argument_type; } || dtype_of<Value> == dtype_of<compute_t<Value>>) return "";
  return dtype_of<Value> == DType::float16 ? "tessera_round_float16" : "tessera_round_bfloat16";
}

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

/// How a node appears in the text. `value` is the type of what it delivers.
template <class Node>
struct DeviceNode {
  static constexpr const char* missing() {
    if constexpr (is_leaf_plan<lowered_t<Node>>)
      return nullptr;
    else if constexpr (requires { Node::name; })
      return Node::name;
    else
      return "an operand that is not one array";
  }
  static constexpr DType value = dtype_of<compute_t<typename Node::value_type>>;
  static constexpr DeviceName emit(DeviceEmission& emission) {
    return emission.leaf(dtype_of<typename LeafElement<lowered_t<Node>>::type>);
  }
};

template <Element T>
struct DeviceNode<ScalarNode<T>> {
  static constexpr const char* missing() { return nullptr; }
  static constexpr DType value = dtype_of<compute_t<T>>;
  static constexpr DeviceName emit(DeviceEmission& emission) { return emission.scalar(value); }
};

template <Element T, class P, class Convert>
struct DeviceNode<ScalarParameterNode<T, P, Convert>> : DeviceNode<ScalarNode<T>> {};

template <class Op, Element Value, class... Nodes>
struct DeviceNode<MapNode<Op, Value, Nodes...>> {
  static constexpr const char* missing() {
    const char* found = requires { Op::device; } ? nullptr : Op::name;
    ((found = found != nullptr ? found : DeviceNode<Nodes>::missing()), ...);
    return found;
  }
  static constexpr DType value = dtype_of<compute_t<Value>>;

  static constexpr DeviceName emit(DeviceEmission& emission) {
    const std::array<DeviceName, sizeof...(Nodes)> arguments{DeviceNode<Nodes>::emit(emission)...};
    const std::array<DType, sizeof...(Nodes)> types{DeviceNode<Nodes>::value...};
    const DeviceName name{'v', emission.values++};
    emission.out << "  const " << plan::device_name(value) << ' ' << name << " = " << device_rounding<Op, Value>();
    emission.out << (device_rounding<Op, Value>().empty() ? "" : "(");
    put_operation<Op>(emission.out, arguments, types);
    emission.out << (device_rounding<Op, Value>().empty() ? ";\n" : ");\n");
    return name;
  }
};

/// The text of Node with what it reads, sized exactly.
template <class Node>
struct DeviceNodeText {
  struct Counts {
    std::size_t characters;
    int leaves, scalars;
    DeviceName result;
  };
  static constexpr Counts counts = [] {
    DeviceEmission emission{TextWriter(nullptr), nullptr, nullptr};
    const DeviceName result = DeviceNode<Node>::emit(emission);
    return Counts{emission.out.size(), emission.leaves, emission.scalars, result};
  }();

  std::array<char, counts.characters> body{};
  std::array<DType, static_cast<std::size_t>(counts.leaves)> leaves{};
  std::array<DType, static_cast<std::size_t>(counts.scalars)> scalars{};

  consteval DeviceNodeText() {
    DeviceEmission emission{TextWriter(body.data()), leaves.data(), scalars.data()};
    DeviceNode<Node>::emit(emission);
  }
};

template <class Node>
inline constexpr DeviceNodeText<Node> device_text{};

/// The device text of a node's type.
template <class Node>
constexpr plan::DeviceElement device_element() {
  if constexpr (DeviceNode<Node>::missing() != nullptr) {
    return {.missing = DeviceNode<Node>::missing()};
  } else {
    constexpr const DeviceNodeText<Node>& text = device_text<Node>;
    constexpr DeviceName result = DeviceNodeText<Node>::counts.result;
    return {.body = std::string_view(text.body.data(), text.body.size()),
            .result_letter = result.letter,
            .result_number = result.number,
            .value = DeviceNode<Node>::value,
            .leaves = text.leaves,
            .scalars = text.scalars,
            .missing = nullptr};
  }
}

/// Appends the values of a node's scalars in the order of traversal, each in 16 bytes.
template <class Node>
void append_scalars(const Node& node, std::vector<std::byte>& bytes) {
  if constexpr (requires { Node::argument_count; }) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (append_scalars(node.template argument<I>(), bytes), ...);
    }(std::make_index_sequence<Node::argument_count>{});
  } else if constexpr (requires { node.value(); }) {
    const auto value = node.value();
    bytes.resize(bytes.size() + 16);
    std::memcpy(bytes.data() + bytes.size() - 16, &value, sizeof value);
  }
}

template <class Node>
const plan::DeviceElement& device_element_of() {
  static constexpr plan::DeviceElement element = device_element<Node>();
  return element;
}
template <class Node>
void append_scalars_of(const void* node, std::vector<std::byte>& bytes) {
  append_scalars(*static_cast<const Node*>(node), bytes);
}
template <class Node>
constexpr const char* function_of_node() {
  return std::source_location::current().function_name();
}

template <class Node>
inline constinit plan::DeviceForm device_form{
    .element = device_element_of<Node>, .scalars = append_scalars_of<Node>, .function = function_of_node<Node>()};

/// What a device computes of a node into elements of type To; nothing where the node is on the host for sure.
template <Element To, class Node>
[[gnu::always_inline]] inline plan::DeviceWork device_work(const Node& node) {
  if constexpr (HostPlace<typename Node::place_type>) {
    return {};
  } else {
    if constexpr (std::same_as<typename Node::place_type, GpuPlace>) {
      static_assert(DeviceNode<Node>::missing() == nullptr,
                    "an operation of an expression on a GPU has no CUDA text: give it a member `static constexpr const "
                    "char* device`");
    }
    return {&device_form<Node>, &node, dtype_of<To>};
  }
}

}  // namespace tessera
