// Tests of new arrays with known contents, in every element type.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "support.hpp"
import tessera;

using namespace tessera;

#define EVERY_ELEMENT_TYPE                                                                                 \
  bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, \
      std::uint64_t, float16, bfloat16, float, double, std::complex<float>, std::complex<double>

static_assert(std::same_as<decltype(zeros<float>(Dim{2, 3})), Array<float, 2>>);
static_assert(std::same_as<decltype(ones<int>(Dim<1>{2}, CpuPlace{})), Array<int, 1, CpuPlace>>);
static_assert(std::same_as<decltype(full(Dim{1, 1, 1}, 2.5)), Array<double, 3>>);
static_assert(std::same_as<decltype(arange(3)), Array<int, 1>> &&
              std::same_as<decltype(arange<float>(0, 1, 0.5)), Array<float, 1>>);
static_assert(std::same_as<decltype(linspace(0.f, 1.f, 3)), Array<float, 1>> &&
              std::same_as<decltype(eye<bool>(3)), Array<bool, 2>>);

TEST_CASE_TEMPLATE("zeros, ones, full and eye fill arrays of every element type", T, EVERY_ELEMENT_TYPE) {
  for (const T& element : zeros<T>(Dim{3, 5})) CHECK(element == T(0));
  for (const T& element : ones<T>(Dim{3, 5})) CHECK(element == T(1));
  for (const T& element : full(Dim<1>{70}, T(1))) CHECK(element == T(1));
  const Array<T, 2> identity = eye<T>(3);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      CHECK(static_cast<T>(identity.data()[3 * row + column]) == T(row == column ? 1 : 0));
  }
  CHECK(zeros<T>(Dim<0>{}).size() == 1);
  CHECK(ones<T>(Dim{4, 0}).size() == 0);
}

// --8<-- [start:factories]
TEST_CASE("arrays are made with known contents") {
  CHECK(to_string(zeros<float>(Dim{2, 2})) == "[[0. 0.]\n [0. 0.]]");
  CHECK(to_string(full(Dim<1>{3}, 7)) == "[7 7 7]");
  CHECK(to_string(arange(0, 10, 3)) == "[0 3 6 9]");
  CHECK(to_string(linspace(0.0, 1.0, 5)) == "[0.   0.25 0.5  0.75 1.  ]");
  CHECK(to_string(eye<int>(2, 3)) == "[[1 0 0]\n [0 1 0]]");
}
// --8<-- [end:factories]

TEST_CASE("arange counts up, down and in fractions, and never reaches stop") {
  CHECK(joined(arange(4)) == "0 1 2 3");
  CHECK(joined(arange(2, 5)) == "2 3 4");
  CHECK(joined(arange(5, 0, -2)) == "5 3 1");
  CHECK(joined(arange(0, 6, 3)) == "0 3");
  CHECK(joined(arange(0.0, 1.0, 0.25)) == "0 0.25 0.5 0.75");
  CHECK(joined(arange(1.0, 0.0, -0.5)) == "1 0.5");
  CHECK(joined(arange(3, 3)).empty());
  CHECK(joined(arange(3, 1)).empty());
  CHECK(joined(arange(1, 3, -1)).empty());
  CHECK(joined(arange(std::uint8_t{250}, std::uint8_t{255}, std::uint8_t{2})) ==
        joined(arange<std::uint8_t>(250, 255, 2)));
}

TEST_CASE_TEMPLATE("arange is right in every real type", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16, float, double) {
  const Array<T, 1> a = arange(T(1), T(20), T(3));
  REQUIRE(a.size() == 7);
  for (int i = 0; i < 7; ++i) CHECK(static_cast<double>(a.data()[i]) == 1 + 3 * i);
}

TEST_CASE("arange is exact at the ends of the integers") {
  CHECK(joined(arange<std::int64_t>(INT64_MAX - 3, INT64_MAX)) ==
        "9223372036854775804 9223372036854775805 9223372036854775806");
  CHECK(joined(arange<std::int64_t>(INT64_MIN, INT64_MAX, INT64_MAX)) == "-9223372036854775808 -1 9223372036854775806");
  CHECK(joined(arange<std::int64_t>(INT64_MAX, INT64_MIN, INT64_MIN)) == "9223372036854775807 -1");
  CHECK(joined(arange<int>(INT32_MIN, INT32_MAX, 2000000000)) == "-2147483648 -147483648 1852516352");
  CHECK(joined(arange<std::uint64_t>(UINT64_MAX - 2, UINT64_MAX)) == "18446744073709551613 18446744073709551614");
}

