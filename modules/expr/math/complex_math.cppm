module;
#include <cmath>
export module tessera.expr:complex_math;
import tessera.standard;

// Elementary functions of complex numbers. Products and quotients are plain arithmetic, which vectorises; the others go to
// the C library, one element at a time, and are right at infinities and along branch cuts as C's Annex G says.
namespace tessera::math {

/// a * b by the formula of the textbook. As in NumPy, a factor with an infinite part may give NaN in both parts.
template <class P>
[[gnu::always_inline]] inline std::complex<P> product(std::complex<P> a, std::complex<P> b) {
  // Each product is rounded on its own: fused ones would leave z * conj(z) an imaginary part.
  const P real_real = a.real() * b.real();
  const P imag_imag = a.imag() * b.imag();
  const P real_imag = a.real() * b.imag();
  const P imag_real = a.imag() * b.real();
  return {real_real - imag_imag, real_imag + imag_real};
}

/// a / b by R. Smith's algorithm (1962), without overflow between: parts in the upper half of the range are halved on both sides. Division
/// by zero gives infinities or NaN as that of each part by |b| does; a finite number divided by one with an infinite part is 0.
template <class P>
[[gnu::always_inline]] inline std::complex<P> quotient(std::complex<P> a, std::complex<P> b) {
  constexpr P large = std::numeric_limits<P>::max() / 4;
  constexpr P infinity = std::numeric_limits<P>::infinity();
  const P real_size = __builtin_elementwise_abs(b.real());
  const P imag_size = __builtin_elementwise_abs(b.imag());
  const bool imag_leads = !(real_size >= imag_size);  // NaN leads
  const bool is_large = real_size > large || imag_size > large || __builtin_elementwise_abs(a.real()) > large ||
                        __builtin_elementwise_abs(a.imag()) > large;
  const P scale = is_large ? P(0.25) : P(1);
  a = {a.real() * scale, a.imag() * scale};
  b = {b.real() * scale, b.imag() * scale};
  const P larger = imag_leads ? b.imag() : b.real();
  const P smaller = imag_leads ? b.real() : b.imag();
  const bool by_zero = larger == 0;
  const bool is_infinite = __builtin_elementwise_abs(smaller) == infinity;  // and so is the larger one
  const P of_infinities = __builtin_elementwise_copysign(P(1), smaller) * __builtin_elementwise_copysign(P(1), larger);
  const P ratio = by_zero ? P(0) : is_infinite ? of_infinities : smaller / larger;
  const P rest = smaller * ratio;
  const P divisor = by_zero ? real_size : larger + rest;
  const P first = imag_leads ? a.imag() : a.real();
  const P second = imag_leads ? a.real() : a.imag();
  const P second_part = second * ratio;
  const P first_part = first * ratio;
  const P across = imag_leads ? first_part - second : second - first_part;
  return {(first + second_part) / divisor, across / divisor};
}

template <class P>
[[gnu::always_inline]] inline std::complex<P> exp(std::complex<P> z) {
  return std::exp(z);
}
/// e^z - 1, accurate near 0.
template <class P>
[[gnu::always_inline]] inline std::complex<P> expm1(std::complex<P> z) {
  constexpr P infinity = std::numeric_limits<P>::infinity();
  if (z.real() == -infinity && !(std::abs(z.imag()) < infinity)) return {P(-1), P(0)};  // e^z is 0, whatever its angle
  const P half_sine = std::sin(z.imag() / 2);
  const P real = std::expm1(z.real()) * std::cos(z.imag()) - 2 * half_sine * half_sine;
  return {real, z.imag() == 0 ? z.imag() : std::exp(z.real()) * std::sin(z.imag())};
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> log(std::complex<P> z) {
  return std::log(z);
}
/// log(1 + z), accurate near 0.
template <class P>
[[gnu::always_inline]] inline std::complex<P> log1p(std::complex<P> z) {
  if (!(std::abs(z.real()) < P(0.5) && std::abs(z.imag()) < P(0.5))) return std::log(P(1) + z);
  const P grows = z.real() * (2 + z.real()) + z.imag() * z.imag();  // |1 + z|^2 - 1
  return {std::log1p(grows) / 2, std::atan2(z.imag(), 1 + z.real())};
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> log2(std::complex<P> z) {
  const std::complex<P> natural = std::log(z);
  constexpr P log2_e = P(1.44269504088896340735992468100);
  return {natural.real() * log2_e, natural.imag() * log2_e};
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> log10(std::complex<P> z) {
  const std::complex<P> natural = std::log(z);
  constexpr P log10_e = P(0.434294481903251827651128918917);
  return {natural.real() * log10_e, natural.imag() * log10_e};
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> sqrt(std::complex<P> z) {
  return std::sqrt(z);
}
/// a^b on the principal branch. a^0 is 1; 0^b is 0 where the real part of b is above 0, NaN elsewhere.
template <class P>
[[gnu::always_inline]] inline std::complex<P> pow(std::complex<P> a, std::complex<P> b) {
  if (b == P(0)) return P(1);
  constexpr P undefined = std::numeric_limits<P>::quiet_NaN();
  if (a == P(0)) return b.real() > 0 ? std::complex<P>(0) : std::complex<P>(undefined, undefined);
  return std::exp(product(b, std::log(a)));
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> sin(std::complex<P> z) {
  return std::sin(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> cos(std::complex<P> z) {
  return std::cos(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> tan(std::complex<P> z) {
  return std::tan(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> asin(std::complex<P> z) {
  return std::asin(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> acos(std::complex<P> z) {
  return std::acos(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> atan(std::complex<P> z) {
  return std::atan(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> sinh(std::complex<P> z) {
  return std::sinh(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> cosh(std::complex<P> z) {
  return std::cosh(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> tanh(std::complex<P> z) {
  return std::tanh(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> asinh(std::complex<P> z) {
  return std::asinh(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> acosh(std::complex<P> z) {
  return std::acosh(z);
}
template <class P>
[[gnu::always_inline]] inline std::complex<P> atanh(std::complex<P> z) {
  return std::atanh(z);
}

}  // namespace tessera::math
