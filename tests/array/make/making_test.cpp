#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <type_traits>

#include "support.hpp"

import tessera;

// Making arrays: braces hold values, a shape is written Dim{...} or given to a function.

using namespace tessera;

TEST_CASE("braces hold values, as deep as there are axes") {
  CHECK(described(Array<int, 1>{1, 2, 3}) == "(3,) 1 2 3");
  CHECK(described(Array<int, 1>{5}) == "(1,) 5");
  CHECK(described(Array<int, 2>{{1, 2}, {3, 4}}) == "(2, 2) 1 2 3 4");
  CHECK(described(Array<int, 2>{{1, 2}}) == "(1, 2) 1 2");
  CHECK(described(Array<int, 3>{{{1}, {2}}, {{3}, {4}}}) == "(2, 2, 1) 1 2 3 4");
  CHECK(described(Array<int, 4>{{{{7}}}}) == "(1, 1, 1, 1) 7");
  const Array<float, 1> v = {1, 2};
  CHECK(described(v) == "(2,) 1 2");
  Array<double, 1> a = {1, 2.5};
  a = {3, 4, 5};
  CHECK(described(a) == "(3,) 3 4 5");
  const Array<double, 1> seen = a;
  a(range(0, 2)) = {8, 9};
  CHECK(described(seen) == "(3,) 8 9 5");
  CHECK(Array<bool, 1>{true, false}(0) == true);
  CHECK(Array<float16, 1>{float16(1.5f)}(0) == 1.5f);
  CHECK(Array<std::complex<float>, 1>{{1, 2}}(0).imag() == 2);
  CHECK(described(Array<int, 2, CpuPlace>{{1}, {2}}) == "(2, 1) 1 2");
  CHECK_FALSE(Array<int, 2>{}.has_storage());
  CHECK(Array<int, 1>(Dim{3}).shape() == Dim{3});
  CHECK_THROWS_WITH_AS((Array<int, 2>{{1, 2}, {3}}),
                       doctest::Contains("along axis 1 one list has 1 elements, the first has 2"), ShapeError);
}

TEST_CASE("a shape is a Dim, and ints or braces where a function asks for one") {
  CHECK(described(zeros<float>(2, 3)) == "(2, 3) 0 0 0 0 0 0");
  CHECK(described(zeros<float>({2, 3})) == described(zeros<float>(Dim{2, 3})));
  CHECK(described(ones<int>(3)) == "(3,) 1 1 1");
  CHECK(described(ones<int>({1, 2}, CpuPlace{})) == "(1, 2) 1 1");
  CHECK(described(full<float>({2}, 3)) == "(2,) 3 3");
  CHECK(described(full(Dim{2}, 1.5)) == "(2,) 1.5 1.5");
  CHECK(empty<double>(4, 5).shape() == Dim{4, 5});
  CHECK_THROWS_AS(zeros<float>(2, -3), ShapeError);
  static_assert(!std::is_constructible_v<Array<float, 2>, int, int> && !std::is_constructible_v<Array<float, 1>, int>);
  static_assert(!std::is_convertible_v<Dim<2>, Array<float, 2>>);
}

TEST_CASE("like another array") {
  const Array<float, 2> a{{1, 2}, {3, 4}};
  CHECK(described(zeros_like(a)) == "(2, 2) 0 0 0 0");
  CHECK(described(ones_like(a.T())) == "(2, 2) 1 1 1 1");
  CHECK(described(full_like(a, 7)) == "(2, 2) 7 7 7 7");
  static_assert(std::same_as<decltype(zeros_like<int>(a)), Array<int, 2>>);
  static_assert(std::same_as<decltype(empty_like(a)), Array<float, 2>>);
}

TEST_CASE("sequences take whole numbers and others") {
  CHECK(described(linspace(0, 1, 5)) == "(5,) 0 0.25 0.5 0.75 1");
  CHECK(described(linspace(0, 1.f, 3)) == "(3,) 0 0.5 1");
  static_assert(std::same_as<decltype(linspace(0, 1, 5)), Array<double, 1>>);
  static_assert(std::same_as<decltype(linspace(0, 1.f, 5)), Array<float, 1>>);
  static_assert(std::same_as<decltype(linspace<float>(0, 1, 5)), Array<float, 1>>);
  CHECK(described(arange(0, 1, 0.25)) == "(4,) 0 0.25 0.5 0.75");
  CHECK(described(arange(0.0, 3)) == "(3,) 0 1 2");
  static_assert(std::same_as<decltype(arange(0, 10)), Array<int, 1>>);
  static_assert(std::same_as<decltype(arange(3)), Array<int, 1>>);
  CHECK(described(make_array({1.0, 2})) == "(2,) 1 2");
  CHECK(described(make_array({1, 2.5})) == "(2,) 1 2.5");
  static_assert(std::same_as<decltype(make_array({1, 2})), Array<int, 1>>);
  static_assert(std::same_as<decltype(make_array({1, 2.5})), Array<double, 1>>);
}

TEST_CASE("rank 0 holds a value") {
  Array<float, 0> s = 3;
  CHECK(s == 3);
  s = 4.5f;
  CHECK(s() == 4.5f);
  CHECK(described(full(Dim<0>{}, 2)(ellipsis)) == "() 2");
}
