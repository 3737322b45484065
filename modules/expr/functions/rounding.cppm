export module tessera.expr:rounding;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;

// Rounding to integers. Integers pass through.
namespace tessera {

struct Floor {
  static constexpr const char* name = "floor";
  static constexpr const char* device = "floor($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_floor(a);
  }
};
/// Largest integer not above x.
export template <class O>
  requires FloatingValue<O> || RealOperand<O>
auto floor(O&& x) {
  if constexpr (Floating<value_of<O>>)
    return make_unary<Floor, value_of<O>>(std::forward<O>(x));
  else
    return as_node(std::forward<O>(x));
}

struct Ceil {
  static constexpr const char* name = "ceil";
  static constexpr const char* device = "ceil($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_ceil(a);
  }
};
/// Smallest integer not below x.
export template <class O>
  requires FloatingValue<O> || RealOperand<O>
auto ceil(O&& x) {
  if constexpr (Floating<value_of<O>>)
    return make_unary<Ceil, value_of<O>>(std::forward<O>(x));
  else
    return as_node(std::forward<O>(x));
}

struct Trunc {
  static constexpr const char* name = "trunc";
  static constexpr const char* device = "trunc($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_trunc(a);
  }
};
/// x without its fraction.
export template <class O>
  requires FloatingValue<O> || RealOperand<O>
auto trunc(O&& x) {
  if constexpr (Floating<value_of<O>>)
    return make_unary<Trunc, value_of<O>>(std::forward<O>(x));
  else
    return as_node(std::forward<O>(x));
}

struct Round {
  static constexpr const char* name = "round";
  static constexpr const char* device = "rint($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_roundeven(a);
  }
};
/// Nearest integer, ties to even.
export template <class O>
  requires FloatingValue<O> || RealOperand<O>
auto round(O&& x) {
  if constexpr (Floating<value_of<O>>)
    return make_unary<Round, value_of<O>>(std::forward<O>(x));
  else
    return as_node(std::forward<O>(x));
}

}  // namespace tessera
