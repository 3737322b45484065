module;
#include <concepts>
#include <type_traits>
#include <utility>
export module tessera.expr:functions;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operators;
import :vector_math;
import :library_math;

// Elementwise functions of arrays and expressions. Those of one argument that are not rational take floating elements;
// float16 and bfloat16 are computed in float. Accuracies stand in vector_math.cppm; the rest is the C library's.
namespace tessera {

/// An operand of floating elements.
export template <class O>
concept FloatingOperand = Operand<O> && (Floating<value_of<O>> ||
                                         unsatisfied<"the function takes floating elements: write cast<float>(...)">);

/// An operand of ordered numbers: integers or floating.
export template <class O>
concept RealOperand = Operand<O> && Real<value_of<O>> && Numeric<value_of<O>>;

/// Two operands of floating elements.
export template <class L, class R>
concept FloatingOperands = Combinable<L, R> && Floating<common_value_t<L, R>>;

struct Exp {
  static constexpr const char* name = "exp";
  static constexpr const char* device = "exp($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::exp(a);
  }
};
/// e^x.
export template <FloatingOperand O>
auto exp(O&& x) {
  return make_unary<Exp, value_of<O>>(std::forward<O>(x));
}

struct Expm1 {
  static constexpr const char* name = "expm1";
  static constexpr const char* device = "expm1($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::expm1(a);
  }
};
/// e^x - 1, accurate near 0.
export template <FloatingOperand O>
auto expm1(O&& x) {
  return make_unary<Expm1, value_of<O>>(std::forward<O>(x));
}

struct Exp2 {
  static constexpr const char* name = "exp2";
  static constexpr const char* device = "exp2($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::exp2(a);
  }
};
/// 2^x.
export template <FloatingOperand O>
auto exp2(O&& x) {
  return make_unary<Exp2, value_of<O>>(std::forward<O>(x));
}

struct Log {
  static constexpr const char* name = "log";
  static constexpr const char* device = "log($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::log(a);
  }
};
/// Natural logarithm; NaN below 0, -inf at 0.
export template <FloatingOperand O>
auto log(O&& x) {
  return make_unary<Log, value_of<O>>(std::forward<O>(x));
}

struct Log1p {
  static constexpr const char* name = "log1p";
  static constexpr const char* device = "log1p($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::log1p(a);
  }
};
/// log(1 + x), accurate near 0.
export template <FloatingOperand O>
auto log1p(O&& x) {
  return make_unary<Log1p, value_of<O>>(std::forward<O>(x));
}

struct Log2 {
  static constexpr const char* name = "log2";
  static constexpr const char* device = "log2($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::log2(a);
  }
};
/// Logarithm to base 2.
export template <FloatingOperand O>
auto log2(O&& x) {
  return make_unary<Log2, value_of<O>>(std::forward<O>(x));
}

struct Log10 {
  static constexpr const char* name = "log10";
  static constexpr const char* device = "log10($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::log10(a);
  }
};
/// Logarithm to base 10.
export template <FloatingOperand O>
auto log10(O&& x) {
  return make_unary<Log10, value_of<O>>(std::forward<O>(x));
}

struct Sqrt {
  static constexpr const char* name = "sqrt";
  static constexpr const char* device = "sqrt($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_sqrt(a);
  }
};
/// Square root; NaN below 0.
export template <FloatingOperand O>
auto sqrt(O&& x) {
  return make_unary<Sqrt, value_of<O>>(std::forward<O>(x));
}

struct Cbrt {
  static constexpr const char* name = "cbrt";
  static constexpr const char* device = "cbrt($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::cbrt(a);
  }
};
/// Cube root.
export template <FloatingOperand O>
auto cbrt(O&& x) {
  return make_unary<Cbrt, value_of<O>>(std::forward<O>(x));
}

struct Sin {
  static constexpr const char* name = "sin";
  static constexpr const char* device = "sin($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sin(a);
  }
};
/// Sine of an angle in radians.
export template <FloatingOperand O>
auto sin(O&& x) {
  return make_unary<Sin, value_of<O>>(std::forward<O>(x));
}

