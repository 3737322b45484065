module;
#include <cmath>
export module tessera.expr:complex;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :vector_math;
import :library_math;

// The parts of complex numbers. Real numbers count as complex ones without an imaginary part.
namespace tessera {

struct RealPart {
  static constexpr const char* name = "real";
  static constexpr const char* device = "tessera_real($0)";
  template <class C>
  [[gnu::always_inline]] static auto apply(C a) {
    if constexpr (Complex<C>)
      return a.real();
    else
      return a;
  }
};
/// Real part, of the type of the parts; x itself for real elements.
export template <NumericOperand O>
auto real(O&& x) {
  return make_unary<RealPart, part_t<value_of<O>>>(std::forward<O>(x));
}

struct ImagPart {
  static constexpr const char* name = "imag";
  static constexpr const char* device = "tessera_imag($0)";
  template <class C>
  [[gnu::always_inline]] static auto apply(C a) {
    if constexpr (Complex<C>)
      return a.imag();
    else
      return C(0);
  }
};
/// Imaginary part, of the type of the parts; 0 for real elements.
export template <NumericOperand O>
auto imag(O&& x) {
  return make_unary<ImagPart, part_t<value_of<O>>>(std::forward<O>(x));
}

struct Conj {
  static constexpr const char* name = "conj";
  static constexpr const char* device = "tessera_conj($0)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a) {
    if constexpr (Complex<C>)
      return C(a.real(), -a.imag());
    else
      return a;
  }
};
/// x with the sign of the imaginary part changed; x itself for real elements.
export template <NumericOperand O>
auto conj(O&& x) {
  return make_unary<Conj, value_of<O>>(std::forward<O>(x));
}

struct Angle {
  static constexpr const char* name = "angle";
  static constexpr bool takes_long = true;
  static constexpr const char* device = "tessera_angle($0)";
  template <class C>
  [[gnu::always_inline]] static auto apply(C a) {
    if constexpr (Complex<C>)
      return math::atan2(a.imag(), a.real());
    else
      return math::atan2(C(0), a);
  }
};
/// Angle of x in the complex plane, in [-pi, pi] radians; 0 or pi for real elements.
export template <InexactOperand O>
auto angle(O&& x) {
  return make_unary<Angle, part_t<value_of<O>>>(std::forward<O>(x));
}

}  // namespace tessera
