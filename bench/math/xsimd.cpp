// xsimd as a peer.
#include "vectors.hpp"

#ifdef __AVX512F__
#define MATH_ADD add_xsimd_avx512
#else
#define MATH_ADD add_xsimd_avx2
#endif

#if __has_include(<xsimd/xsimd.hpp>)
#ifdef __AVX512F__
#define xsimd xsimd_for_avx512  // or the linker would take one instruction set's templates for both
#endif
#include <xsimd/xsimd.hpp>

namespace math_bench {
namespace {

template <class T, auto function>
void over_batches(const T* x, const T* y, T* out, std::ptrdiff_t n) {
  using Batch = xsimd::batch<T>;
  for (std::ptrdiff_t i = 0; i < n; i += static_cast<std::ptrdiff_t>(Batch::size))
    function(Batch::load_unaligned(x + i), Batch::load_unaligned(y + i)).store_unaligned(out + i);
}

}  // namespace

void MATH_ADD(Peers32& floats, Peers64& doubles) {
#define MATH_ENTRY(name)                                                                                          \
  floats.push_back({"xsimd", #name, isa_name, over_batches<float, [](auto x, auto) { return xsimd::name(x); }>}); \
  doubles.push_back({"xsimd", #name, isa_name, over_batches<double, [](auto x, auto) { return xsimd::name(x); }>})

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
  MATH_ENTRY(erfc);
  MATH_ENTRY(cbrt);
  MATH_ENTRY(asinh);
  MATH_ENTRY(acosh);
  MATH_ENTRY(atanh);
#define MATH_ENTRY2(name)                                                                                              \
  floats.push_back({"xsimd", #name, isa_name, over_batches<float, [](auto x, auto y) { return xsimd::name(x, y); }>}); \
  doubles.push_back({"xsimd", #name, isa_name, over_batches<double, [](auto x, auto y) { return xsimd::name(x, y); }>})
  MATH_ENTRY2(atan2);
  MATH_ENTRY2(hypot);
  floats.push_back({"xsimd", "pow", isa_name, over_batches<float, [](auto x, auto y) { return xsimd::pow(x, y); }>});
  doubles.push_back({"xsimd", "pow", isa_name, over_batches<double, [](auto x, auto y) { return xsimd::pow(x, y); }>});
}

}  // namespace math_bench
#else
namespace math_bench {
void MATH_ADD(Peers32&, Peers64&) {}
}  // namespace math_bench
#endif
