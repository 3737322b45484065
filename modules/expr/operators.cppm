module;
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
export module tessera.expr:operators;
import tessera.core;
import tessera.array;
import :node;
import :map;

// C++'s operators on arrays and expressions. Integer overflow wraps; division by zero and wide shifts are defined.
namespace tessera {

/// The unsigned type in which arithmetic on an integer C wraps.
template <class C>
using wrapping_t = std::conditional_t<(sizeof(C) < 4), std::uint32_t, std::make_unsigned_t<C>>;

template <class C>
inline constexpr bool is_integer = std::integral<C> && !std::same_as<C, bool>;

struct Add {
  static constexpr const char* name = "operator +";
  static constexpr const char* device = "tessera_add($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>)
      return static_cast<C>(static_cast<wrapping_t<C>>(a) + static_cast<wrapping_t<C>>(b));
    else
      return a + b;
  }
};

struct Subtract {
  static constexpr const char* name = "operator -";
  static constexpr const char* device = "tessera_subtract($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>)
      return static_cast<C>(static_cast<wrapping_t<C>>(a) - static_cast<wrapping_t<C>>(b));
    else
      return a - b;
  }
};

struct Multiply {
  static constexpr const char* name = "operator *";
  static constexpr const char* device = "tessera_multiply($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>)
      return static_cast<C>(static_cast<wrapping_t<C>>(a) * static_cast<wrapping_t<C>>(b));
    else
      return a * b;
  }
};

struct Divide {
  static constexpr const char* name = "operator /";
  static constexpr const char* device = "tessera_divide($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>) {
      if (b == 0) return 0;
      if constexpr (std::signed_integral<C>) {
        if (b == -1) return Subtract::apply(C(0), a);
      }
      return static_cast<C>(a / b);
    } else {
      return a / b;
    }
  }
};

struct Remainder {
  static constexpr const char* name = "operator %";
  static constexpr const char* device = "tessera_modulo($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if (b == 0) return 0;
    if constexpr (std::signed_integral<C>) {
      if (b == -1) return 0;
    }
    return static_cast<C>(a % b);
  }
};

struct Negate {
  static constexpr const char* name = "operator -";
  static constexpr const char* device = "tessera_negate($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (is_integer<C>)
      return Subtract::apply(C(0), a);
    else
      return -a;
  }
};

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
    const auto count = static_cast<wrapping_t<C>>(bits);
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
    const auto count = static_cast<wrapping_t<C>>(bits);
    const C gone = a < 0 ? static_cast<C>(-1) : C(0);
    return count < 8 * sizeof(C) ? static_cast<C>(a >> (count & (8 * sizeof(wrapping_t<C>) - 1))) : gone;
  }
};

struct Equal {
  static constexpr const char* name = "operator ==";
  static constexpr const char* device = "$0 == $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a == b;
  }
};
struct NotEqual {
  static constexpr const char* name = "operator !=";
  static constexpr const char* device = "$0 != $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a != b;
  }
};
struct Less {
  static constexpr const char* name = "operator <";
  static constexpr const char* device = "$0 < $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a < b;
  }
};
struct LessEqual {
  static constexpr const char* name = "operator <=";
  static constexpr const char* device = "$0 <= $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a <= b;
  }
};
struct Greater {
  static constexpr const char* name = "operator >";
  static constexpr const char* device = "$0 > $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a > b;
  }
};
struct GreaterEqual {
  static constexpr const char* name = "operator >=";
  static constexpr const char* device = "$0 >= $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a >= b;
  }
};

/// Element types with arithmetic: all but bool.
export template <class T>
concept Numeric = Element<T> && kind_of<T> != Kind::boolean;

/// Two operands of arithmetic.
export template <class L, class R>
concept ArithmeticOperands =
    Combinable<L, R> && (Numeric<common_value_t<L, R>> || unsatisfied<"bool has no arithmetic: write cast<T>(...)">);

/// Two operands of integers, bool among them.
export template <class L, class R>
concept BitOperands = Combinable<L, R> && (Integer<common_value_t<L, R>> || std::same_as<common_value_t<L, R>, bool>);

/// Two operands with an order.
export template <class L, class R>
concept OrderedOperands = Combinable<L, R> && Real<common_value_t<L, R>>;

export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator+(L&& a, R&& b) {
  return make_binary<Add, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator-(L&& a, R&& b) {
  return make_binary<Subtract, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator*(L&& a, R&& b) {
  return make_binary<Multiply, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// Quotient; for integers truncated as in C++, x / 0 is 0 and the lowest value divided by -1 wraps to itself.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator/(L&& a, R&& b) {
  return make_binary<Divide, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// Remainder of the truncated quotient, with the sign of a; x % 0 is 0.
export template <class L, class R>
  requires Combinable<L, R> && Integer<common_value_t<L, R>>
auto operator%(L&& a, R&& b) {
  return make_binary<Remainder, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

export template <Operand O>
  requires Numeric<value_of<O>>
auto operator-(O&& a) {
  return make_unary<Negate, value_of<O>>(std::forward<O>(a));
}
export template <Operand O>
  requires Numeric<value_of<O>>
auto operator+(O&& a) {
  return as_node(std::forward<O>(a));
}

export template <class L, class R>
  requires BitOperands<L, R>
auto operator&(L&& a, R&& b) {
  return make_binary<BitAnd, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires BitOperands<L, R>
auto operator|(L&& a, R&& b) {
  return make_binary<BitOr, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires BitOperands<L, R>
auto operator^(L&& a, R&& b) {
  return make_binary<BitXor, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <Operand O>
  requires Integer<value_of<O>> || std::same_as<value_of<O>, bool>
auto operator~(O&& a) {
  return make_unary<BitNot, value_of<O>>(std::forward<O>(a));
}
export template <Operand O>
  requires std::same_as<value_of<O>, bool>
auto operator!(O&& a) {
  return make_unary<BitNot, bool>(std::forward<O>(a));
}

/// Shift; by the width of the type or more, or by a negative number, everything is shifted out (>> leaves the sign).
export template <class L, class R>
  requires Combinable<L, R> && Integer<common_value_t<L, R>>
auto operator<<(L&& a, R&& b) {
  return make_binary<ShiftLeft, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires Combinable<L, R> && Integer<common_value_t<L, R>>
auto operator>>(L&& a, R&& b) {
  return make_binary<ShiftRight, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

export template <class L, class R>
  requires Combinable<L, R>
auto operator==(L&& a, R&& b) {
  return make_binary<Equal, bool>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires Combinable<L, R>
auto operator!=(L&& a, R&& b) {
  return make_binary<NotEqual, bool>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator<(L&& a, R&& b) {
  return make_binary<Less, bool>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator<=(L&& a, R&& b) {
  return make_binary<LessEqual, bool>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator>(L&& a, R&& b) {
  return make_binary<Greater, bool>(std::forward<L>(a), std::forward<R>(b));
}
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator>=(L&& a, R&& b) {
  return make_binary<GreaterEqual, bool>(std::forward<L>(a), std::forward<R>(b));
}

}  // namespace tessera
