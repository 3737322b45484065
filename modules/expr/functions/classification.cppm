module;
#include <cstdint>
export module tessera.expr:classification;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;

// Questions about single elements. Integers are finite, and complex numbers are NaN or infinite when one of their parts is.
namespace tessera {

struct IsNan {
  static constexpr const char* name = "isnan";
  static constexpr const char* device = "tessera_isnan($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    return a != a;
  }
};
/// True where x is NaN.
export template <class O>
  requires InexactValue<O> || NumericOperand<O>
auto isnan(O&& x) {
  return make_unary<IsNan, bool>(std::forward<O>(x));
}

struct IsFinite {
  static constexpr const char* name = "isfinite";
  static constexpr const char* device = "tessera_isfinite($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    if constexpr (Complex<C>)
      return apply(a.real()) && apply(a.imag());
    else if constexpr (std::floating_point<C>)
      return a - a == C(0);
    else
      return true;
  }
};
/// True where x is neither infinite nor NaN.
export template <class O>
  requires InexactValue<O> || NumericOperand<O>
auto isfinite(O&& x) {
  return make_unary<IsFinite, bool>(std::forward<O>(x));
}

struct IsInf {
  static constexpr const char* name = "isinf";
  static constexpr const char* device = "tessera_isinf($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    if constexpr (Complex<C>)
      return apply(a.real()) || apply(a.imag());
    else if constexpr (std::floating_point<C>)
      return a == a && a - a != C(0);
    else
      return false;
  }
};
/// True where x is infinite.
export template <class O>
  requires InexactValue<O> || NumericOperand<O>
auto isinf(O&& x) {
  return make_unary<IsInf, bool>(std::forward<O>(x));
}

struct SignBit {
  static constexpr const char* name = "signbit";
  static constexpr const char* device = "tessera_signbit($0)";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    if constexpr (std::same_as<C, float>)
      return std::bit_cast<std::int32_t>(a) < 0;
    else if constexpr (std::same_as<C, double>)
      return std::bit_cast<std::int64_t>(a) < 0;
    else
      return a < 0;
  }
};
/// True where the sign of x is negative: below 0, and for -0 and NaN with that sign.
export template <class O>
  requires FloatingValue<O> || RealOperand<O>
auto signbit(O&& x) {
  return make_unary<SignBit, bool>(std::forward<O>(x));
}

}  // namespace tessera
