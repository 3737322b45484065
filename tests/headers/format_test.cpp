// Tests of <tessera/format.hpp>, where the standard library has <format>: compiled with libc++ by libcxx_test.cmake. What is written is that of
// fmt_test.cpp.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <tessera/format.hpp>

import tessera;

using namespace tessera;

#ifdef __cpp_lib_format

TEST_CASE("what prints is formatted by std::format") {
  const Array<double, 2> a = make_array({{1.0, -2.5}, {0.25, 30.0}});
  const DArray x = a;
  CHECK(std::format("{} {} {}", x.shape(), x.dtype(), x.place()) == "(2, 2) float64 cpu");
  CHECK(std::format("{:.2f}", x) == "[[ 1.00 -2.50]\n [ 0.25 30.00]]");
  CHECK(std::format("{:.2f}", a) == "[[ 1.00 -2.50]\n [ 0.25 30.00]]");
  CHECK(std::format("{}", a) == to_string(a));
  CHECK(std::format("{} {}", a * 2, x * 2) == to_string(a * 2) + " " + to_string(x * 2));
  CHECK(std::format("{:.1f} {:.1f} {:.1f}", a[{0, 1}], x[{0, 1}], DValue(1.0)) == "-2.5 -2.5 1.0");
  CHECK(std::format("{:>8}", Dim{2, 3}) == "  (2, 3)");
  CHECK(std::format("{:.1f}", make_array({std::complex<float>(1, -2)})) == "[1.0-2.0j]");
  CHECK(std::format("{:d}", make_array({true, false})) == "[1 0]");
  CHECK_THROWS_AS((void)std::vformat("{:d}", std::make_format_args(x)), std::format_error);
}

#else

TEST_CASE("the header is empty where there is no <format>") {}

#endif
