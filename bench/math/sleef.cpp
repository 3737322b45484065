// SLEEF as a peer: its functions of 1.0 ULP.
#include "vectors.hpp"

#ifdef __AVX512F__
#define MATH_ADD add_sleef_avx512
#define MATH_FLOAT(name) Sleef_##name##f16_u10avx512f
#define MATH_DOUBLE(name) Sleef_##name##d8_u10avx512f
#define MATH_ERFC Sleef_erfcf16_u15avx512f
#else
#define MATH_ADD add_sleef_avx2
#define MATH_FLOAT(name) Sleef_##name##f8_u10avx2
#define MATH_DOUBLE(name) Sleef_##name##d4_u10avx2
#define MATH_ERFC Sleef_erfcf8_u15avx2
#endif

#if MATH_HAVE_SLEEF
#include <sleef.h>

namespace math_bench {

void MATH_ADD(Peers32& floats, Peers64& doubles) {
#define MATH_ENTRY(name)                                                        \
  floats.push_back({"SLEEF", #name, isa_name, unary<float, MATH_FLOAT(name)>}); \
  doubles.push_back({"SLEEF", #name, isa_name, unary<double, MATH_DOUBLE(name)>})

  MATH_ENTRY(exp);
  MATH_ENTRY(expm1);
  MATH_ENTRY(exp2);
  MATH_ENTRY(log);
  MATH_ENTRY(log1p);
  MATH_ENTRY(log2);
  MATH_ENTRY(log10);
  MATH_ENTRY(tanh);
  MATH_ENTRY(sinh);
  MATH_ENTRY(cosh);
  MATH_ENTRY(sin);
  MATH_ENTRY(cos);
  MATH_ENTRY(tan);
  MATH_ENTRY(asin);
  MATH_ENTRY(acos);
  MATH_ENTRY(atan);
  MATH_ENTRY(erf);
  MATH_ENTRY(cbrt);
  MATH_ENTRY(asinh);
  MATH_ENTRY(acosh);
  MATH_ENTRY(atanh);

  floats.push_back({"SLEEF", "erfc", isa_name, unary<float, MATH_ERFC>});
  floats.push_back({"SLEEF", "pow", isa_name, binary<float, MATH_FLOAT(pow)>});
  doubles.push_back({"SLEEF", "pow", isa_name, binary<double, MATH_DOUBLE(pow)>});
  floats.push_back({"SLEEF", "atan2", isa_name, binary<float, MATH_FLOAT(atan2)>});
  doubles.push_back({"SLEEF", "atan2", isa_name, binary<double, MATH_DOUBLE(atan2)>});
}

}  // namespace math_bench
#else
namespace math_bench {
void MATH_ADD(Peers32&, Peers64&) {}
}  // namespace math_bench
#endif
