module;
#include <cstdint>
export module tessera.expr:bits;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :weak_scalar;

// Operations on bits and logic: operators on integers and bool, and their names in the array API standard.
namespace tessera {

/// The unsigned type in which arithmetic on an integer C wraps.
template <class C>
using wrapping_t = std::conditional_t<(sizeof(C) < 4), std::uint32_t, std::make_unsigned_t<C>>;

struct BitAnd {
  static constexpr const char* name = "operator &";
  static constexpr const char* device = "$0 & $1";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return static_cast<C>(a & b);
  }
};

struct BitOr {
  static constexpr const char* name = "operator |";
  static constexpr const char* device = "$0 | $1";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return static_cast<C>(a | b);
  }
};

struct BitXor {
  static constexpr const char* name = "operator ^";
  static constexpr const char* device = "$0 ^ $1";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return static_cast<C>(a ^ b);
  }
};

struct BitNot {
  static constexpr const char* name = "operator ~";
  static constexpr const char* device = "tessera_complement($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (std::same_as<C, bool>)
      return !a;
    else
      return static_cast<C>(~a);
  }
};

struct ShiftLeft {
  static constexpr const char* name = "operator <<";
  static constexpr const char* device = "tessera_shift_left($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C bits) {
    const auto count = static_cast<wrapping_t<C>>(bits);  // NOLINT(bugprone-signed-char-misuse): negative is too large
    return count < 8 * sizeof(C)
               ? static_cast<C>(static_cast<wrapping_t<C>>(a) << (count & (8 * sizeof(wrapping_t<C>) - 1)))
               : C(0);
  }
};

struct ShiftRight {
  static constexpr const char* name = "operator >>";
  static constexpr const char* device = "tessera_shift_right($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C bits) {
    const auto count = static_cast<wrapping_t<C>>(bits);  // NOLINT(bugprone-signed-char-misuse): negative is too large
    const C gone = a < 0 ? static_cast<C>(-1) : C(0);
    return count < 8 * sizeof(C) ? static_cast<C>(a >> (count & (8 * sizeof(wrapping_t<C>) - 1))) : gone;
  }
};

/// The bits that both have; of bool, and.
export template <class L, class R>
  requires BitOperands<L, R>
auto operator&(L&& a, R&& b) {
  return make_binary<BitAnd, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
/// The bits that one of them has or both; of bool, or.
export template <class L, class R>
  requires BitOperands<L, R>
auto operator|(L&& a, R&& b) {
  return make_binary<BitOr, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
/// The bits that one of them has and the other has not; of bool, either or.
export template <class L, class R>
  requires BitOperands<L, R>
auto operator^(L&& a, R&& b) {
  return make_binary<BitXor, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
/// The bits that a has not; of bool, not.
export template <Operand O>
  requires BitOperands<O, O>
auto operator~(O&& a) {
  return make_unary<BitNot, value_of<O>>(std::forward<O>(a));
}
/// True where a is not.
export template <BoolOperand O>
auto operator!(O&& a) {
  return make_unary<BitNot, bool>(std::forward<O>(a));
}

template <class Op, class L, class R>
auto make_shift(L&& a, R&& count) {
  using T = common_value_t<L, R>;
  return map_of<Uniform<Op, compute_t<T>>, T>([&] { return as_node_beside<T>(std::forward<L>(a)); },
                                              [&] { return as_shift_count<T>(std::forward<R>(count)); });
}

/// Shift; by the width of the type or more, or by a negative number, everything is shifted out (>> leaves the sign).
export template <class L, class R>
  requires IntegerOperands<L, R>
auto operator<<(L&& a, R&& b) {
  return make_shift<ShiftLeft>(std::forward<L>(a), std::forward<R>(b));
}
/// Shift to lower bits, of signed integers with copies of the sign; by the width of the type or more, or by a negative number, only the sign is left.
export template <class L, class R>
  requires IntegerOperands<L, R>
auto operator>>(L&& a, R&& b) {
  return make_shift<ShiftRight>(std::forward<L>(a), std::forward<R>(b));
}

/// a & b.
export template <class L, class R>
  requires BitOperands<L, R>
auto bitwise_and(L&& a, R&& b) {
  return std::forward<L>(a) & std::forward<R>(b);
}
/// a | b.
export template <class L, class R>
  requires BitOperands<L, R>
auto bitwise_or(L&& a, R&& b) {
  return std::forward<L>(a) | std::forward<R>(b);
}
/// a ^ b.
export template <class L, class R>
  requires BitOperands<L, R>
auto bitwise_xor(L&& a, R&& b) {
  return std::forward<L>(a) ^ std::forward<R>(b);
}
/// ~a; of bool it is !a.
export template <Operand O>
  requires BitOperands<O, O>
auto bitwise_invert(O&& a) {
  return ~std::forward<O>(a);
}
/// a << b.
export template <class L, class R>
  requires IntegerOperands<L, R>
auto bitwise_left_shift(L&& a, R&& b) {
  return std::forward<L>(a) << std::forward<R>(b);
}
/// a >> b.
export template <class L, class R>
  requires IntegerOperands<L, R>
auto bitwise_right_shift(L&& a, R&& b) {
  return std::forward<L>(a) >> std::forward<R>(b);
}

/// True where both are. Both sides are always computed: there is no short cut as with &&.
export template <class L, class R>
  requires BoolOperands<L, R>
auto logical_and(L&& a, R&& b) {
  return std::forward<L>(a) & std::forward<R>(b);
}
/// True where one of them or both are.
export template <class L, class R>
  requires BoolOperands<L, R>
auto logical_or(L&& a, R&& b) {
  return std::forward<L>(a) | std::forward<R>(b);
}
/// True where one of them is, but not both.
export template <class L, class R>
  requires BoolOperands<L, R>
auto logical_xor(L&& a, R&& b) {
  return std::forward<L>(a) ^ std::forward<R>(b);
}
/// True where x is not.
export template <BoolOperand O>
auto logical_not(O&& x) {
  return !std::forward<O>(x);
}

/// What has more than one truth value.
template <class O>
concept SeveralValues = Operand<O> && (rank_of<O> > 0);

// clang-format off
/// Not for what has several truth values.
export template <class L, class R>
  requires SeveralValues<L> || SeveralValues<R>
bool operator&&(const L&, const R&) = delete;  // && asks for one truth value: write a & b for elements, or all(a) && all(b)
/// Not for what has several truth values.
export template <class L, class R>
  requires SeveralValues<L> || SeveralValues<R>
bool operator||(const L&, const R&) = delete;  // || asks for one truth value: write a | b for elements, or any(a) || any(b)
// clang-format on

}  // namespace tessera
