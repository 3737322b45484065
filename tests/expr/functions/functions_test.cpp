// Values of the elementwise functions where the array API standard or C's Annex G names them: zeros, infinities, branch cuts,
// the ends of the integers; and what the docs page shows.
#include <math.h>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

using c128 = std::complex<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// op on one value, in the middle of an array.
template <class T, class Op>
auto value_at(T x, const Op& op) {
  return elements(evaluate(op(there(full(Dim{3}, x)))))[1];
}
template <class T, class Op>
auto value_at(T x, T y, const Op& op) {
  return elements(evaluate(op(there(full(Dim{3}, x)), there(full(Dim{3}, y)))))[1];
}

const auto quotient_down = [](const auto& a, const auto& b) { return floor_divide(a, b); };
const auto rest = [](const auto& a, const auto& b) { return remainder(a, b); };
const auto power = [](const auto& a, const auto& b) { return pow(a, b); };

void check_complex(c128 got, c128 want) {
  const auto close = [](double a, double b) {
    return same(a, b) || (std::isfinite(b) && b != 0 && std::abs(a - b) <= 1e-15 * std::abs(b));
  };
  INFO("is " << got << ", expected " << want);
  CHECK(close(got.real(), want.real()));
  CHECK(close(got.imag(), want.imag()));
}

}  // namespace

TEST_CASE("division of integers: the operators truncate as in C++, floor_divide and remainder are Python's // and %") {
  // --8<-- [start:division]
  const Array<std::int32_t, 1> x = make_array<std::int32_t>({7, -7, 7, -7});
  const Array<std::int32_t, 1> y = make_array<std::int32_t>({2, 2, -2, 0});
  CHECK(array_equal(x / y, make_array<std::int32_t>({3, -3, -3, 0})));
  CHECK(array_equal(x % y, make_array<std::int32_t>({1, -1, 1, 0})));
  CHECK(array_equal(floor_divide(x, y), make_array<std::int32_t>({3, -4, -4, 0})));
  CHECK(array_equal(remainder(x, y), make_array<std::int32_t>({1, 1, -1, 0})));
  // --8<-- [end:division]
}

TEST_CASE("floor_divide and remainder of floating elements at zeros and infinities" *
          doctest::test_suite("any place")) {
  CHECK(value_at(1.0, 0.1, quotient_down) == 9.0);  // 0.1 is a little more than a tenth
  CHECK(value_at(-5.0, 3.0, rest) == 1.0);
  CHECK(value_at(5.0, -3.0, rest) == -1.0);
  CHECK(same(value_at(-6.0, 3.0, rest), 0.0));
  CHECK(same(value_at(6.0, -3.0, rest), -0.0));
  CHECK(value_at(5.0, infinity, rest) == 5.0);
  CHECK(value_at(-5.0, infinity, rest) == infinity);
  CHECK(value_at(-5.0, infinity, quotient_down) == -1.0);
  CHECK(value_at(5.0, 0.0, quotient_down) == infinity);
  CHECK(same(value_at(5.0, 0.0, rest), not_a_number));
  CHECK(same(value_at(infinity, 2.0, rest), not_a_number));
}

TEST_CASE("powers of integers wrap, and negative exponents are defined") {
  // --8<-- [start:powers]
  const Array<std::int32_t, 1> x = make_array<std::int32_t>({0, 1, -1, 2, 3});
  CHECK(array_equal(pow(x, 3), make_array<std::int32_t>({0, 1, -1, 8, 27})));
  CHECK(array_equal(pow(x, -3), make_array<std::int32_t>({0, 1, -1, 0, 0})));  // 1 / x^3, cut towards zero; 0 for 0
  CHECK(array_equal(pow(x, 0), make_array<std::int32_t>({1, 1, 1, 1, 1})));
  // --8<-- [end:powers]
  CHECK(value_at(std::int32_t{2}, std::int32_t{31}, power) == std::numeric_limits<std::int32_t>::min());
  CHECK(value_at(std::int32_t{2}, std::int32_t{32}, power) == 0);
  CHECK(value_at(std::int8_t{3}, std::int8_t{127}, power) == std::int8_t{-85});
  CHECK(value_at(0.0, 0.0, power) == 1.0);
  CHECK(value_at(not_a_number, 0.0, power) == 1.0);
}

TEST_CASE("bits of elements, in expressions and where they lie") {
  // --8<-- [start:bits]
  Array<std::uint8_t, 1> x = make_array<std::uint8_t>({12, 10, 255});
  CHECK(array_equal(x & 6, make_array<std::uint8_t>({4, 2, 6})));
  CHECK(array_equal(x ^ 15, make_array<std::uint8_t>({3, 5, 240})));
  x &= 14;  // 12 10 14
  x |= 1;   // 13 11 15
  x ^= 5;   // 8 14 10
  x <<= 2;  // 32 56 40
  x >>= 3;  // 4 7 5
  x %= 4;   // 0 3 1
  // --8<-- [end:bits]
  CHECK(array_equal(x, make_array<std::uint8_t>({0, 3, 1})));
}

