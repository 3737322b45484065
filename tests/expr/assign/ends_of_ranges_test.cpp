// Values at the ends of what their types can hold.
#include "support.hpp"

#include <stdexcept>

using namespace tessera;
using namespace support;

namespace {

template <class P>
void check_complex() {
  using C = std::complex<P>;
  constexpr P largest = std::numeric_limits<P>::max(), infinity = std::numeric_limits<P>::infinity();
  constexpr P nan = std::numeric_limits<P>::quiet_NaN();
  const auto quotient = [](C a, C b) {
    const Array<C, 1> x = full(Dim{5}, a), y = full(Dim{5}, b);
    const Array<C, 1> result = x / y;
    return C(result[{4}]);
  };
  for (const P size : {largest, largest / 2, largest / 3, std::sqrt(largest), P(1), std::numeric_limits<P>::min()}) {
    for (const C direction : {C(1, 1), C(1, -1), C(-1, P(0.5)), C(P(0.25), 1), C(1, 0), C(0, -1)}) {
      const C z = C(direction.real() * size, direction.imag() * size);
      CAPTURE(size);
      CAPTURE(to_string(Array<C, 0>(z)));
      CHECK(std::abs(quotient(z, z) - C(1)) <= 4 * std::numeric_limits<P>::epsilon());
      const Array<C, 0> unit = sign(Array<C, 0>(z));
      const P wanted = std::hypot(direction.real(), direction.imag());
      CHECK(std::abs(C(unit) * wanted - direction) <= 8 * std::numeric_limits<P>::epsilon());
    }
  }
  for (const C infinite :
       {C(infinity, 0), C(0, -infinity), C(infinity, infinity), C(-infinity, infinity), C(2, infinity)}) {
    CAPTURE(to_string(Array<C, 0>(infinite)));
    CHECK(quotient(C(1, 1), infinite) == C(0));
    CHECK(quotient(C(-largest, 3), infinite) == C(0));
  }
  const Array<C, 0> none = reciprocal(Array<C, 0>(C(0, nan)));
  CHECK(std::isnan(C(none).real()));
  CHECK(std::isnan(C(none).imag()));
  for (const P angle : {nan, infinity, -infinity}) {
    const Array<C, 0> result = expm1(Array<C, 0>(C(-infinity, angle)));
    CHECK(C(result) == C(-1));
  }
}

}  // namespace

TEST_CASE("complex quotients and signs of the largest numbers") {
  check_complex<double>();
  check_complex<float>();
}

TEST_CASE("the sign of a zero is 0") {
  const Array<float, 1> zeros_of_both_signs{-0.0f, 0.0f};
  const Array<float, 1> signs = sign(zeros_of_both_signs);
  CHECK_FALSE(std::signbit(float(signs[{0}])));
  CHECK_FALSE(std::signbit(float(signs[{1}])));
}

TEST_CASE("floor_divide is the exact floor wherever that is a number") {
  Random random(11);
  INFO(random.how_to_repeat());
  std::vector<float> dividends, divisors;
  for (int i = 0; i < 20000; ++i) {
    // Quotients up to 2^23, close to an integer as often as not.
    const float divisor =
        static_cast<float>(random.between(1, 1 << 24)) * std::ldexp(1.0f, int(random.between(-20, 20)));
    const auto whole = static_cast<double>(random.between(-(1 << 23), 1 << 23));
    double dividend = whole * double(divisor) * (1 + random.real() * (random.below(2) == 0 ? 1e-7 : 1));
    dividends.push_back(static_cast<float>(dividend));
    divisors.push_back(random.below(2) == 0 ? divisor : -divisor);
  }
  const Array<float, 1> a = make_array(dividends), b = make_array(divisors), result = floor_divide(a, b);
  int wrong = 0;
  for (std::size_t i = 0; i < dividends.size(); ++i) {
    // In 80 bits the quotient of two floats is rounded to an integer only if it is one: they have 24 bits each.
    const long double exact =
        std::floor(static_cast<long double>(dividends[i]) / static_cast<long double>(divisors[i]));
    wrong += static_cast<long double>(result.data()[i]) == static_cast<long double>(static_cast<float>(exact)) ? 0 : 1;
  }
  CHECK(wrong == 0);
  const double big = 9007199254740991.0;
  const Array<double, 1> x{big, 7, -7, 1e300, -1, 1, 0}, y{1.5, 2, 2, 1e-10, INFINITY, -INFINITY, 3};
  const Array<double, 1> floors = floor_divide(x, y);
  CHECK(floors.data()[0] == 6004799503160660.0);
  CHECK(floors.data()[1] == 3);
  CHECK(floors.data()[2] == -4);
  CHECK(std::isinf(floors.data()[3]));
  CHECK(floors.data()[4] == -1);
  CHECK(floors.data()[5] == -1);
  CHECK(floors.data()[6] == 0);
}

TEST_CASE("norms of infinite order and of order 0, named at run time") {
  const Array<double, 1> v{1, -2, 0};
  CHECK(double(norm(v, INFINITY)) == 2);
  CHECK(double(norm(v, -INFINITY)) == 0);
  CHECK(double(norm(v, 0)) == 2);
  CHECK(double(norm(v, 1)) == doctest::Approx(3));
  CHECK(double(norm(v, 3)) == doctest::Approx(std::cbrt(9.0)));
  CHECK_THROWS_AS(norm(zeros<double>(Dim{0}), INFINITY), ShapeError);
}

TEST_CASE("C++ scalars beside half-width elements take their type") {
  const auto check = []<class Half>(Half) {
    const Array<Half, 1> h{Half(0.1)};
    CHECK(bool(all_of(h == 0.1)));
    CHECK(bool(all_of(h == 0.1f)));
    CHECK(bool(all_of(0.1 == h)));
    CHECK_FALSE(bool(any(h < 0.1)));
    CHECK_FALSE(bool(any(h > 0.1)));
    CHECK(bool(all_of(where(h > 1, h, 0.1) == h)));
    CHECK(bool(all_of(h - 0.1 == 0)));
  };
  check(float16());
  check(bfloat16());
}

TEST_CASE("products of integer vectors have the type of their elements, whatever they are called") {
  const Array<std::int32_t, 1> v{65536, 65535};
  static_assert(std::same_as<value_of<decltype(dot(v, v))>, std::int32_t>);
  const auto expected = static_cast<std::int32_t>(std::uint32_t{65535} * std::uint32_t{65535});
  CHECK(std::int32_t(dot(v, v)) == expected);
  CHECK(std::int32_t(matmul(v, v)) == expected);
  CHECK(std::int32_t(vecdot(v, v)) == expected);
  const Array<std::int32_t, 2> product = dot(reshape(v, Dim{1, 2}), reshape(v, Dim{2, 1}));
  CHECK(std::int32_t(product[{0, 0}]) == expected);
}

TEST_CASE("linspace over more than the largest number") {
  const Array<double, 1> wide = linspace(-1.5e308, 1.5e308, 5);
  const double wanted[] = {-1.5e308, -0.75e308, 0, 0.75e308, 1.5e308};
  for (std::size_t i = 0; i < 5; ++i) CHECK(wide.data()[i] == wanted[i]);
}
