module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:nodes;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :alternative;
import :handle;

// Trees of functions over dynamic operands: their form is known at compile time, the types of their leaves when they are computed. Then
// trees all of whose leaves are of one of the types float, double, int32 and int64 are one loop, as static expressions are; others
// become a program.
namespace tessera {

/// The leaf of an array.
struct DLeaf {
  DArray array;

  static constexpr std::size_t leaf_count = 1;
  static constexpr std::size_t scalar_count = 0;
  template <Element T>
  using Static = ArrayView<T, 1, CpuPlace>;

  dynamic::OperandOf operand() const { return DExpression(array.leaf()); }
  void collect(const DArray**& leaves, const dynamic::ScalarOperand**&) const { *leaves++ = &array; }
};

/// A scalar.
struct DScalarLeaf {
  dynamic::ScalarOperand scalar;

  static constexpr std::size_t leaf_count = 0;
  static constexpr std::size_t scalar_count = 1;
  template <Element T>
  using Static = T;

  dynamic::OperandOf operand() const { return scalar; }
  void collect(const DArray**&, const dynamic::ScalarOperand**& scalars) const { *scalars++ = &scalar; }
};

/// An expression whose form is not known.
struct DUnknown {
  DExpression expression;

  static constexpr std::size_t leaf_count = 0;
  static constexpr std::size_t scalar_count = 0;
  template <Element T>
  using Static = void;

  dynamic::OperandOf operand() const { return expression; }
  void collect(const DArray**&, const dynamic::ScalarOperand**&) const {}
};

template <std::size_t I, class Node>
struct DArgument {
  Node node;
};

template <class F, class... Nodes>
struct StaticCall {
  using type = void;
};
template <class F, class... Nodes>
  requires(!(std::is_void_v<Nodes> || ...)) && requires { F::call(std::declval<const Nodes&>()...); }
struct StaticCall<F, Nodes...> {
  using type = std::remove_cvref_t<decltype(F::call(std::declval<const Nodes&>()...))>;
};

template <class Indices, class F, class... Nodes>
class DMapOf;

/// A function F of dynamic operands: F::name, and F::call(a, b), which is the function for static operands. It computes nothing until
/// it meets an array. What is wrong with types or shapes is found then.
template <std::size_t... I, class F, class... Nodes>
class DMapOf<std::index_sequence<I...>, F, Nodes...> : DArgument<I, Nodes>... {
 public:
  static constexpr std::size_t leaf_count = (0 + ... + Nodes::leaf_count);
  static constexpr std::size_t scalar_count = (0 + ... + Nodes::scalar_count);
  template <Element T>
  using Static = typename StaticCall<F, typename Nodes::template Static<T>...>::type;

  template <class... Makers>
  explicit DMapOf(F, const Makers&... make) : DArgument<I, Nodes>{make()}... {}

  DType dtype() const { return DExpression(*this).dtype(); }
  int rank() const { return DExpression(*this).rank(); }
  DDim shape() const { return DExpression(*this).shape(); }

  /// The same, its form forgotten. Throws DTypeError, ShapeError.
  operator DExpression() const { return std::get<DExpression>(operand()); }
  /// The value of what has rank 0.
  template <Element T>
  operator T() const {
    return DExpression(*this).value().template as<T>();
  }

  dynamic::OperandOf operand() const {
    dynamic::OperandOf operands[] = {argument<I>().operand()...};
    return dynamic::apply(dynamic::function(F::name), operands);
  }
  void collect(const DArray**& leaves, const dynamic::ScalarOperand**& scalars) const {
    (argument<I>().collect(leaves, scalars), ...);
  }

  static const TreeForm& form() {
    static constexpr TreeForm known{
        loop<float>(),
        loop<double>(),
        loop<std::int32_t>(),
        loop<std::int64_t>(),
        {result<float>(), result<double>(), result<std::int32_t>(), result<std::int64_t>()},
        leaf_count,
        scalar_count,
        [](const void* tree, const DArray** leaves, const dynamic::ScalarOperand** scalars) {
          static_cast<const DMapOf*>(tree)->collect(leaves, scalars);
        },
        [](const void* tree) { return DExpression(*static_cast<const DMapOf*>(tree)); }};
    return known;
  }

 private:
  template <std::size_t K>
  const auto& argument() const {
    return slot<K>(*this);
  }
  template <std::size_t K, class Node>
  static const Node& slot(const DArgument<K, Node>& found) {
    return found.node;
  }

  template <Element T>
  static constexpr WithLoop<T> loop() {
    using Node = Static<T>;
    if constexpr (std::is_void_v<Node>) {
      return nullptr;
    } else {
      return dynamic::FusedLoop<T, Node>::with;
    }
  }
  template <Element T>
  static constexpr DType result() {
    using Node = Static<T>;
    if constexpr (std::is_void_v<Node>) {
      return dtype_of<T>;
    } else {
      return dtype_of<typename Node::value_type>;
    }
  }
};

/// A tree whose root is F.
template <class F, class... Nodes>
using DMap = DMapOf<std::index_sequence_for<Nodes...>, F, Nodes...>;

template <class Indices, class F, class... Nodes>
inline constexpr bool is_tree<DMapOf<Indices, F, Nodes...>> = true;

/// As the values print.
export template <DynamicTree Tree>
std::ostream& operator<<(std::ostream& out, const Tree& tree) {
  return out << DArray(tree);
}
export template <DynamicTree Tree>
std::string to_string(const Tree& tree) {
  return to_string(DArray(tree));
}

}  // namespace tessera
