// Tests of arrays made from vectors, ranges and nested lists.
#include <doctest/doctest.h>

#include <complex>
#include <concepts>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

template <class... A>
concept Makes = requires(A... arguments) { make_array(arguments...); };

}  // namespace

static_assert(std::same_as<decltype(make_array(std::vector{1.f})), Array<float, 1>>);
static_assert(std::same_as<decltype(make_array(std::vector{1.f}, CpuPlace{})), Array<float, 1, CpuPlace>>);
static_assert(std::same_as<decltype(make_array({1, 2})), Array<int, 1>> &&
              std::same_as<decltype(make_array({{1.0}})), Array<double, 2>>);
static_assert(Makes<std::vector<bool>> && Makes<std::list<float16>, Place> && !Makes<std::vector<std::string>> &&
              !Makes<std::string>);

// --8<-- [start:make_array]
TEST_CASE("arrays are made from vectors, ranges and nested lists") {
  const auto v = make_array(std::vector{1.f, 2.f}, CpuPlace{});
  CHECK(v[1] == 2.0f);
  const auto squares = make_array(std::views::iota(1, 5) | std::views::transform([](int i) { return i * i; }));
  CHECK(to_string(squares) == "[ 1  4  9 16]");
  const auto matrix = make_array({{1, 2, 3}, {4, 5, 6}});
  CHECK(matrix.shape() == Dim{2, 3});
}
// --8<-- [end:make_array]

TEST_CASE("the elements are copied") {
  std::vector<int> values{1, 2};
  const auto a = make_array(values);
  values[0] = 9;
  CHECK(joined(a) == "1 2");
}

TEST_CASE("ranges of every category are taken") {
  CHECK(joined(make_array(std::list<int>{1, 2, 3})) == "1 2 3");
  CHECK(joined(make_array(std::deque<double>{0.5})) == "0.5");
  const std::int64_t memory[] = {7, 8};
  CHECK(joined(make_array(memory)) == "7 8");
  CHECK(joined(make_array(std::span(memory))) == "7 8");
  std::istringstream text("3 1 4 1 5");
  CHECK(joined(make_array(std::views::istream<int>(text))) == "3 1 4 1 5");
  CHECK(make_array(std::vector<float>{}).shape() == Dim<1>{0});
  const auto strided = arange(0, 6)(range(none, none, 2));
  CHECK(joined(make_array(strided | std::views::reverse)) == "4 2 0");
}

TEST_CASE("a vector of bool, which holds no bools, makes an array that does") {
  const auto a = make_array(std::vector<bool>{true, false, true});
  static_assert(std::same_as<decltype(a)::value_type, bool>);
  CHECK(joined(a) == "1 0 1");
}

TEST_CASE_TEMPLATE("lists of every kind of element make arrays", T, bool, std::int8_t, std::uint64_t, float16, bfloat16,
                   float, double, std::complex<float>, std::complex<double>) {
  const Array<T, 1> a = make_array({T(0), T(1), T(1)});
  REQUIRE(a.shape() == Dim<1>{3});
  CHECK(a.data()[0] == T(0));
  CHECK(a.data()[2] == T(1));
  const Array<T, 2> b = make_array({{T(0), T(1)}, {T(1), T(0)}});
  REQUIRE(b.shape() == Dim{2, 2});
  CHECK(b.data()[1] == T(1));
  CHECK(b.data()[3] == T(0));
}

TEST_CASE("nested lists make matrices and stacks of matrices") {
  CHECK(described(make_array({1, 2})) == "(2,) 1 2");
  CHECK(described(make_array<float>({1, 2})) == "(2,) 1 2");
  CHECK(described(make_array({{1, 2}, {3, 4}, {5, 6}})) == "(3, 2) 1 2 3 4 5 6");
  CHECK(described(make_array({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})) == "(2, 2, 2) 1 2 3 4 5 6 7 8");
  CHECK(described(make_array({{{1}, {2}}})) == "(1, 2, 1) 1 2");
  CHECK(described(make_array<double>({{1, 2}, {3, 4}})) == "(2, 2) 1 2 3 4");
  CHECK(make_array({{1, 2}, {3, 4}}, CpuPlace{})[{1, 0}] == 3);
}

TEST_CASE("a column is a list of lists of one") { CHECK(described(make_array({{1}, {2}, {3}})) == "(3, 1) 1 2 3"); }

TEST_CASE("ragged lists throw with the lengths that differ") {
  CHECK_THROWS_WITH_AS(make_array({{1, 2}, {3}}),
                       "values in braces: along axis 1 one list has 1 elements, the first has 2; all lists of one "
                       "level must be of the same length",
                       ShapeError);
  CHECK_THROWS_WITH_AS(make_array({{1}, {2}, {3, 4, 5}}), doctest::Contains("one list has 3 elements, the first has 1"),
                       ShapeError);
  CHECK_THROWS_AS(make_array({{{1, 2}}, {{3, 4}, {5, 6}}}), ShapeError);
  CHECK_THROWS_AS(make_array({{{1, 2}, {3}}, {{4, 5}, {6, 7}}}), ShapeError);
  CHECK_THROWS_AS(make_array({{{1, 2}, {3, 4}}, {{5, 6}, {7}}}), ShapeError);
}

TEST_CASE("a device that does not exist throws") {
  CHECK_THROWS_AS(make_array(std::vector{1, 2}, GpuPlace{device_count()}), DeviceError);
  CHECK_THROWS_AS(make_array({1, 2}, GpuPlace{device_count()}), DeviceError);
}
