// The CUDA text of expressions, compiled for the host, computes what the CPU's evaluator computes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host_kernels.hpp"

import tessera;

#include "cases.hpp"

namespace {

using namespace tessera;

/// |a - b| relative to the larger of |b| and 1; 0 for two NaNs.
template <class T>
double distance(T a, T b) {
  if constexpr (Complex<T>) {
    return std::max(distance(a.real(), b.real()), distance(a.imag(), b.imag()));
  } else {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    return std::abs(x - y) / std::max(1.0, std::abs(y));
  }
}

/// Where `got` is farther from `wanted` than the tolerance, in words; empty if it is nowhere.
template <class T, int Rank, class P>
std::string difference(const Array<T, Rank, P>& got, const Array<T, Rank, P>& wanted, double tolerance) {
  for (std::ptrdiff_t i = 0; i < product(wanted.shape()); ++i) {
    const double off = distance(got.data()[i], wanted.data()[i]);
    if (off <= tolerance) continue;
    return "element " + std::to_string(i) + " is off by " + std::to_string(off);
  }
  return "";
}

}  // namespace

TEST_CASE("kernels compiled for the host compute what the evaluator computes") {
  int compared = 0;
  cases::for_each(
      [&](const char* name, double tolerance, const auto& destination, const auto& expression, auto indices) {
        INFO("case " << name);
        const DeviceLaunch launch(destination, expression, indices);
        INFO(launch.variant());
        const HostKernel kernel = host_kernel(name);
        CHECK(std::string(kernel.text) == launch.kernel());
        REQUIRE(kernel.argument_bytes == launch.arguments().size());
        const auto wanted = destination.clone();
        assign(wanted, expression);
        constexpr unsigned any_number = 7;
        const auto threads = static_cast<unsigned>(launch.block_threads());
        kernel.run(launch.arguments().data(), 3, threads != 0 ? threads : any_number);
        CHECK(difference(destination.clone(), wanted, tolerance) == "");
        ++compared;
      });
  CHECK(compared > 40);
}
