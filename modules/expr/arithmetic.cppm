module;
#include <concepts>
#include <utility>
export module tessera.expr:arithmetic;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operators;
import :functions;
import :vector_math;
import :library_math;

// Elementwise arithmetic beyond the operators: signs, extremes, powers, tests, and compositions for neural networks.
namespace tessera {

struct Abs {
  static constexpr const char* name = "abs";
  static constexpr const char* device = "tessera_abs($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (std::floating_point<C>)
      return __builtin_elementwise_abs(a);
    else
      return a < 0 ? Subtract::apply(C(0), a) : a;
  }
};
/// Magnitude; the lowest integer of a signed type stays itself.
export template <RealOperand O>
auto abs(O&& x) {
  return make_unary<Abs, value_of<O>>(std::forward<O>(x));
}

struct Sign {
  static constexpr const char* name = "sign";
  static constexpr const char* device = "tessera_sign($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return static_cast<C>(a > 0 ? C(1) : (a < 0 ? C(-1) : a));
  }
};
/// -1, 0 or 1; NaN stays NaN.
export template <RealOperand O>
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
export template <RealOperand O>
auto square(O&& x) {
  return make_unary<Square, value_of<O>>(std::forward<O>(x));
}

struct Relu {
  static constexpr const char* name = "relu";
  static constexpr const char* device = "$0 < 0 ? 0 : $0";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return a < 0 ? C(0) : a;
  }
};
/// x where it is above 0, 0 elsewhere; NaN stays NaN.
export template <RealOperand O>
auto relu(O&& x) {
  return make_unary<Relu, value_of<O>>(std::forward<O>(x));
}

struct IsNan {
  static constexpr const char* name = "isnan";
  static constexpr const char* device = "tessera_isnan($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    return a != a;
  }
};
/// True where x is NaN.
export template <FloatingOperand O>
auto isnan(O&& x) {
  return make_unary<IsNan, bool>(std::forward<O>(x));
}

struct IsFinite {
  static constexpr const char* name = "isfinite";
  static constexpr const char* device = "tessera_isfinite($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    return a - a == C(0);
  }
};
/// True where x is neither infinite nor NaN.
export template <FloatingOperand O>
auto isfinite(O&& x) {
  return make_unary<IsFinite, bool>(std::forward<O>(x));
}

struct IsInf {
  static constexpr const char* name = "isinf";
  static constexpr const char* device = "tessera_isinf($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    return a == a && a - a != C(0);
  }
};
/// True where x is infinite.
export template <FloatingOperand O>
auto isinf(O&& x) {
  return make_unary<IsInf, bool>(std::forward<O>(x));
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
  requires OrderedOperands<L, R> && Numeric<common_value_t<L, R>>
auto maximum(L&& a, R&& b) {
  return make_binary<Maximum, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
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
  requires OrderedOperands<L, R> && Numeric<common_value_t<L, R>>
auto minimum(L&& a, R&& b) {
  return make_binary<Minimum, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Pow {
  static constexpr const char* name = "pow";
  static constexpr const char* device = "tessera_pow($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return math::pow(a, b);
  }
};
/// a to the power b.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto pow(L&& a, R&& b) {
  return make_binary<Pow, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Atan2 {
  static constexpr const char* name = "atan2";
  static constexpr const char* device = "atan2($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return math::atan2(a, b);
  }
};
/// Angle of the point (b, a), in radians.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto atan2(L&& a, R&& b) {
  return make_binary<Atan2, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Hypot {
  static constexpr const char* name = "hypot";
  static constexpr const char* device = "hypot($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return math::hypot(a, b);
  }
};
/// sqrt(a^2 + b^2) without overflow between.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto hypot(L&& a, R&& b) {
  return make_binary<Hypot, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
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

/// x cut to [low, high].
export template <RealOperand O, class Low, class High>
  requires Combinable<O, Low> && Combinable<O, High>
auto clip(O&& x, Low&& low, High&& high) {
  return minimum(maximum(std::forward<O>(x), std::forward<Low>(low)), std::forward<High>(high));
}

/// log(1 + e^x), without overflow.
export template <FloatingOperand O>
auto softplus(const O& x) {
  return maximum(x, value_of<O>(0)) + log1p(exp(-abs(x)));
}

/// x * sigmoid(x), also called swish.
export template <FloatingOperand O>
auto silu(const O& x) {
  return x * sigmoid(x);
}

/// x * (1 + erf(x / sqrt(2))) / 2, the exact Gaussian error linear unit.
export template <FloatingOperand O>
auto gelu(const O& x) {
  return 0.5 * x * (1.0 + erf(x * 0.70710678118654752440));
}

}  // namespace tessera