struct Cos {
  static constexpr const char* name = "cos";
  static constexpr const char* device = "cos($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::cos(a);
  }
};
/// Cosine of an angle in radians.
export template <FloatingOperand O>
auto cos(O&& x) {
  return make_unary<Cos, value_of<O>>(std::forward<O>(x));
}

struct Tan {
  static constexpr const char* name = "tan";
  static constexpr const char* device = "tan($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::tan(a);
  }
};
/// Tangent of an angle in radians.
export template <FloatingOperand O>
auto tan(O&& x) {
  return make_unary<Tan, value_of<O>>(std::forward<O>(x));
}

struct Asin {
  static constexpr const char* name = "asin";
  static constexpr const char* device = "asin($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::asin(a);
  }
};
/// Inverse sine, in radians.
export template <FloatingOperand O>
auto asin(O&& x) {
  return make_unary<Asin, value_of<O>>(std::forward<O>(x));
}

struct Acos {
  static constexpr const char* name = "acos";
  static constexpr const char* device = "acos($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::acos(a);
  }
};
/// Inverse cosine, in radians.
export template <FloatingOperand O>
auto acos(O&& x) {
  return make_unary<Acos, value_of<O>>(std::forward<O>(x));
}

struct Atan {
  static constexpr const char* name = "atan";
  static constexpr const char* device = "atan($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::atan(a);
  }
};
/// Inverse tangent, in radians.
export template <FloatingOperand O>
auto atan(O&& x) {
  return make_unary<Atan, value_of<O>>(std::forward<O>(x));
}

struct Sinh {
  static constexpr const char* name = "sinh";
  static constexpr const char* device = "sinh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sinh(a);
  }
};
/// Hyperbolic sine.
export template <FloatingOperand O>
auto sinh(O&& x) {
  return make_unary<Sinh, value_of<O>>(std::forward<O>(x));
}

struct Cosh {
  static constexpr const char* name = "cosh";
  static constexpr const char* device = "cosh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::cosh(a);
  }
};
/// Hyperbolic cosine.
export template <FloatingOperand O>
auto cosh(O&& x) {
  return make_unary<Cosh, value_of<O>>(std::forward<O>(x));
}

struct Tanh {
  static constexpr const char* name = "tanh";
  static constexpr const char* device = "tanh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::tanh(a);
  }
};
/// Hyperbolic tangent.
export template <FloatingOperand O>
auto tanh(O&& x) {
  return make_unary<Tanh, value_of<O>>(std::forward<O>(x));
}

struct Erf {
  static constexpr const char* name = "erf";
  static constexpr const char* device = "erf($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::erf(a);
  }
};
/// Error function.
export template <FloatingOperand O>
auto erf(O&& x) {
  return make_unary<Erf, value_of<O>>(std::forward<O>(x));
}

struct Sigmoid {
  static constexpr const char* name = "sigmoid";
  static constexpr const char* device = "tessera_sigmoid($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sigmoid(a);
  }
};
/// 1 / (1 + e^-x), the logistic function.
export template <FloatingOperand O>
auto sigmoid(O&& x) {
  return make_unary<Sigmoid, value_of<O>>(std::forward<O>(x));
}

struct Floor {
  static constexpr const char* name = "floor";
  static constexpr const char* device = "floor($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return __builtin_elementwise_floor(a);
  }
};
/// Largest integer not above x.
export template <FloatingOperand O>
auto floor(O&& x) {
  return make_unary<Floor, value_of<O>>(std::forward<O>(x));
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
export template <FloatingOperand O>
auto ceil(O&& x) {
  return make_unary<Ceil, value_of<O>>(std::forward<O>(x));
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
export template <FloatingOperand O>
auto trunc(O&& x) {
  return make_unary<Trunc, value_of<O>>(std::forward<O>(x));
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
export template <FloatingOperand O>
auto round(O&& x) {
  return make_unary<Round, value_of<O>>(std::forward<O>(x));
}

struct Reciprocal {
  static constexpr const char* name = "reciprocal";
  static constexpr const char* device = "1 / $0";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return C(1) / a;
  }
};
/// 1 / x.
export template <FloatingOperand O>
auto reciprocal(O&& x) {
  return make_unary<Reciprocal, value_of<O>>(std::forward<O>(x));
}

}  // namespace tessera
