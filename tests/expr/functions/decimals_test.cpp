// round to decimals, and rounding of complex numbers; isclose and what is made of it; norms and variances of other elements.
#include <cmath>
#include <complex>
#include <limits>

#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("to digits behind the point and before it, ties to even" * doctest::test_suite("any place")) {
  const Array<double, 1> x = there(make_array({2.675, -1.005, 0.125, 0.375, 1234.5678, -0.04}));
  CHECK(to_string(evaluate(round(x, 2))) ==
        "[ 2.68000e+00 -1.00000e+00  1.20000e-01  3.80000e-01  1.23457e+03\n -4.00000e-02]");
  const Array<double, 1> y = there(make_array({15.0, 25.0, 149.9, -14.6, -1250.0}));
  CHECK(array_equal(round(y, -1), there(make_array({20.0, 20.0, 150.0, -10.0, -1250.0}))));
  CHECK(array_equal(round(y, -2), there(make_array({0.0, 0.0, 100.0, 0.0, -1200.0}))));
  CHECK(array_equal(round(y, 0), there(make_array({15.0, 25.0, 150.0, -15.0, -1250.0}))));
  const Array<int, 1> i = there(make_array<int>({15, 25, 149, -15, -25, -14, 2147483647}));
  CHECK(array_equal(round(i, -1)(range(0, 6)), there(make_array<int>({20, 20, 150, -20, -20, -10}))));
  CHECK(array_equal(round(i, 3), i));
  CHECK(item(sum(abs(round(i, -12)))) == 0);
  const Array<std::uint8_t, 1> bytes = there(make_array<std::uint8_t>({4, 5, 15, 246}));
  CHECK(array_equal(round(bytes, -1), there(make_array<std::uint8_t>({0, 0, 20, 250}))));
}

TEST_CASE("numbers too large to have decimals stay, and no decimals are left of small ones") {
  const float large = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  const Array<float, 1> x{large, -infinity, infinity, 3.0f};
  CHECK(array_equal(round(x, 10), x));
  CHECK(array_equal(round(x, 300), x));
  CHECK(item(round(x, -300)(3)) == 0.0f);
  CHECK(std::isnan(static_cast<float>(item(round(Array<float, 1>{NAN}, 2)(0)))));
}

TEST_CASE("both parts of complex numbers are rounded" * doctest::test_suite("any place")) {
  using C = std::complex<double>;
  const Array<C, 1> z = there(make_array<C>({C(1.5, 2.5), C(-0.26, 0.74)}));
  CHECK(array_equal(round(z), there(make_array<C>({C(2, 2), C(0, 1)}))));
  CHECK(array_equal(round(z, 1), there(make_array<C>({C(1.5, 2.5), C(-0.3, 0.7)}))));
}

TEST_CASE("what is close, element by element" * doctest::test_suite("any place")) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Array<double, 1> a = there(make_array({1.0, 1.0, infinity, infinity, NAN, 0.0, 1e30}));
  const Array<double, 1> b = there(make_array({1.0 + 1e-6, 1.1, infinity, -infinity, NAN, 1e-9, infinity}));
  CHECK(to_string(evaluate(isclose(a, b))) == "[ True False  True False False  True False]");
  CHECK(to_string(evaluate(isclose(a, b, 1e-5, 1e-8, true))) == "[ True False  True False  True  True False]");
  CHECK(to_string(evaluate(isclose(a, b, 0.2))) == "[ True  True  True False False  True False]");
  CHECK(to_string(evaluate(isclose(a, 1))) == "[ True  True False False False False False]");
  const Array<int, 1> i = there(make_array<int>({100000, 7})), j = there(make_array<int>({100001, 8}));
  CHECK(to_string(evaluate(isclose(i, j))) == "[ True False]");
  CHECK(allclose(i, i));
  CHECK_FALSE(allclose(i, j));
  CHECK(allclose(i, j, 0, 1));
  using C = std::complex<float>;
  const Array<C, 1> z = there(make_array<C>({C(1, 2), C(NAN, 0)})),
                    w = there(make_array<C>({C(1.000001f, 2), C(NAN, 0)}));
  CHECK(to_string(evaluate(isclose(z, w))) == "[ True False]");
  CHECK(allclose(z, w, 1e-5, 1e-8, true));
  CHECK_FALSE(allclose(z, w));
}

