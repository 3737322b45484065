// Eigen 3.4 as a peer.
#include "vectors.hpp"

#ifdef __AVX512F__
#define MATH_ADD add_eigen_avx512
#else
#define MATH_ADD add_eigen_avx2
#endif

#if __has_include(<eigen3/unsupported/Eigen/SpecialFunctions>)
#ifdef __AVX512F__
#define Eigen EigenForAvx512  // or the linker would take one instruction set's templates for both
#endif
#include <eigen3/Eigen/Core>
#include <eigen3/unsupported/Eigen/SpecialFunctions>

namespace math_bench {
namespace {

template <class T, auto function>
void over_arrays(const T* x, const T* y, T* out, std::ptrdiff_t n) {
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const Array> a(x, n), b(y, n);
  Eigen::Map<Array> to(out, n);
  function(a, b, to);
}

}  // namespace

void MATH_ADD(Peers32& floats, Peers64& doubles) {
#define MATH_ENTRY(name)                                                                                             \
  floats.push_back({"Eigen", #name, isa_name, over_arrays<float, [](auto& x, auto&, auto& to) { to = x.name(); }>}); \
  doubles.push_back({"Eigen", #name, isa_name, over_arrays<double, [](auto& x, auto&, auto& to) { to = x.name(); }>})

  MATH_ENTRY(exp);
  MATH_ENTRY(expm1);
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
  MATH_ENTRY(rsqrt);
  floats.push_back(
      {"Eigen", "sigmoid", isa_name, over_arrays<float, [](auto& x, auto&, auto& to) { to = x.logistic(); }>});
  doubles.push_back(
      {"Eigen", "sigmoid", isa_name, over_arrays<double, [](auto& x, auto&, auto& to) { to = x.logistic(); }>});
  floats.push_back({"Eigen", "pow", isa_name, over_arrays<float, [](auto& x, auto& y, auto& to) { to = x.pow(y); }>});
  doubles.push_back({"Eigen", "pow", isa_name, over_arrays<double, [](auto& x, auto& y, auto& to) { to = x.pow(y); }>});
}

}  // namespace math_bench
#else
namespace math_bench {
void MATH_ADD(Peers32&, Peers64&) {}
}  // namespace math_bench
#endif
