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
  static constexpr const char* device = "tessera_round($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (Complex<C>)
      return {__builtin_elementwise_roundeven(a.real()), __builtin_elementwise_roundeven(a.imag())};
    else
      return __builtin_elementwise_roundeven(a);
  }
};
/// Nearest integer, ties to even; of complex elements both parts.
export template <class O>
  requires FloatingValue<O> || NumericOperand<O>
auto round(O&& x) {
  if constexpr (Floating<value_of<O>> || Complex<value_of<O>>)
    return make_unary<Round, value_of<O>>(std::forward<O>(x));
  else
    return as_node(std::forward<O>(x));
}

/// To a multiple of down / up, powers of ten of which one is 1, so that both are exact.
struct RoundDecimals {
  static constexpr const char* name = "round";
  static constexpr const char* device = "tessera_round_decimals($0, $1, $2)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C up, C down) {
    if constexpr (Complex<C>) {
      return {apply(a.real(), up.real(), down.real()), apply(a.imag(), up.real(), down.real())};
    } else {
      const C scaled = a * up / down;
      const C whole = __builtin_elementwise_roundeven(scaled);
      const C rounded = whole == 0 ? whole : whole * down / up;
      return scaled - scaled == 0 ? rounded : a;  // what is too large to be scaled has no decimals
    }
  }
};

/// Integers to a multiple of a power of ten, ties to even multiples; 0 if the type does not hold the power. Wraps where the nearest multiple is no
/// value of the type.
struct RoundInteger {
  static constexpr const char* name = "round";
  static constexpr const char* device = "tessera_round_integer($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C scale) {
    using Unsigned = std::make_unsigned_t<C>;
    if (scale == 0) return 0;
    const C left = static_cast<C>(a % scale);
    const C rest = static_cast<C>(left < 0 ? left + scale : left);
    const auto lower = static_cast<C>(static_cast<Unsigned>(a) - static_cast<Unsigned>(rest));
    const C above = static_cast<C>(scale - rest);
    const bool is_up = rest > above || (rest == above && (lower / scale) % 2 != 0);
    return static_cast<C>(static_cast<Unsigned>(lower) + static_cast<Unsigned>(is_up ? scale : C(0)));
  }
};

/// 10^decimals: infinite, or of integers 0, where a type does not hold it.
template <class C>
C power_of_ten(int decimals) {
  constexpr int beyond = 400;  // what no type holds
  C power(1);
  for (int i = 0; i < std::min(decimals, beyond); ++i) {
    if constexpr (std::integral<C>) {
      if (power > std::numeric_limits<C>::max() / 10) return 0;
    }
    power = static_cast<C>(power * C(10));
  }
  return power;
}

/// To `decimals` digits behind the point, of tens, hundreds, ... if they are negative; ties to even multiples; of complex elements both parts. As in NumPy x is multiplied by a
/// power of ten, rounded and divided: a number that is no decimal fraction may become another neighbour than its exact value says. Integers are as
/// they are unless `decimals` is negative.
export template <NumericOperand O>
auto round(O&& x, int decimals) {
  using T = value_of<O>;
  using C = compute_t<T>;
  const int tens = -std::max(decimals, -std::numeric_limits<int>::max());
  const auto scalar = [](C value) { return scalar_node<C>(value, ToElement<C>()); };
  if constexpr (std::same_as<T, bool>) {
    return as_node(std::forward<O>(x));
  } else if constexpr (Floating<T> || Complex<T>) {
    const C up = decimals > 0 ? power_of_ten<C>(decimals) : C(1);
    const C down = decimals < 0 ? power_of_ten<C>(tens) : C(1);
    return map_of<Uniform<RoundDecimals, C>, T>([&] { return as_node(std::forward<O>(x)); }, [&] { return scalar(up); },
                                                [&] { return scalar(down); });
  } else {
    const C power = decimals < 0 ? power_of_ten<C>(tens) : C(1);
    return map_of<Uniform<RoundInteger, C>, T>([&] { return as_node(std::forward<O>(x)); },
                                               [&] { return scalar(power); });
  }
}

}  // namespace tessera
