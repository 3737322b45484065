// Integers at the ends of their ranges and conversions between kinds: everything is defined and nothing traps.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

using c64 = std::complex<float>;

template <class T>
void check_division() {
  CAPTURE(name(dtype_of<T>));
  constexpr T low = std::numeric_limits<T>::min();
  constexpr T high = std::numeric_limits<T>::max();
  // Long enough for whole vectors, the tail included.
  for (const std::ptrdiff_t n : {1, 200}) {
    const Array<T, 1> x = broadcast_to(there(make_array<T>({low})), Dim{n}).clone();
    const Array<T, 1> zero = there(zeros<T>(Dim{n}));
    CHECK(array_equal(x / zero, zero));
    CHECK(array_equal(x % zero, zero));
    CHECK(array_equal(x / T(0), zero));
    CHECK(array_equal(high / zero, zero));
    if constexpr (std::signed_integral<T>) {
      const Array<T, 1> minus_one = there(full(Dim{n}, T(-1)));
      CHECK(array_equal(x / minus_one, x));
      CHECK(array_equal(x % minus_one, zero));
      CHECK(array_equal(-x, x));
      CHECK(array_equal(abs(x), x));
      CHECK(array_equal(there(full(Dim{n}, T(-7))) / T(2), there(full(Dim{n}, T(-3)))));  // towards zero
      CHECK(
          array_equal(there(full(Dim{n}, T(-7))) % T(2), there(full(Dim{n}, T(-1)))));  // with the sign of the dividend
    }
    CHECK(array_equal(there(full(Dim{n}, high)) + T(1), x));
    CHECK(array_equal(x - T(1), there(full(Dim{n}, high))));
  }
}

template <class T>
void check_shifts() {
  CAPTURE(name(dtype_of<T>));
  constexpr int width = 8 * sizeof(T);
  const Array<T, 1> ones_below = there(full(Dim{1}, static_cast<T>(-1)));
  const T sign = std::signed_integral<T> ? static_cast<T>(-1) : T(0);
  const auto by = [](int count) { return there(full(Dim{1}, static_cast<T>(count))); };
  CHECK(evaluate(ones_below << by(width - 1))[{0}] == static_cast<T>(T(1) << (width - 1)));
  CHECK(evaluate(ones_below << by(width))[{0}] == T(0));
  CHECK(evaluate(ones_below << by(100))[{0}] == T(0));
  CHECK(evaluate(ones_below << by(-1))[{0}] == T(0));
  CHECK(evaluate(ones_below >> by(width - 1))[{0}] == (std::signed_integral<T> ? sign : T(1)));
  CHECK(evaluate(ones_below >> by(width))[{0}] == sign);
  CHECK(evaluate(ones_below >> by(-1))[{0}] == sign);
}

/// Casts each value in a long array, so that whole vectors and the tail both take part.
template <class To, class From>
void check_cast(const std::vector<double>& values, const std::vector<To>& expected) {
  CAPTURE(name(dtype_of<From>));
  CAPTURE(name(dtype_of<To>));
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Array<To, 1> result = cast<To>(there(full(Dim{133}, From(values[i]))));
      CHECK(difference(elements(result), std::vector<To>(133, expected[i])) == "");
    }
  });
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The range of To cuts what does not fit; NaN gives 0; fractions go towards zero.
template <class To, class From>
void check_saturation() {
  constexpr To low = std::numeric_limits<To>::min();
  constexpr To high = std::numeric_limits<To>::max();
  check_cast<To, From>({not_a_number, infinity, -infinity, 1e30, -1e30, 1.9, -0.9, 100.5},
                       {To(0), high, low, high, low, To(1), To(0), To(100)});
}

}  // namespace

TEST_CASE("integer division by zero gives zero, the lowest value divided by -1 wraps, nothing traps") {
  // --8<-- [start:division]
  const Array<std::int32_t, 1> a = make_array<std::int32_t>({7, -7, std::numeric_limits<std::int32_t>::min()});
  CHECK(array_equal(a / 0, make_array<std::int32_t>({0, 0, 0})));
  CHECK(array_equal(a % 0, make_array<std::int32_t>({0, 0, 0})));
  CHECK(array_equal(a / -1, make_array<std::int32_t>({-7, 7, std::numeric_limits<std::int32_t>::min()})));
  CHECK(array_equal(a << 40, make_array<std::int32_t>({0, 0, 0})));
  CHECK(array_equal(a >> 40, make_array<std::int32_t>({0, -1, -1})));
  // --8<-- [end:division]
  for_each_isa([](device::Isa) {
    check_division<std::int8_t>();
    check_division<std::int16_t>();
    check_division<std::int32_t>();
    check_division<std::int64_t>();
    check_division<std::uint8_t>();
    check_division<std::uint64_t>();
  });
}

