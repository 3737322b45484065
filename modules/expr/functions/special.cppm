export module tessera.expr:special;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :operators;
import :vector_math;
import :library_math;

// Special functions and the activations of neural networks, of floating elements. An activation is one operation and not a
// composition of nodes, which would compute its argument once for each time that it is named.
namespace tessera {

struct Erf {
  static constexpr const char* name = "erf";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "erf($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::erf(a);
  }
};
/// Error function.
export template <FloatingArgument O>
auto erf(O&& x) {
  return make_unary<Erf, value_of<O>>(std::forward<O>(x));
}

struct Erfc {
  static constexpr const char* name = "erfc";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "erfc($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::erfc(a);
  }
};
/// 1 - erf(x), accurate where that is small.
export template <FloatingArgument O>
auto erfc(O&& x) {
  return make_unary<Erfc, value_of<O>>(std::forward<O>(x));
}

struct Lgamma {
  static constexpr const char* name = "lgamma";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "lgamma($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::lgamma(a);
  }
};
/// Logarithm of the magnitude of the gamma function; infinite at 0 and the negative integers.
export template <FloatingArgument O>
auto lgamma(O&& x) {
  return make_unary<Lgamma, value_of<O>>(std::forward<O>(x));
}

struct Sigmoid {
  static constexpr const char* name = "sigmoid";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_sigmoid($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sigmoid(a);
  }
};
/// 1 / (1 + e^-x), the logistic function.
export template <FloatingArgument O>
auto sigmoid(O&& x) {
  return make_unary<Sigmoid, value_of<O>>(std::forward<O>(x));
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
export template <RealArgument O>
auto relu(O&& x) {
  return make_unary<Relu, value_of<O>>(std::forward<O>(x));
}

struct LeakyRelu {
  static constexpr const char* name = "leaky_relu";
  static constexpr const char* device = "$0 > 0 ? $0 : tessera_multiply($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C slope) {
    return a > 0 ? a : a * slope;
  }
};
/// x where it is above 0, slope * x elsewhere. The slope is a scalar, which takes the type of x, or an operand that broadcasts.
export template <FloatingOperand O, class Slope = double>
  requires FloatingOperands<O, Slope>
auto leaky_relu(O&& x, Slope&& slope = 0.01) {
  return make_binary<LeakyRelu, common_value_t<O, Slope>>(std::forward<O>(x), std::forward<Slope>(slope));
}

struct Softplus {
  static constexpr const char* name = "softplus";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_softplus($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return (a < 0 ? C(0) : a) + math::log1p(math::exp(-__builtin_elementwise_abs(a)));
  }
};
/// log(1 + e^x), without overflow.
export template <FloatingArgument O>
auto softplus(O&& x) {
  return make_unary<Softplus, value_of<O>>(std::forward<O>(x));
}

struct Silu {
  static constexpr const char* name = "silu";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_silu($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return a == -std::numeric_limits<C>::infinity() ? -C(0) : a * math::sigmoid(a);
  }
};
/// x * sigmoid(x), also called swish; 0 at -inf.
export template <FloatingArgument O>
auto silu(O&& x) {
  return make_unary<Silu, value_of<O>>(std::forward<O>(x));
}

struct Gelu {
  static constexpr const char* name = "gelu";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_gelu($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    constexpr C sqrt_half = C(0.707106781186547524400844362105);
    const C weight = C(0.5) * (C(1) + math::erf(a * sqrt_half));
    return a == -std::numeric_limits<C>::infinity() ? -C(0) : a * weight;
  }
};
/// x * (1 + erf(x / sqrt(2))) / 2, the exact Gaussian error linear unit; 0 at -inf.
export template <FloatingArgument O>
auto gelu(O&& x) {
  return make_unary<Gelu, value_of<O>>(std::forward<O>(x));
}

}  // namespace tessera
