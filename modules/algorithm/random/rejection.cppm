module;
#include <cstdint>
export module tessera.algorithm:rejection;
import tessera.standard;
import tessera.core;

// Numbers of distributions by rejection, one at a time. Each takes numbers that were drawn beforehand, which are accepted nearly always, and a
// stream of its own, from which it draws more where they are not.
namespace tessera::random {

/// G. Marsaglia and W. Tsang, "A simple method for generating gamma variables" (2000): d v for v = (1 + c normal)^3 with d = shape - 1/3.
template <class C>
struct GammaTrial {
  C value;
  bool accepted;
};
template <class C>
[[gnu::always_inline]] inline GammaTrial<C> squeeze_gamma(C normal, C uniform, C shape) {
#pragma clang fp contract(off)  // the same numbers on every processor
  const C d = shape - C(1) / C(3);
  const C root = C(1) + normal / __builtin_elementwise_sqrt(C(9) * d);
  const C square = normal * normal;
  return {d * (root * root * root), root > 0 && uniform < C(1) - C(0.0331) * (square * square)};
}

/// The uniform number in (0, 1] that is left of one which the squeeze of this shape and normal number accepted: it is below a bound, and any below
/// it are as likely.
template <class C>
[[gnu::always_inline]] inline double left_of_uniform(C normal, C uniform) {
#pragma clang fp contract(off)
  const C square = normal * normal;
  const C bound = C(1) - C(0.0331) * (square * square);
  const double within = static_cast<double>(uniform) + (sizeof(C) == 4 ? 0x1p-25 : 0x1p-54);
  return std::min(within / static_cast<double>(bound), 1.0);
}

/// A number of the gamma distribution where the squeeze does not accept, for any shape; NaN unless that is positive.
float gamma_number(std::uint64_t stream, float normal, float uniform, float shape);
double gamma_number(std::uint64_t stream, double normal, double uniform, double shape);

/// A number of the beta distribution, of those that make gamma numbers of its shapes; NaN unless both are positive.
template <class C>
struct GammaSource {
  std::uint64_t stream;
  C normal, uniform, shape;
};
float beta_number(const GammaSource<float>& a, const GammaSource<float>& b);
double beta_number(const GammaSource<double>& a, const GammaSource<double>& b);

/// A number of Poisson's distribution: by inversion for rates below 10, otherwise by W. Hörmann's transformed rejection, "The transformed
/// rejection method for generating Poisson random variables" (1993). `none` is the chance of 0. NaN unless the rate is 0 or more.
double poisson_number(std::uint64_t stream, double first, double second, double rate, double none);

/// A number of the binomial distribution: by inversion where trials and the smaller chance make less than 10, otherwise by W. Hörmann's
/// transformed rejection, "The generation of binomial random variates" (1993). `none` is the chance that none succeeds, or none fails if that is
/// more likely. NaN unless there are trials and the chance is in [0, 1].
double binomial_number(std::uint64_t stream, double first, double second, double trials, double chance, double none);

/// A number of the normal distribution between low and high: C. Robert, "Simulation of truncated normal variables" (1995). NaN unless low <=
/// high.
float truncated_number(std::uint64_t stream, float normal, float low, float high);
double truncated_number(std::uint64_t stream, double normal, double low, double high);

}  // namespace tessera::random
