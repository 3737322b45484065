// glibc's libmvec as a peer, through its vector ABI.
#include "vectors.hpp"

#ifdef __AVX512F__
#define MATH_UNARY(name)              \
  Floats _ZGVeN16v_##name##f(Floats); \
  Doubles _ZGVeN8v_##name(Doubles)
#define MATH_BINARY(name)                      \
  Floats _ZGVeN16vv_##name##f(Floats, Floats); \
  Doubles _ZGVeN8vv_##name(Doubles, Doubles)
#define MATH_FLOAT(name) _ZGVeN16v_##name##f
#define MATH_DOUBLE(name) _ZGVeN8v_##name
#define MATH_FLOAT2(name) _ZGVeN16vv_##name##f
#define MATH_DOUBLE2(name) _ZGVeN8vv_##name
#define MATH_ADD add_libmvec_avx512
#else
#define MATH_UNARY(name)             \
  Floats _ZGVdN8v_##name##f(Floats); \
  Doubles _ZGVdN4v_##name(Doubles)
#define MATH_BINARY(name)                     \
  Floats _ZGVdN8vv_##name##f(Floats, Floats); \
  Doubles _ZGVdN4vv_##name(Doubles, Doubles)
#define MATH_FLOAT(name) _ZGVdN8v_##name##f
#define MATH_DOUBLE(name) _ZGVdN4v_##name
#define MATH_FLOAT2(name) _ZGVdN8vv_##name##f
#define MATH_DOUBLE2(name) _ZGVdN4vv_##name
#define MATH_ADD add_libmvec_avx2
#endif

#define MATH_FOR_EACH(apply)                                                                                   \
  apply(exp) apply(expm1) apply(exp2) apply(log) apply(log1p) apply(log2) apply(log10) apply(tanh) apply(sinh) \
      apply(cosh) apply(sin) apply(cos) apply(tan) apply(asin) apply(acos) apply(atan) apply(erf) apply(erfc)  \
          apply(cbrt) apply(asinh) apply(acosh) apply(atanh)

namespace math_bench {

#if MATH_HAVE_LIBMVEC
extern "C" {
#define MATH_DECLARE(name) MATH_UNARY(name);
MATH_FOR_EACH(MATH_DECLARE)
MATH_BINARY(pow);
MATH_BINARY(atan2);
MATH_BINARY(hypot);
}

void MATH_ADD(Peers32& floats, Peers64& doubles) {
#define MATH_ENTRY(name)                                                          \
  floats.push_back({"libmvec", #name, isa_name, unary<float, MATH_FLOAT(name)>}); \
  doubles.push_back({"libmvec", #name, isa_name, unary<double, MATH_DOUBLE(name)>});
  MATH_FOR_EACH(MATH_ENTRY)
#define MATH_ENTRY2(name)                                                           \
  floats.push_back({"libmvec", #name, isa_name, binary<float, MATH_FLOAT2(name)>}); \
  doubles.push_back({"libmvec", #name, isa_name, binary<double, MATH_DOUBLE2(name)>});
  MATH_ENTRY2(pow)
  MATH_ENTRY2(atan2)
  MATH_ENTRY2(hypot)
}
#else
void MATH_ADD(Peers32&, Peers64&) {}
#endif

}  // namespace math_bench
