module;
#include <cmath>
#include <cstdint>
export module tessera.expr:arithmetic;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :gpu_prelude;
import :weak_scalar;
import :operators;
import :vector_math;
import :library_math;

// Arithmetic beyond the operators: magnitude and sign, extremes, neighbours.
namespace tessera {

struct Abs {
  static constexpr const char* name = "abs";
  static constexpr const char* device = "tessera_abs($0)";
  template <class C>
  [[gnu::always_inline]] static auto apply(C a) {
    if constexpr (Complex<C>)
      return math::hypot(a.real(), a.imag());
    else if constexpr (std::floating_point<C>)
      return __builtin_elementwise_abs(a);
    else
      return a < 0 ? Subtract::apply(C(0), a) : a;
  }
};
/// Magnitude, of complex elements in the type of their parts; the lowest integer of a signed type stays itself.
export template <NumericArgument O>
auto abs(O&& x) {
  return make_unary<Abs, part_t<value_of<O>>>(std::forward<O>(x));
}

struct Sign {
  static constexpr const char* name = "sign";
  static constexpr const char* device = "tessera_sign($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (Complex<C>) {
      using P = typename C::value_type;
      constexpr P large = std::numeric_limits<P>::max() / 4;
      const bool is_large = __builtin_elementwise_abs(a.real()) > large || __builtin_elementwise_abs(a.imag()) > large;
      if (is_large) a = C(a.real() / 4, a.imag() / 4);  // whose magnitude is a number
      const auto magnitude = math::hypot(a.real(), a.imag());
      return magnitude == 0 ? C(0) : C(a.real() / magnitude, a.imag() / magnitude);
    } else {
      return static_cast<C>(a > 0 ? C(1) : (a < 0 ? C(-1) : (a == 0 ? C(0) : a)));
    }
  }
};
/// -1, 0 or 1; -0 gives 0, NaN stays NaN. Of complex elements x / |x|, and 0 for 0.
export template <NumericArgument O>
auto sign(O&& x) {
  return make_unary<Sign, value_of<O>>(std::forward<O>(x));
}

struct Square {
  static constexpr const char* name = "square";
  static constexpr const char* device = "tessera_multiply($0, $0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return Multiply::apply(a, a);
  }
};
/// x * x.
export template <NumericArgument O>
auto square(O&& x) {
  return make_unary<Square, value_of<O>>(std::forward<O>(x));
}

struct Reciprocal {
  static constexpr const char* name = "reciprocal";
  static constexpr const char* device = "tessera_reciprocal($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return Divide::apply(C(1), a);
  }
};
/// 1 / x.
export template <InexactArgument O>
auto reciprocal(O&& x) {
  return make_unary<Reciprocal, value_of<O>>(std::forward<O>(x));
}

struct Maximum {
  static constexpr const char* name = "maximum";
  static constexpr const char* device = "tessera_maximum($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return a > b || a != a ? a : b;
  }
};
/// The larger of two elements; NaN if one of them is.
export template <class L, class R>
  requires RealOperands<L, R>
auto maximum(L&& a, R&& b) {
  return make_fitting_binary<Maximum, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Minimum {
  static constexpr const char* name = "minimum";
  static constexpr const char* device = "tessera_minimum($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return a < b || a != a ? a : b;
  }
};
/// The smaller of two elements; NaN if one of them is.
export template <class L, class R>
  requires RealOperands<L, R>
auto minimum(L&& a, R&& b) {
  return make_fitting_binary<Minimum, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

template <class Bound>
inline constexpr bool is_no_bound = std::same_as<std::remove_cvref_t<Bound>, std::remove_cvref_t<decltype(none)>>;

/// x cut to [low, high], which are scalars, operands that broadcast, or `none` for no bound. NaN in x or a bound gives NaN; where
/// low is above high the result is high.
export template <RealOperand O, class Low, class High>
  requires(is_no_bound<Low> || RealOperands<O, Low>) && (is_no_bound<High> || RealOperands<O, High>)
auto clip(O&& x, Low&& low, High&& high) {
  if constexpr (!is_no_bound<Low>) {
    return clip(maximum(std::forward<O>(x), std::forward<Low>(low)), none, std::forward<High>(high));
  } else if constexpr (!is_no_bound<High>) {
    return minimum(std::forward<O>(x), std::forward<High>(high));
  } else {
    return as_node(std::forward<O>(x));
  }
}

struct CopySign {
  static constexpr const char* name = "copysign";
  static constexpr const char* device = "copysign($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return __builtin_elementwise_copysign(a, b);
  }
};
/// a with the sign of b.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto copysign(L&& a, R&& b) {
  return make_binary<CopySign, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

/// The neighbour of a in T, not only in the compute type, towards b.
template <Floating T>
struct NextAfter {
  static constexpr const char* name = "nextafter";
  static constexpr const char* device = std::same_as<T, float16>    ? "tessera_nextafter_float16($0, $1)"
                                        : std::same_as<T, bfloat16> ? "tessera_nextafter_bfloat16($0, $1)"
                                                                    : "nextafter($0, $1)";

  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    const Bits bits = bits_of(T(a));
    const Bits sign = bits & static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const bool away_from_zero = (a < b) == (sign == 0);
    const Bits stepped = static_cast<Bits>(away_from_zero ? bits + 1u : bits - 1u);
    const Bits smallest =
        static_cast<Bits>(a < b ? Bits{1} : Bits{1} | static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1)));
    const C next = static_cast<C>(from_bits(a == 0 ? smallest : stepped));
    const C other = a == b ? b : next;
    return a != a || b != b ? a + b : other;
  }

 private:
  [[gnu::always_inline]] static Bits bits_of(T value) {
    if constexpr (sizeof(T) == 2)
      return value.bits();
    else
      return std::bit_cast<Bits>(value);
  }
  [[gnu::always_inline]] static T from_bits(Bits bits) {
    if constexpr (sizeof(T) == 2)
      return T::from_bits(bits);
    else
      return std::bit_cast<T>(bits);
  }
};
/// The number next to a in its type, towards b; b where they are equal.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto nextafter(L&& a, R&& b) {
  using T = common_value_t<L, R>;
  return make_binary<NextAfter<T>, T>(std::forward<L>(a), std::forward<R>(b));
}

}  // namespace tessera
