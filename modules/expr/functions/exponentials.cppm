export module tessera.expr:exponentials;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :weak_scalar;
import :operators;
import :vector_math;
import :library_math;
import :complex_math;

// Exponentials, logarithms, powers and roots. They take floating elements, most of them complex ones too; float16 and bfloat16
// are computed in float. Accuracies stand in expr/math; complex functions are the C library's.
namespace tessera {

struct Exp {
  static constexpr const char* name = "exp";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "exp($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::exp(a);
  }
};
/// e^x.
export template <InexactArgument O>
auto exp(O&& x) {
  return make_unary<Exp, value_of<O>>(std::forward<O>(x));
}

struct Expm1 {
  static constexpr const char* name = "expm1";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "expm1($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::expm1(a);
  }
};
/// e^x - 1, accurate near 0.
export template <InexactArgument O>
auto expm1(O&& x) {
  return make_unary<Expm1, value_of<O>>(std::forward<O>(x));
}

struct Exp2 {
  static constexpr const char* name = "exp2";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "exp2($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::exp2(a);
  }
};
/// 2^x.
export template <FloatingArgument O>
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::log(a, guard);
  }
};
/// Natural logarithm; -inf at 0, NaN below. Of complex x with the imaginary part in [-pi, pi], cut along the negative real axis.
export template <InexactArgument O>
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
  template <class RangeGuard, std::same_as<double> C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::log1p(a, guard);
  }
};
/// log(1 + x), accurate near 0.
export template <InexactArgument O>
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::log2(a, guard);
  }
};
/// Logarithm to base 2.
export template <InexactArgument O>
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
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::log10(a, guard);
  }
};
/// Logarithm to base 10.
export template <InexactArgument O>
auto log10(O&& x) {
  return make_unary<Log10, value_of<O>>(std::forward<O>(x));
}

struct LogAddExp {
  static constexpr const char* name = "logaddexp";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_logaddexp($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    const C distance = __builtin_elementwise_abs(a - b);
    const C larger = a > b || a != a ? a : b;
    return larger + math::log1p(math::exp(a == b ? C(0) : -distance));  // of equal infinities the distance is NaN
  }
};
/// log(e^a + e^b) without overflow between.
export template <class L, class R>
  requires FloatingOperands<L, R>
auto logaddexp(L&& a, R&& b) {
  return make_binary<LogAddExp, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

struct Sqrt {
  static constexpr const char* name = "sqrt";
  static constexpr const char* device = "sqrt($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (Complex<C>)
      return math::sqrt(a);
    else
      return __builtin_elementwise_sqrt(a);
  }
};
/// Square root; NaN below 0. Of complex x the root with a real part not below 0.
export template <InexactArgument O>
auto sqrt(O&& x) {
  return make_unary<Sqrt, value_of<O>>(std::forward<O>(x));
}

struct Rsqrt {
  static constexpr const char* name = "rsqrt";
  static constexpr const char* device = "1 / sqrt($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return C(1) / __builtin_elementwise_sqrt(a);
  }
};
/// 1 / sqrt(x), rounded twice; inf at 0, NaN below.
export template <FloatingArgument O>
auto rsqrt(O&& x) {
  return make_unary<Rsqrt, value_of<O>>(std::forward<O>(x));
}

struct Cbrt {
  static constexpr const char* name = "cbrt";
  static constexpr const char* device = "cbrt($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    return math::cbrt(a);
  }
  template <class RangeGuard, std::floating_point C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a) {
    return math::cbrt(a, guard);
  }
};
/// Cube root.
export template <FloatingArgument O>
auto cbrt(O&& x) {
  return make_unary<Cbrt, value_of<O>>(std::forward<O>(x));
}

struct Pow {
  static constexpr const char* name = "pow";
  static constexpr const char* device = "tessera_pow($0, $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (is_integer<C>)
      return of_integers(a, b);
    else
      return math::pow(a, b);
  }
  template <class RangeGuard, std::same_as<double> C>
  [[gnu::always_inline]] static C within(RangeGuard& guard, C a, C b) {
    return math::pow(a, b, guard);
  }

  template <class C>
  [[gnu::always_inline]] static C of_integers(C a, C exponent) {
    if (exponent < 0) {
      if (a == static_cast<C>(-1)) return exponent % 2 == 0 ? C(1) : a;
      return C(a == 1 ? 1 : 0);
    }
    C result = 1;
    for (; exponent != 0; exponent = static_cast<C>(exponent / 2)) {
      if (exponent % 2 != 0) result = Multiply::apply(result, a);
      a = Multiply::apply(a, a);
    }
    return result;
  }
};
/// a to the power b; x^0 is 1. Of integers the result wraps, and a negative exponent gives 1 / a^|b| cut towards zero: 1 for 1, 1 or
/// -1 for -1, and 0 for all others, 0 among them.
export template <class L, class R>
  requires ArithmeticOperands<L, R>
auto pow(L&& a, R&& b) {
  return make_fitting_binary<Pow, common_value_t<L, R>>(std::forward<L>(a), std::forward<R>(b));
}

}  // namespace tessera