TEST_CASE("array_equal with a number, item of one element in any rank") {
  CHECK(array_equal(Array<int, 0>(7), 7));
  CHECK_FALSE(array_equal(Array<int, 0>(7), 8));
  CHECK_FALSE(array_equal(Array<int, 1>{7, 7}, 7));  // the shapes differ, as in NumPy
  CHECK(item(full(Dim{1, 1, 1}, 4.0)) == 4.0);
  CHECK(item(Array<int, 1>{3} * 2) == 6);
  CHECK(contains(message_of<ShapeError>([] { item(zeros<int>(Dim{2, 3})); }), "shape (2, 3) has 6 elements"));
  CHECK_THROWS_AS(item(zeros<int>(Dim{0})), ShapeError);
}

TEST_CASE("variances of complex numbers and integers, norms of complex numbers" * doctest::test_suite("any place")) {
  using C = std::complex<double>;
  const Array<C, 2> z = there(make_array<C>({{C(1, 2), C(3, -4)}, {C(0, 0), C(5, 12)}}));
  CHECK(item(var(z)) == doctest::Approx(38.4375));  // mean 2.25 + 2.5i, mean of squares 49.75
  CHECK(item(sum(var<1>(z))) == doctest::Approx(10.0 + 42.25));
  CHECK(var<1>(z, keepdims).shape() == Dim{2, 1});
  CHECK(item(stddev(z, correction(1))) == doctest::Approx(std::sqrt(38.4375 * 4 / 3)));
  const Array<int, 1> i = there(arange(5));
  CHECK(item(var(i)) == 2.0);
  CHECK(item(stddev(i)) == doctest::Approx(std::sqrt(2.0)));
  CHECK(array_equal(norm<NormOrder::one, 1>(z), there(make_array({std::sqrt(5.0) + 5, 13.0}))));
  CHECK(array_equal(norm<NormOrder::infinity, 1>(z), there(make_array({5.0, 13.0}))));
  CHECK(array_equal(norm<NormOrder::zero, 1>(z), there(make_array({2.0, 1.0}))));
  CHECK(norm<1>(z, 1, keepdims).shape() == Dim{2, 1});
  CHECK(norm<NormOrder::one, 0>(z, keepdims).shape() == Dim{1, 2});
  CHECK(allclose(norm<1>(z, 3.0), there(make_array({std::cbrt(std::pow(5.0, 1.5) + 125), 13.0}))));
}

TEST_CASE("sums, products and means in a type that is named" * doctest::test_suite("any place")) {
  const Array<float, 2> x = there(make_array<float>({{16777216.0f, 1.0f, 1.0f}, {1.0f, 2.0f, 3.0f}}));
  CHECK(array_equal(sum<1>(x, dtype<double>), there(make_array({16777218.0, 6.0}))));
  static_assert(std::is_same_v<decltype(evaluate(sum<1>(x, dtype<double>))), Array<double, 1>>);
  CHECK(item(mean(x(1), dtype<double>)) == 2.0);
  CHECK(sum<0>(x, dtype<double>, keepdims).shape() == Dim{1, 3});
  CHECK(array_equal(sum(x, axis<1>, dtype<double>), sum<1>(x, dtype<double>)));
  const Array<int, 1> i = there(make_array<int>({2147483647, 2}));
  static_assert(std::is_same_v<decltype(evaluate(prod(i, dtype<int>))), Array<int, 0>>);
  CHECK(item(prod(i, dtype<int>)) == -2);
  CHECK(item(sum(i, dtype<float16>)) == std::numeric_limits<float>::infinity());
}
