export module tessera.expr:angles;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :vector_math;
import :library_math;
import :complex_math;

// Trigonometric and hyperbolic functions and their inverses, of floating and complex elements. Angles are in radians.
namespace tessera {

struct Sin {
  static constexpr const char* name = "sin";
  static constexpr const char* device = "sin($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sin(a);
  }
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::sin(a, guard);
  }
};
/// Sine.
export template <InexactArgument O>
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::cos(a, guard);
  }
};
/// Cosine.
export template <InexactArgument O>
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::tan(a, guard);
  }
};
/// Tangent.
export template <InexactArgument O>
auto tan(O&& x) {
  return make_unary<Tan, value_of<O>>(std::forward<O>(x));
}

struct Asin {
  static constexpr const char* name = "asin";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "asin($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::asin(a);
  }
};
/// Inverse sine, in [-pi/2, pi/2]; NaN outside of [-1, 1].
export template <InexactArgument O>
auto asin(O&& x) {
  return make_unary<Asin, value_of<O>>(std::forward<O>(x));
}

struct Acos {
  static constexpr const char* name = "acos";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "acos($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::acos(a);
  }
};
/// Inverse cosine, in [0, pi]; NaN outside of [-1, 1].
export template <InexactArgument O>
auto acos(O&& x) {
  return make_unary<Acos, value_of<O>>(std::forward<O>(x));
}

struct Atan {
  static constexpr const char* name = "atan";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "atan($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::atan(a);
  }
};
/// Inverse tangent, in [-pi/2, pi/2].
export template <InexactArgument O>
auto atan(O&& x) {
  return make_unary<Atan, value_of<O>>(std::forward<O>(x));
}

struct Sinh {
  static constexpr const char* name = "sinh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "sinh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::sinh(a);
  }
};
/// Hyperbolic sine.
export template <InexactArgument O>
auto sinh(O&& x) {
  return make_unary<Sinh, value_of<O>>(std::forward<O>(x));
}

struct Cosh {
  static constexpr const char* name = "cosh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "cosh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::cosh(a);
  }
};
/// Hyperbolic cosine.
export template <InexactArgument O>
auto cosh(O&& x) {
  return make_unary<Cosh, value_of<O>>(std::forward<O>(x));
}

struct Tanh {
  static constexpr const char* name = "tanh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tanh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::tanh(a);
  }
};
/// Hyperbolic tangent.
export template <InexactArgument O>
auto tanh(O&& x) {
  return make_unary<Tanh, value_of<O>>(std::forward<O>(x));
}

struct Asinh {
  static constexpr const char* name = "asinh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "asinh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::asinh(a);
  }
};
/// Inverse hyperbolic sine.
export template <InexactArgument O>
auto asinh(O&& x) {
  return make_unary<Asinh, value_of<O>>(std::forward<O>(x));
}

struct Acosh {
  static constexpr const char* name = "acosh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "acosh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::acosh(a);
  }
};
/// Inverse hyperbolic cosine; NaN below 1.
export template <InexactArgument O>
auto acosh(O&& x) {
  return make_unary<Acosh, value_of<O>>(std::forward<O>(x));
}

struct Atanh {
  static constexpr const char* name = "atanh";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "atanh($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::atanh(a);
  }
};
/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.
export template <InexactArgument O>
auto atanh(O&& x) {
  return make_unary<Atanh, value_of<O>>(std::forward<O>(x));
}

struct Atan2 {
  static constexpr const char* name = "atan2";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "atan2($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    return math::atan2(a, b);
  }
};
/// Angle of the point (b, a), in [-pi, pi].
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a, C b) {
    return math::hypot(a, b, guard);
  }
};
/// sqrt(a^2 + b^2) without overflow between.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto hypot(L&& a, R&& b) {
  return make_binary<Hypot, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Degrees {
  static constexpr const char* name = "degrees";
  static constexpr const char* device = "tessera_degrees($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return a * C(57.2957795130823208767981548141);
  }
};
/// x radians in degrees.
export template <FloatingArgument O>
auto degrees(O&& x) {
  return make_unary<Degrees, value_of<O>>(std::forward<O>(x));
}

struct Radians {
  static constexpr const char* name = "radians";
  static constexpr const char* device = "tessera_radians($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return a * C(0.0174532925199432957692369076849);
  }
};
/// x degrees in radians.
export template <FloatingArgument O>
auto radians(O&& x) {
  return make_unary<Radians, value_of<O>>(std::forward<O>(x));
}

}  // namespace tessera
