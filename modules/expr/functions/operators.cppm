module;
#include <cstdint>
export module tessera.expr:operators;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
export import :operand_concepts;
import :weak_scalar;
import :complex_math;
import :library_math;
export import :bits;
export import :comparisons;

// Arithmetic: C++'s operators on arrays and expressions, and their names in the array API standard. Integers wrap and their
// division by zero is defined; complex products and quotients are described in complex_math.cppm.
namespace tessera {

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
    else if constexpr (Complex<C>)
      return math::product(a, b);
    else
      return a * b;
  }
};

/// a / b cut towards zero, for b other than 0, and -1 where C(a / b) does not fit. Integers of up to 32 bits are divided as floating
/// numbers that hold both, which processors do for several at once: the quotient is rounded by less than its distance from the next whole
/// number, unless it is whole itself.
template <class C>
[[gnu::always_inline]] inline C truncated_quotient(C a, C b) {
  if constexpr (sizeof(C) < 4) {
    return static_cast<C>(static_cast<std::int32_t>(static_cast<float>(a) / static_cast<float>(b)));
  } else if constexpr (sizeof(C) > 4) {
    return static_cast<C>(a / b);
  } else if constexpr (std::signed_integral<C>) {
    return static_cast<C>(static_cast<double>(a) / static_cast<double>(b));
  } else {
    constexpr double to_whole =
        0x1p+52;  // adding it rounds; instructions that cut to 32 bits without sign came with AVX-512
    const double quotient = static_cast<double>(a) / static_cast<double>(b);
    const double rounded = (quotient + to_whole) - to_whole;
    const double whole = rounded - (rounded > quotient ? 1.0 : 0.0);
    return static_cast<C>(std::bit_cast<std::uint64_t>(whole + to_whole));
  }
}

struct Divide {
  static constexpr const char* name = "operator /";
  static constexpr const char* device = "tessera_divide($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>) {
      constexpr C minus_one = static_cast<C>(-1);
      const bool negates = std::signed_integral<C> && b == minus_one;
      const C quotient = truncated_quotient(a, b == 0 || negates ? C(1) : b);
      return b == 0 ? C(0) : (negates ? Subtract::apply(C(0), a) : quotient);
    } else if constexpr (Complex<C>) {
      return math::quotient(a, b);
    } else {
      return a / b;
    }
  }
};

struct Modulo {
  static constexpr const char* name = "operator %";
  static constexpr const char* device = "tessera_modulo($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return b == 0 ? C(0) : Subtract::apply(a, Multiply::apply(Divide::apply(a, b), b));
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

/// The quotient rounded down.
struct FloorDivide {
  static constexpr const char* name = "floor_divide";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_floor_divide($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>) {
      const C rest = Modulo::apply(a, b);
      const bool between = rest != 0 && (rest < 0) != (b < 0);
      return Subtract::apply(Divide::apply(a, b), C(between ? 1 : 0));
    } else {
      if (b == 0) return a / b;
      // What fmod leaves says on which side of a / b its whole part lies where the division has rounded to it. Beyond the numbers that
      // have a neighbour at distance 1 the division cannot have crossed it.
      constexpr C exact_below = C(std::uint64_t{1} << std::numeric_limits<C>::digits);
      const C rest = math::fmod(a, b);
      const C quotient = a / b;
      C whole = __builtin_elementwise_trunc(quotient);
      const C rest_size = __builtin_elementwise_abs(rest);
      const bool has_crossed = rest != 0 && whole == quotient && __builtin_elementwise_abs(quotient) < exact_below &&
                               rest_size + rest_size > __builtin_elementwise_abs(b);
      whole -= has_crossed ? __builtin_elementwise_copysign(C(1), quotient) : C(0);
      whole -= C(rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
      const C signed_whole = whole == 0 ? __builtin_elementwise_copysign(C(0), quotient) : whole;
      return rest == rest ? signed_whole : rest;  // NaN where fmod has none to give
    }
  }
};

/// What the quotient rounded down leaves; it has the sign of b.
struct Remainder {
  static constexpr const char* name = "remainder";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_remainder($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>) {
      const C rest = Modulo::apply(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? Add::apply(rest, b) : rest;
    } else {
      const C rest = math::fmod(a, b);
      if (rest == 0) return __builtin_elementwise_copysign(C(0), b);
      return (rest < 0) != (b < 0) ? rest + b : rest;
    }
  }
};

/// Sum; integers wrap.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator+(L&& a, R&& b) {
  return make_binary<Add, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
/// Difference; integers wrap.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator-(L&& a, R&& b) {
  return make_binary<Subtract, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}
/// Product of elements; integers wrap. dot() and matmul() are those of matrices.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator*(L&& a, R&& b) {
  return make_binary<Multiply, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// Quotient; for integers truncated as in C++, x / 0 is 0 and the lowest value divided by -1 wraps to itself.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto operator/(L&& a, R&& b) {
  return make_fitting_binary<Divide, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// Remainder of the truncated quotient, with the sign of a, as in C++; x % 0 is 0. remainder(a, b) has the sign of b.
export template <class L, class R>
  requires IntegerOperands<L, R>
auto operator%(L&& a, R&& b) {
  return make_fitting_binary<Modulo, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

export template <NumericOperand O>
auto operator-(O&& a) {
  return make_unary<Negate, value_of<O>>(std::forward<O>(a));
}
export template <NumericOperand O>
auto operator+(O&& a) {
  return as_node(std::forward<O>(a));
}

/// a + b.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto add(L&& a, R&& b) {
  return std::forward<L>(a) + std::forward<R>(b);
}
/// a - b.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto subtract(L&& a, R&& b) {
  return std::forward<L>(a) - std::forward<R>(b);
}
/// a * b.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto multiply(L&& a, R&& b) {
  return std::forward<L>(a) * std::forward<R>(b);
}
/// a / b, truncated for integers.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto divide(L&& a, R&& b) {
  return std::forward<L>(a) / std::forward<R>(b);
}
/// -x.
export template <NumericOperand O>
auto negative(O&& x) {
  return -std::forward<O>(x);
}
/// x as an expression.
export template <NumericOperand O>
auto positive(O&& x) {
  return +std::forward<O>(x);
}

/// The quotient rounded down. Of integers x / 0 is 0 and the lowest value divided by -1 wraps to itself; of floating elements
/// x / 0 is infinite or NaN.
export template <class L, class R>
  requires RealOperands<L, R>
auto floor_divide(L&& a, R&& b) {
  return make_fitting_binary<FloorDivide, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// a - b * floor_divide(a, b), with the sign of b, as Python's %. Of integers it is 0 for b = 0, of floating elements NaN.
export template <class L, class R>
  requires RealOperands<L, R>
auto remainder(L&& a, R&& b) {
  return make_fitting_binary<Remainder, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

}  // namespace tessera