TEST_CASE("rounding is to even, and integers pass through") {
  // --8<-- [start:rounding]
  const Array<double, 1> x = make_array<double>({-2.5, -0.4, 0.5, 1.5, 2.7});
  CHECK(array_equal(round(x), make_array<double>({-2, 0, 0, 2, 3})));
  CHECK(array_equal(trunc(x), make_array<double>({-2, 0, 0, 1, 2})));
  CHECK(array_equal(ceil(make_array<int>({3, -4})), make_array<int>({3, -4})));
  // --8<-- [end:rounding]
}

TEST_CASE("clip takes scalars, arrays or none as bounds") {
  // --8<-- [start:clip]
  const Array<double, 1> x = make_array<double>({-3, 0.5, 9});
  CHECK(array_equal(clip(x, -1, 2), make_array<double>({-1, 0.5, 2})));
  CHECK(array_equal(clip(x, none, 2), make_array<double>({-3, 0.5, 2})));
  CHECK(array_equal(clip(x, x, none), x));
  // --8<-- [end:clip]
  CHECK(same(value_at(not_a_number, [](const auto& a) { return clip(a, 0, 1); }), not_a_number));
  const Array<double, 1> low = make_array<double>({-1, 1, 10});
  CHECK(elements(evaluate(clip(x, low, none)))[2] == 10);
  CHECK(array_equal(clip(make_array<int>({-5, 5}), none, none), make_array<int>({-5, 5})));
}

TEST_CASE("nextafter steps in the elements' own type" * doctest::test_suite("any place")) {
  CHECK(static_cast<float>(value_at(float16(1.0f), float16(2.0f),
                                    [](const auto& a, const auto& b) { return nextafter(a, b); })) == 1 + 0x1p-10f);
  CHECK(static_cast<float>(value_at(bfloat16(1.0f), bfloat16(0.0f),
                                    [](const auto& a, const auto& b) { return nextafter(a, b); })) == 1 - 0x1p-8f);
}

TEST_CASE("complex numbers: parts, magnitude and angle have the type of the parts") {
  // --8<-- [start:complex]
  const Array<std::complex<float>, 1> z = make_array({std::complex<float>(3, 4), std::complex<float>(0, -2)});
  const Array<float, 1> magnitude = abs(z);
  CHECK(array_equal(magnitude, make_array<float>({5, 2})));
  CHECK(array_equal(imag(conj(z)), make_array<float>({-4, 2})));
  CHECK(allclose(angle(z), make_array<float>({0.92729522f, -1.57079633f})));
  // --8<-- [end:complex]
  CHECK(array_equal(imag(z * conj(z)), make_array<float>({0, 0})));
}

TEST_CASE("complex quotients do not overflow between, and are 0 for infinite divisors" *
          doctest::test_suite("any place")) {
  const auto divide_of = [](const auto& a, const auto& b) { return a / b; };
  check_complex(value_at(c128(1e300, 1e300), c128(1e300, 1e300), divide_of), c128(1, 0));
  check_complex(value_at(c128(1e-300, 2e-300), c128(1e-300, 2e-300), divide_of), c128(1, 0));
  check_complex(value_at(c128(1, 2), c128(infinity, 0), divide_of), c128(0, 0));
  check_complex(value_at(c128(1, 2), c128(0, infinity), divide_of), c128(0, -0.0));
  check_complex(value_at(c128(1, 2), c128(0, 0), divide_of), c128(infinity, infinity));
}

TEST_CASE("complex functions at infinities and on their branch cuts are as in C's Annex G" *
          doctest::test_suite("any place")) {
  const double pi = std::acos(-1.0);
  const auto sqrt_of = [](const auto& z) { return sqrt(z); };
  const auto log_of = [](const auto& z) { return log(z); };
  const auto exp_of = [](const auto& z) { return exp(z); };
  check_complex(value_at(c128(-4, 0.0), sqrt_of), c128(0, 2));
  check_complex(value_at(c128(-4, -0.0), sqrt_of), c128(0, -2));
  check_complex(value_at(c128(1, infinity), sqrt_of), c128(infinity, infinity));
  check_complex(value_at(c128(-1, 0.0), log_of), c128(0, pi));
  check_complex(value_at(c128(-1, -0.0), log_of), c128(0, -pi));
  check_complex(value_at(c128(0, 0), log_of), c128(-infinity, 0));
  check_complex(value_at(c128(-infinity, infinity), exp_of), c128(0, 0));
  check_complex(value_at(c128(0, 0), c128(0, 0), power), c128(1, 0));
  check_complex(value_at(c128(0, 0), c128(2, 1), power), c128(0, 0));
}