TEST_CASE("shifts by the width or more, or by a negative number, shift everything out" *
          doctest::test_suite("any place")) {
  check_shifts<std::int8_t>();
  check_shifts<std::int16_t>();
  check_shifts<std::int32_t>();
  check_shifts<std::int64_t>();
  check_shifts<std::uint8_t>();
  check_shifts<std::uint16_t>();
  check_shifts<std::uint32_t>();
  check_shifts<std::uint64_t>();
}

TEST_CASE("a cast from floating to integer is cut to the range, and NaN gives 0" * doctest::test_suite("any place")) {
  check_saturation<std::int8_t, float>();
  check_saturation<std::int32_t, float>();
  check_saturation<std::int64_t, float>();
  check_saturation<std::uint8_t, float>();
  check_saturation<std::uint64_t, float>();
  check_saturation<std::int16_t, double>();
  check_saturation<std::int64_t, double>();
  check_saturation<std::uint32_t, double>();
  check_saturation<std::uint64_t, double>();
}

TEST_CASE("a cast at the very ends of the range is exact" * doctest::test_suite("any place")) {
  constexpr auto high = std::numeric_limits<std::int32_t>::max();
  constexpr auto low = std::numeric_limits<std::int32_t>::min();
  check_cast<std::int32_t, double>(
      {2147483647.0, 2147483647.9, 2147483648.0, -2147483648.0, -2147483648.9, -2147483649.0},
      {high, high, high, low, low, low});
  check_cast<std::int32_t, float>({2147483520.0, 2147483648.0, -2147483648.0}, {2147483520, high, low});
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  check_cast<std::uint64_t, double>({18446744073709549568.0, 18446744073709551616.0, 9223372036854775808.0},
                                    {18446744073709549568u, most, 9223372036854775808u});
  check_cast<std::uint8_t, float16>({65504.0, -65504.0, 255.5, 254.9}, {255, 0, 255, 254});
  check_cast<std::int8_t, bfloat16>({infinity, -infinity, not_a_number, -128.0}, {127, -128, 0, -128});
}

TEST_CASE("casts to bool say whether the value is not zero" * doctest::test_suite("any place")) {
  check_cast<bool, float>({0.0, -0.0, 0.25, not_a_number, infinity}, {false, false, true, true, true});
  CHECK(array_equal(cast<bool>(there(make_array<std::int32_t>({0, 1, 256, -1}))),
                    there(make_array<bool>({false, true, true, true}))));
  CHECK(
      array_equal(cast<bool>(there(make_array<c64>({c64(0, 0), c64(0, 1)}))), there(make_array<bool>({false, true}))));
}

TEST_CASE("casts among other kinds" * doctest::test_suite("any place")) {
  CHECK(array_equal(cast<float>(there(make_array<bool>({true, false}))), there(make_array<float>({1, 0}))));
  CHECK(array_equal(cast<float>(there(make_array<std::int64_t>({(std::int64_t{1} << 53) + 1, -3}))),
                    there(make_array<float>({0x1p+53f, -3}))));
  CHECK(array_equal(cast<std::uint8_t>(there(make_array<std::int32_t>({-1, 256}))),
                    there(make_array<std::uint8_t>({255, 0}))));
  CHECK(array_equal(cast<std::complex<double>>(there(make_array<float>({0.5f, -1}))),
                    there(make_array<std::complex<double>>({0.5, -1.0}))));
  CHECK(array_equal(cast<float>(there(make_array<c64>({c64(1, 2), c64(-3, 4)}))), there(make_array<float>({1, -3}))));
}

TEST_CASE("casts from complex convert the real part as a cast from real numbers would" *
          doctest::test_suite("any place")) {
  using c128 = std::complex<double>;
  const Array<c128, 1> z =
      there(make_array<c128>({c128(1e30, 1), c128(-1e30, 0), c128(not_a_number, 0), c128(-2.9, 5)}));
  constexpr auto high = std::numeric_limits<std::int32_t>::max();
  constexpr auto low = std::numeric_limits<std::int32_t>::min();
  CHECK(array_equal(cast<std::int32_t>(z), there(make_array<std::int32_t>({high, low, 0, -2}))));
  const Array<float, 1> rounded = cast<float16>(there(full(Dim{1}, c128(1 + 0x1p-12, 0)))) + there(full(Dim{1}, 0.0f));
  CHECK(rounded[{0}] == 1.0f);
}

TEST_CASE("a cast inside an expression rounds as a stored result would" * doctest::test_suite("any place")) {
  const Array<float, 1> x = there(make_array<float>({1.0001f, 3.14159f, 1e5f, 1e-8f}));
  Array<float16, 1> stored = there(Array<float16, 1>(Dim{4}));
  stored = x * 1;
  const Array<float, 1> through = cast<float16>(x) + there(make_array<float>({0, 0, 0, 0}));
  const Array<float, 1> expected = cast<float>(stored);
  CHECK(array_equal(through, expected));
  const Array<bfloat16, 1> stored_b = cast<bfloat16>(x);
  const Array<double, 1> through_b = cast<double>(cast<bfloat16>(x));
  CHECK(array_equal(through_b, cast<double>(stored_b)));
}
