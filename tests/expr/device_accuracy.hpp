// How far from the exact value CUDA's functions may be: the bounds of the CUDA C++ Programming Guide, "Mathematical Functions", which are
// the difference to a correctly rounded result in units in the last place of the type in which a function is computed.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace elementwise {

struct ErrorBound {
  std::string_view name;
  double of_float, of_double;
};

/// Functions that are one call of CUDA's. What is missing has the bound of its test: it is exact in IEEE arithmetic, as sums, products,
/// quotients (NVRTC's default is -prec-div=true), square roots (-prec-sqrt=true), fmod and rounding are, or it is put together from these
/// functions by text of ours, whose steps the test's own bound counts.
inline constexpr ErrorBound cuda_bounds[] = {
    {"exp", 2, 1},
    {"expm1", 1, 1},
    {"exp2", 2, 1},
    {"log", 1, 1},
    {"log1p", 1, 1},
    {"log2", 1, 1},
    {"log10", 2, 1},
    {"rsqrt", 2, 1},
    {"cbrt", 1, 1},
    {"erf", 2, 2},
    {"erfc", 4, 5},
    {"pow", 4, 2},
    {"sin", 2, 2},
    {"cos", 2, 2},
    {"tan", 4, 2},
    {"asin", 2, 2},
    {"acos", 2, 2},
    {"atan", 2, 2},
    {"sinh", 3, 2},
    {"cosh", 2, 1},
    {"tanh", 2, 1},
    {"asinh", 3, 3},
    {"acosh", 4, 3},
    {"atanh", 3, 2},
    {"atan2", 3, 2},
    {"angle", 3, 2},
    {"hypot", 3, 2},
    // Between -10.001 and -2.264 (double: -23.0001 and -2.2637) CUDA's relative error is larger: the test's absolute bound covers it.
    {"lgamma", 6, 4},
};

/// Where glibc's known errors, in its manual, are larger: on the fake driver its functions stand in for CUDA's.
inline constexpr ErrorBound glibc_bounds[] = {
    {"cbrt", 1, 4}, {"cosh", 2, 2}, {"tanh", 2, 2}, {"log10", 2, 2}, {"lgamma", 7, 4},
};

inline bool is_on_fake_driver() {
  const char* const driver = std::getenv("TESSERA_CUDA_DRIVER");
  return driver != nullptr && std::string_view(driver).find("fake_cuda") != std::string_view::npos;
}

/// The bound of a function on the GPU of the tests; `otherwise` for one that is not in the tables.
inline double device_ulps(std::string_view name, bool in_double, double otherwise) {
  const auto bound_in = [&](const auto& bounds, double fallback) {
    const auto* const found = std::ranges::find(bounds, name, &ErrorBound::name);
    return found == std::end(bounds) ? fallback : in_double ? found->of_double : found->of_float;
  };
  const double cuda = bound_in(cuda_bounds, otherwise);
  return is_on_fake_driver() ? std::max(cuda, bound_in(glibc_bounds, cuda)) : cuda;
}

}  // namespace elementwise