TEST_CASE("logaddexp and the activations keep infinities apart from NaN" * doctest::test_suite("any place")) {
  const auto log_sum = [](const auto& a, const auto& b) { return logaddexp(a, b); };
  CHECK(value_at(-infinity, -infinity, log_sum) == -infinity);
  CHECK(value_at(infinity, -infinity, log_sum) == infinity);
  CHECK(value_at(1000.0, 1000.0, log_sum) == doctest::Approx(1000.6931471805599));
  CHECK(same(value_at(not_a_number, infinity, log_sum), not_a_number));
  CHECK(value_at(-infinity, [](const auto& x) { return silu(x); }) == 0);
  CHECK(value_at(-infinity, [](const auto& x) { return gelu(x); }) == 0);
  CHECK(value_at(infinity, [](const auto& x) { return softplus(x); }) == infinity);
}

TEST_CASE("leaky_relu takes its slope as a scalar or one for each column") {
  // --8<-- [start:leaky]
  const Array<float, 2> x = make_array<float>({{-1, 2}, {4, -8}});
  CHECK(array_equal(leaky_relu(x, 0.25f), make_array<float>({{-0.25f, 2}, {4, -2}})));
  CHECK(array_equal(leaky_relu(x, make_array<float>({0.5f, 0.125f})), make_array<float>({{-0.5f, 2}, {4, -1}})));
  // 0 is not above 0: the slope's sign and infinity are seen.
  CHECK(to_string(evaluate(leaky_relu(zeros<float>(3), make_array<float>({-0.75f, 0.25f, INFINITY})))) ==
        "[-0.  0. nan]");
  // --8<-- [end:leaky]
}

TEST_CASE("an activation computes its argument once") {
  static_assert(decltype(gelu(std::declval<Array<float, 2>>() + 1))::leaf_count == 1);
  static_assert(decltype(softplus(std::declval<Array<float, 2>>()))::leaf_count == 1);
  static_assert(decltype(silu(dot(std::declval<Array<float, 2>>(), std::declval<Array<float, 2>>())))::fusible == 1);
  CHECK(array_equal(relu(make_array<int>({-1, 2})), make_array<int>({0, 2})));
}

TEST_CASE("lgamma leaves the C library's shared sign alone") {
  signgam = 42;
  CHECK(value_at(-0.5, [](const auto& x) { return lgamma(x); }) == doctest::Approx(1.2655121234846454));
  CHECK(value_at(-0.5f, [](const auto& x) { return lgamma(x); }) == doctest::Approx(1.2655121f));
  CHECK(signgam == 42);
}

// --8<-- [start:numbers]
TEST_CASE("functions of one operand take an element, or a number, and give a number") {
  const Array<double, 1> x{0.25, 4};
  const double root = sqrt(x(1));
  CHECK(root == 2);
  CHECK(abs(x(0) - 0.5) == 0.25);
  CHECK(sigmoid(0.0f) == 0.5f);
  CHECK(round(x(0)) == 0);
}
// --8<-- [end:numbers]

TEST_CASE("a function of a number is what it is of an array that holds it" * doctest::test_suite("any place")) {
  const auto same = [](const auto& value, const auto& function) {
    using T = std::remove_cvref_t<decltype(value)>;
    const Array<T, 1> one = there(full(Dim{1}, value));
    const auto expected = evaluate(function(one));
    using Result = typename decltype(expected)::value_type;
    static_assert(std::same_as<decltype(function(value)), Result>);
    // The loop over elements may contract products and sums, so the last bit is open.
    const auto is_near = [&](const Result& result) {
      using Wide = std::complex<double>;
      const double tolerance = sizeof(Result) == 2 ? 1e-2 : 1e-6;
      return double(max(abs(cast<Wide>(expected) - cast<Wide>(there(full(Dim{1}, result)))))) <= tolerance;
    };
    CHECK(is_near(function(value)));
    CHECK(is_near(function(one(0))));
  };
  const auto each = [&](const auto&... values) {
    (same(values, [](const auto& v) { return exp(v); }), ...);
    (same(values, [](const auto& v) { return sin(v); }), ...);
    (same(values, [](const auto& v) { return tanh(v); }), ...);
    (same(values, [](const auto& v) { return square(v); }), ...);
    (same(values, [](const auto& v) { return abs(v); }), ...);
    (same(values, [](const auto& v) { return isfinite(v); }), ...);
  };
  each(0.75f, -2.5, float16(0.5f), bfloat16(-3.0f), std::complex<float>(1, -2), std::complex<double>(0.5, 2));
  same(0.75f, [](const auto& v) { return floor(v); });
  same(-1.5, [](const auto& v) { return relu(v); });
  same(float16(1.5f), [](const auto& v) { return gelu(v); });
  same(std::int16_t{-7}, [](const auto& v) { return abs(v); });
  same(std::uint64_t{7}, [](const auto& v) { return square(v); });
}
