export module tessera.expr:gpu_complex;

// CUDA C++ of complex numbers, to follow device_prelude in kernels that have complex values. Products and quotients
// are those of complex_math.cppm. The inverse functions are Kahan's: "Branch cuts for complex elementary functions" (1987).
namespace tessera {

/// Device code of complex numbers.
inline constexpr const char* device_complex = R"cuda(
template <class P> struct tessera_complex {
  P re, im;
  __device__ tessera_complex(P real = 0, P imaginary = 0) : re(real), im(imaginary) {}
  template <class Q>
  __device__ explicit tessera_complex(const tessera_complex<Q>& z) : re((P)z.re), im((P)z.im) {}
};
template <class P> struct tessera_is_floating<tessera_complex<P> > { static const bool value = true; };
template <class P> __device__ inline bool operator==(tessera_complex<P> a, tessera_complex<P> b) {
  return a.re == b.re && a.im == b.im;
}
template <class P> __device__ inline bool operator!=(tessera_complex<P> a, tessera_complex<P> b) { return !(a == b); }
template <class P> __device__ inline bool operator!=(tessera_complex<P> a, int b) { return a.re != b || a.im != 0; }
template <class P> __device__ inline tessera_complex<P> tessera_add(tessera_complex<P> a, tessera_complex<P> b) {
  return tessera_complex<P>(a.re + b.re, a.im + b.im);
}
template <class P> __device__ inline tessera_complex<P> tessera_subtract(tessera_complex<P> a, tessera_complex<P> b) {
  return tessera_complex<P>(a.re - b.re, a.im - b.im);
}
template <class P> __device__ inline tessera_complex<P> tessera_negate(tessera_complex<P> a) {
  return tessera_complex<P>(-a.re, -a.im);
}
template <class P> __device__ inline bool tessera_is_infinite(tessera_complex<P> a) {
  return tessera_isinf(a.re) || tessera_isinf(a.im);
}
// Each product is rounded on its own, as on the host.
__device__ inline float tessera_rounded_product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double tessera_rounded_product(double a, double b) { return __dmul_rn(a, b); }
template <class P> __device__ inline tessera_complex<P> tessera_multiply(tessera_complex<P> a, tessera_complex<P> b) {
  return tessera_complex<P>(tessera_rounded_product(a.re, b.re) - tessera_rounded_product(a.im, b.im),
                            tessera_rounded_product(a.re, b.im) + tessera_rounded_product(a.im, b.re));
}
template <class P> __device__ inline tessera_complex<P> tessera_divide(tessera_complex<P> a, tessera_complex<P> b) {
  const bool imag_leads = !(fabs(b.re) >= fabs(b.im));
  const P large = tessera_largest((P)0) / 4;
  if (fabs(a.re) > large || fabs(a.im) > large || fabs(b.re) > large || fabs(b.im) > large) {
    a = tessera_complex<P>(a.re / 4, a.im / 4);
    b = tessera_complex<P>(b.re / 4, b.im / 4);
  }
  const P larger = imag_leads ? b.im : b.re, smaller = imag_leads ? b.re : b.im;
  const P of_infinities = copysign((P)1, smaller) * copysign((P)1, larger);
  const P ratio = larger == 0 ? (P)0 : fabs(smaller) > tessera_largest((P)0) ? of_infinities : smaller / larger;
  const P divisor = larger == 0 ? fabs(b.re) : larger + tessera_rounded_product(smaller, ratio);
  const P first = imag_leads ? a.im : a.re, second = imag_leads ? a.re : a.im;
  const P across = imag_leads ? tessera_rounded_product(first, ratio) - second
                              : second - tessera_rounded_product(first, ratio);
  return tessera_complex<P>((first + tessera_rounded_product(second, ratio)) / divisor, across / divisor);
}

template <class P> __device__ inline P tessera_real(tessera_complex<P> z) { return z.re; }
template <class P> __device__ inline P tessera_imag(tessera_complex<P> z) { return z.im; }
template <class P> __device__ inline P tessera_angle(tessera_complex<P> z) { return atan2(z.im, z.re); }
template <class P> __device__ inline tessera_complex<P> tessera_round(tessera_complex<P> z) { return tessera_complex<P>(rint(z.re), rint(z.im)); }
template <class P> __device__ inline tessera_complex<P> tessera_round_decimals(tessera_complex<P> z, tessera_complex<P> up, tessera_complex<P> down) {
  return tessera_complex<P>(tessera_round_decimals(z.re, up.re, down.re), tessera_round_decimals(z.im, up.re, down.re));
}
template <class P> __device__ inline P tessera_abs(tessera_complex<P> z) { return hypot(z.re, z.im); }
template <class P> __device__ inline tessera_complex<P> tessera_conj(tessera_complex<P> z) {
  return tessera_complex<P>(z.re, -z.im);
}
// z times i.
template <class P> __device__ inline tessera_complex<P> tessera_turned(tessera_complex<P> z) {
  return tessera_complex<P>(-z.im, z.re);
}
// z divided by i.
template <class P> __device__ inline tessera_complex<P> tessera_turned_back(tessera_complex<P> z) {
  return tessera_complex<P>(z.im, -z.re);
}
template <class P> __device__ inline tessera_complex<P> tessera_sign(tessera_complex<P> z) {
  const P large = tessera_largest((P)0) / 4;
  if (fabs(z.re) > large || fabs(z.im) > large) z = tessera_complex<P>(z.re / 4, z.im / 4);
  const P magnitude = tessera_abs(z);
  return magnitude == 0 ? tessera_complex<P>() : tessera_complex<P>(z.re / magnitude, z.im / magnitude);
}
template <class P> __device__ inline bool tessera_isnan(tessera_complex<P> z) { return z.re != z.re || z.im != z.im; }
template <class P> __device__ inline bool tessera_isinf(tessera_complex<P> z) { return tessera_is_infinite(z); }
template <class P> __device__ inline bool tessera_isfinite(tessera_complex<P> z) {
  return tessera_isfinite(z.re) && tessera_isfinite(z.im);
}
template <class T> struct tessera_conversion_to {
  template <class P> __device__ static T of(tessera_complex<P> z) { return tessera_cast<T>(z.re); }
};
template <class T> struct tessera_conversion_to<tessera_complex<T> > {
  template <class P> __device__ static tessera_complex<T> of(tessera_complex<P> z) { return tessera_complex<T>(z); }
};
template <> struct tessera_conversion_to<bool> {
  template <class P> __device__ static bool of(tessera_complex<P> z) { return z.re != 0 || z.im != 0; }
};
template <class T, class P> __device__ inline T tessera_cast(tessera_complex<P> z) {
  return tessera_conversion_to<T>::of(z);
}

template <class P> __device__ inline tessera_complex<P> tessera_reciprocal(tessera_complex<P> z) {
  return tessera_divide(tessera_complex<P>(1), z);
}

template <class P> __device__ inline tessera_complex<P> exp(tessera_complex<P> z) {
  if (z.im == 0) return tessera_complex<P>(exp(z.re), z.im);
  const P half = exp(z.re / 2);  // in two steps, because e^x may overflow where its product with a cosine does not
  if (half == 0 && !tessera_isfinite(z.im)) return tessera_complex<P>();
  if (tessera_isinf(z.re) && !tessera_isfinite(z.im)) return tessera_complex<P>(half, z.im - z.im);
  return tessera_complex<P>(half * (half * cos(z.im)), half * (half * sin(z.im)));
}
template <class P> __device__ inline tessera_complex<P> log(tessera_complex<P> z) {
  const P magnitude = tessera_abs(z);
  const P larger = fmax(fabs(z.re), fabs(z.im)), smaller = fmin(fabs(z.re), fabs(z.im));
  const bool near_one = magnitude > (P)0.5 && magnitude < 2;
  const P re = near_one ? log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2 : log(magnitude);
  return tessera_complex<P>(re, tessera_angle(z));
}
template <class P> __device__ inline tessera_complex<P> log1p(tessera_complex<P> z) {
  const P re = log1p(z.re * (2 + z.re) + z.im * z.im) / 2;
  return tessera_abs(z) < (P)0.5 ? tessera_complex<P>(re, atan2(z.im, 1 + z.re))
                                 : log(tessera_complex<P>(1 + z.re, z.im));
}
template <class P> __device__ inline tessera_complex<P> expm1(tessera_complex<P> z) {
  const P half_sine = sin(z.im / 2);
  const P e = exp(z.re);
  return tessera_complex<P>(expm1(z.re) * cos(z.im) - 2 * half_sine * half_sine, z.im == 0 ? z.im : e * sin(z.im));
}
template <class P> __device__ inline tessera_complex<P> log2(tessera_complex<P> z) {
  z = log(z);
  return tessera_complex<P>(z.re * (P)1.44269504088896340735992468100, z.im * (P)1.44269504088896340735992468100);
}
template <class P> __device__ inline tessera_complex<P> log10(tessera_complex<P> z) {
  z = log(z);
  return tessera_complex<P>(z.re * (P)0.434294481903251827651128918917, z.im * (P)0.434294481903251827651128918917);
}
template <class P> __device__ inline tessera_complex<P> sqrt(tessera_complex<P> z) {
  if (z.re == 0 && z.im == 0) return tessera_complex<P>(0, z.im);
  if (tessera_isinf(z.im)) return tessera_complex<P>(fabs(z.im), z.im);
  const P magnitude = tessera_abs(z) / 2;
  const P root = sqrt(magnitude + fabs(z.re) / 2);
  const P other = z.im / (2 * root);
  return z.re >= 0 ? tessera_complex<P>(root, other) : tessera_complex<P>(fabs(other), copysign(root, z.im));
}
template <class P> __device__ inline tessera_complex<P> sinh(tessera_complex<P> z) {
  return tessera_complex<P>(sinh(z.re) * cos(z.im), z.im == 0 ? z.im : cosh(z.re) * sin(z.im));
}
template <class P> __device__ inline tessera_complex<P> cosh(tessera_complex<P> z) {
  return tessera_complex<P>(cosh(z.re) * cos(z.im), z.im == 0 ? z.im : sinh(z.re) * sin(z.im));
}
template <class P> __device__ inline tessera_complex<P> tanh(tessera_complex<P> z) {
  if (fabs(z.re) > 20) {
    return tessera_complex<P>(copysign((P)1, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re)));
  }
  const P tangent = tan(z.im), sine = sinh(z.re), secant = 1 + tangent * tangent, cosine = sqrt(1 + sine * sine);
  const P norm = 1 + secant * sine * sine;
  return tessera_complex<P>(secant * cosine * sine / norm, tangent / norm);
}
template <class P> __device__ inline tessera_complex<P> sin(tessera_complex<P> z) {
  return tessera_turned_back(sinh(tessera_turned(z)));
}
template <class P> __device__ inline tessera_complex<P> cos(tessera_complex<P> z) { return cosh(tessera_turned(z)); }
template <class P> __device__ inline tessera_complex<P> tan(tessera_complex<P> z) {
  return tessera_turned_back(tanh(tessera_turned(z)));
}
// sqrt(1 - z) and sqrt(1 + z), with the signs of zero that the branch cuts need.
template <class P> __device__ inline tessera_complex<P> tessera_root_below(tessera_complex<P> z) {
  return sqrt(tessera_complex<P>(1 - z.re, -z.im));
}
template <class P> __device__ inline tessera_complex<P> tessera_root_above(tessera_complex<P> z) {
  return sqrt(tessera_complex<P>(1 + z.re, z.im));
}
template <class P> __device__ inline tessera_complex<P> acos(tessera_complex<P> z) {
  const tessera_complex<P> below = tessera_root_below(z), above = tessera_root_above(z);
  return tessera_complex<P>(2 * atan2(below.re, above.re), asinh(above.re * below.im - above.im * below.re));
}
template <class P> __device__ inline tessera_complex<P> asin(tessera_complex<P> z) {
  const tessera_complex<P> below = tessera_root_below(z), above = tessera_root_above(z);
  return tessera_complex<P>(atan2(z.re, below.re * above.re - below.im * above.im),
                            asinh(below.re * above.im - below.im * above.re));
}
template <class P> __device__ inline tessera_complex<P> acosh(tessera_complex<P> z) {
  const tessera_complex<P> below = sqrt(tessera_complex<P>(z.re - 1, z.im)), above = tessera_root_above(z);
  return tessera_complex<P>(asinh(below.re * above.re + below.im * above.im), 2 * atan2(below.im, above.re));
}
template <class P> __device__ inline tessera_complex<P> asinh(tessera_complex<P> z) {
  return tessera_turned_back(asin(tessera_turned(z)));
}
template <class P> __device__ inline tessera_complex<P> atanh(tessera_complex<P> z) {
  const P x = fabs(z.re), away = 1 - x;  // an odd function: near -1 the logarithm would cancel
  const P re = log1p(4 * x / (away * away + z.im * z.im)) / 4;
  return tessera_complex<P>(copysign(re, z.re), atan2(2 * z.im, away * (1 + x) - z.im * z.im) / 2);
}
template <class P> __device__ inline tessera_complex<P> atan(tessera_complex<P> z) {
  return tessera_turned_back(atanh(tessera_turned(z)));
}
template <class P> __device__ inline tessera_complex<P> tessera_pow(tessera_complex<P> a, tessera_complex<P> b) {
  if (b.re == 0 && b.im == 0) return tessera_complex<P>(1);
  const P undefined = (P)0 / (P)0;
  if (a.re == 0 && a.im == 0) return b.re > 0 ? tessera_complex<P>() : tessera_complex<P>(undefined, undefined);
  return exp(tessera_multiply(b, log(a)));
}
)cuda";

}  // namespace tessera