TEST_CASE("fractions of arange are rounded once from the exact start and step") {
  const Array<float, 1> a = arange(0.f, 2.f, 0.1f);
  REQUIRE(a.size() == 20);
  for (int i = 0; i < 20; ++i) CHECK(a.data()[i] == static_cast<float>(i * static_cast<double>(0.1f)));
}

TEST_CASE("an arange that never ends throws with its bounds") {
  CHECK_THROWS_WITH_AS(
      arange(0.0, 1.0, 0.0),
      "arange: from 0 to 1 by 0 is no sequence of at most 2^63 - 1 elements; the step must lead from start to stop",
      ShapeError);
  CHECK_THROWS_WITH_AS(arange(0, 5, 0), "arange: the step is 0; the step must lead from start to stop", ShapeError);
  CHECK_THROWS_AS(arange(0.0, std::nan("")), ShapeError);
  CHECK_THROWS_AS(arange(0.0, static_cast<double>(INFINITY)), ShapeError);
  CHECK_THROWS_AS(arange(0.0, 1.0, 1e-300), ShapeError);
  CHECK_THROWS_WITH_AS(arange<std::int64_t>(INT64_MIN, INT64_MAX), doctest::Contains("18446744073709551615 elements"),
                       ShapeError);
}

TEST_CASE("ones on any diagonal") {
  CHECK(to_string(eye<int>(2, 3, 1)) == "[[0 1 0]\n [0 0 1]]");
  CHECK(to_string(eye<int>(3, 2, -1)) == "[[0 0]\n [1 0]\n [0 1]]");
  CHECK(to_string(eye<int>(2, 4, 3)) == "[[0 0 0 1]\n [0 0 0 0]]");
  for (const std::ptrdiff_t diagonal : {std::numeric_limits<std::ptrdiff_t>::min(), std::ptrdiff_t{-2},
                                        std::ptrdiff_t{2}, std::numeric_limits<std::ptrdiff_t>::max()}) {
    const Array<int, 2> none = eye<int>(2, 2, diagonal);
    for (const int element : none) CHECK(element == 0);
  }
  CHECK(eye<int>(0, 3, 1).shape() == Dim{0, 3});
}

TEST_CASE("linspace without its end") {
  CHECK(joined(linspace(0.0, 1.0, 4, Endpoint::excluded)) == "0 0.25 0.5 0.75");
  CHECK(joined(linspace(0, 10, 5, Endpoint::excluded)) == "0 2 4 6 8");
  CHECK(joined(linspace(3.0, 9.0, 1, Endpoint::excluded)) == "3");
  CHECK(joined(linspace(1.0, 2.0, 3, Endpoint::included)) == "1 1.5 2");
  CHECK(linspace(0.0f, 1.0f, 0, Endpoint::excluded).size() == 0);
}

TEST_CASE("linspace includes both ends") {
  CHECK(joined(linspace(1.0, 2.0, 3)) == "1 1.5 2");
  CHECK(joined(linspace(1.0, 0.0, 2)) == "1 0");
  CHECK(joined(linspace(4.0, 9.0, 1)) == "4");
  CHECK(linspace(0.0, 1.0, 0).size() == 0);
  const Array<float, 1> thirds = linspace(0.f, 1.f, 4);
  CHECK(thirds[3] == 1.0f);
  CHECK(thirds[1] == 1.0f / 3);
  CHECK(linspace(0.1, 0.7, 100)[99] == 0.7);
  CHECK(joined(linspace(float16(0), float16(1), 3)) == "0 0.5 1");
  CHECK_THROWS_WITH_AS(linspace(0.0, 1.0, -1), doctest::Contains("extent -1"), ShapeError);
}

TEST_CASE("eye is square unless it is given columns") {
  CHECK(described(eye<int>(2)) == "(2, 2) 1 0 0 1");
  CHECK(described(eye<int>(3, 2)) == "(3, 2) 1 0 0 1 0 0");
  CHECK(described(eye<int>(1, 3)) == "(1, 3) 1 0 0");
  CHECK(eye<int>(0).shape() == Dim{0, 0});
  CHECK_THROWS_AS(eye<int>(-1), ShapeError);
  CHECK_THROWS_AS(eye<int>(2, -2), ShapeError);
}

TEST_CASE("factories make arrays on the place they are given") {
  CHECK(zeros<float>(Dim{2, 2}, CpuPlace{})[{1, 1}] == 0.0f);
  CHECK(arange(0, 3, 1, CpuPlace{})[2] == 2);
  CHECK_THROWS_AS(zeros<float>(Dim{2, 2}, GpuPlace{device_count()}), DeviceError);
  CHECK_THROWS_AS(arange(0, 3, 1, Place(GpuPlace{device_count()})), DeviceError);
}
