// Tests of <tessera/fmt.hpp>. The header stands above the import here; below it in fmt_after_import_test.cpp.
#include <doctest/doctest.h>

#include <fmt/ostream.h>

#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <tessera/fmt.hpp>
#include <vector>

import tessera;

using namespace tessera;

namespace {

template <class X>
std::string streamed(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

template <class X>
std::string formatted(const std::string& format, const X& x) {
  return fmt::format(fmt::runtime(format), x);
}

}  // namespace

TEST_CASE("docs/darray.md: what prints is formatted by fmt") {
  // --8<-- [start:fmt]
  const DArray x = make_darray({{1.0, -2.5}, {0.25, 30.0}});
  const std::string text = fmt::format("{} of {}, {}:\n{:.2f}", x.shape(), x.dtype(), x.place(), x);
  // --8<-- [end:fmt]
  CHECK(text == "(2, 2) of float64, cpu:\n[[ 1.00 -2.50]\n [ 0.25 30.00]]");
}

TEST_CASE("without a specification everything is written as a stream writes it") {
  const Array<float, 2> a = make_array({{1.5f, 2.f}, {-3.f, 4.f}});
  const DArray x = a;
  CHECK(fmt::format("{}", a) == streamed(a));
  CHECK(fmt::format("{}", make_view(a)) == streamed(a));
  CHECK(fmt::format("{}", a.T()) == streamed(a.T()));
  CHECK(fmt::format("{}", a * 2 + 1) == streamed(a * 2 + 1));
  CHECK(fmt::format("{}", sum<0>(a)) == streamed(sum<0>(a)));
  CHECK(fmt::format("{}", sum(a)) == "4.5");
  CHECK(fmt::format("{}", x) == streamed(a));
  CHECK(fmt::format("{}", x * 2) == streamed(x * 2));
  CHECK(fmt::format("{}", sum(x)) == "4.5");
  CHECK(fmt::format("{}", a[{0, 0}]) == "1.5");
  CHECK(fmt::format("{}", x[{0, 0}]) == "1.5");
  CHECK(fmt::format("{}", DValue(std::int8_t(65))) == "65");
  CHECK(fmt::format("{}", DValue(true)) == "True");
  CHECK(fmt::format("{}", float16(0.5f)) == "0.5");
  CHECK(fmt::format("{}", DArray()) == streamed(DArray()));
  CHECK(fmt::format("{}", zeros(DType::int8, make_ddim({0, 3}))) == "[]");
  CHECK(fmt::format("{}", Array<float, 1>()) == streamed(Array<float, 1>()));
  CHECK(fmt::format("{}", zeros<float>(Dim{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})) == "[[[[[[[[[[0.]]]]]]]]]]");
  CHECK(fmt::format("{}", fmt::streamed(x)) == streamed(x));
}

TEST_CASE("shapes, places and dtypes are words") {
  CHECK(fmt::format("{} {}", Dim{2, 3}, make_ddim({4})) == "(2, 3) (4,)");
  CHECK(fmt::format("[{:>8}|{:<8}|{:^8}]", Dim{2, 3}, DType::int8, Place()) == "[  (2, 3)|int8    |  cpu   ]");
  CHECK(fmt::format("{} {}", CpuPlace{}, GpuPlace{1}) == "cpu gpu:1");
  CHECK_THROWS_AS(formatted("{:d}", DType::int8), fmt::format_error);
}

TEST_CASE("a specification is that of each element, columns are aligned") {
  const Array<double, 2> a = make_array({{1.0, -2.5}, {0.25, 30.0}});
  CHECK(fmt::format("{:.1f}", a) == "[[ 1.0 -2.5]\n [ 0.2 30.0]]");
  CHECK(fmt::format("{:8.3e}", a * 10) == "[[ 1.000e+01 -2.500e+01]\n [ 2.500e+00  3.000e+02]]");
  CHECK(fmt::format("{:*^7.1f}", a(0, all)) == "[**1.0** *-2.5**]");
  CHECK(fmt::format("{:→>5.1f}", a(0, all)) == "[→→1.0 →-2.5]");
  CHECK(fmt::format("{:+.0f}", DArray(a(0, all)) * 2) == "[+2 -5]");
  CHECK(fmt::format("{:.3f}", sum(a)) == "28.750");
  CHECK(fmt::format("{:06.2f}", a[{0, 1}]) == "-02.50");
  CHECK(fmt::format("{:.1f}", DArray(a)[{0, 1}]) == "-2.5");
  CHECK(fmt::format("{:.1f}", zeros<float>(Dim{0, 3})) == "[]");
  CHECK(fmt::format("{:.1f}", make_array({float16(0.25f), float16(2)})) == "[0.2 2.0]");
}

TEST_CASE("integers, bool and complex numbers have specifications of their own") {
  CHECK(fmt::format("{:#x}", make_array<std::uint8_t>({0, 255})) == "[ 0x0 0xff]");
  CHECK(fmt::format("{:+}", make_array<std::int64_t>({-3, 4})) == "[-3 +4]");
  CHECK(fmt::format("{:d}", make_array({true, false})) == "[1 0]");
  CHECK(fmt::format("{:>6}", make_array({true, false})) == "[  True  False]");
  using C = std::complex<float>;
  CHECK(fmt::format("{:.1f}", make_array({C(1, -2), C(0, 0.5f)})) == "[1.0-2.0j 0.0+0.5j]");
  CHECK(fmt::format("{:>10.1f}", make_array({C(1, -2)})) == "[  1.0-2.0j]");
  CHECK_THROWS_AS(formatted("{:08.1f}", DArray(make_array({C(1, -2)}))), fmt::format_error);
}

TEST_CASE("a specification that the element type does not take is refused") {
  const DArray x = make_darray({1.5, 2.5});
  CHECK_THROWS_AS(formatted("{:d}", x), fmt::format_error);
  CHECK_THROWS_AS(formatted("{:.2f}", make_darray({1, 2})), fmt::format_error);
  CHECK_THROWS_AS(formatted("{:?!}", x), fmt::format_error);
  CHECK_THROWS_AS(formatted("{:d}", Array<float, 1>{1.f}), fmt::format_error);
  CHECK_THROWS_AS((void)fmt::format(fmt::runtime("{:{}}"), x, 4), fmt::format_error);
}

TEST_CASE("with a specification lines break and long arrays are cut as without one") {
  const DArray numbers = arange(DType::int32, 0, 120).reshape({4, 30});
  CHECK(fmt::format("{:d}", numbers) == streamed(numbers));
  const DArray many = arange(DType::int64, 0, 3000).reshape({10, 3, 100});
  CHECK(fmt::format("{:d}", many) == streamed(many));
  CHECK(fmt::format("{:d}", many.T()) == streamed(many.T()));
  CHECK(fmt::format("{:d}", DArray(many({ellipsis, range(none, none, -7)}))) ==
        streamed(many({ellipsis, range(none, none, -7)})));
  CHECK(fmt::format("{:.1f}", ones(DType::float32, make_ddim({2000}))) == "[1.0 1.0 1.0 ... 1.0 1.0 1.0]");
}

TEST_CASE("ranges of the standard library are formatted beside arrays") {
  CHECK(fmt::format("{}", std::vector{1, 2}) == "[1, 2]");
  CHECK(fmt::format("{}", std::vector{make_darray({1, 2})}) == "[[1 2]]");
}
