#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

import tessera;

// What has rank 0 is a value; what has more is none. Elements as they are read, written and compared on places known and unknown.

using namespace tessera;

namespace {

template <class T>
concept HasTruthValue = requires(const T& x) { x ? 1 : 0; };
template <class L, class R>
concept Conjoins = requires(const L& a, const R& b) { a && b; } || requires(const L& a, const R& b) { a || b; };

using Numbers = Array<float, 1>;
using Mask = Array<bool, 1>;

}  // namespace

static_assert(std::is_convertible_v<decltype(mean(Numbers())), double> && std::is_convertible_v<Array<float, 0>, int>);
static_assert(!std::is_convertible_v<Numbers, float> && !std::is_convertible_v<decltype(Numbers() + 1), double>);
static_assert(HasTruthValue<decltype(any(Mask()))> && HasTruthValue<Array<bool, 0>> && HasTruthValue<Array<float, 0>>);
static_assert(!HasTruthValue<Numbers> && !HasTruthValue<Mask> && !HasTruthValue<decltype(Numbers() > 1)>);
static_assert(!Conjoins<Mask, Mask> && !Conjoins<Mask, bool> && Conjoins<decltype(any(Mask())), bool>);

TEST_CASE("a rank-0 array or expression is its value") {
  const Array<float, 1> x{1, 2, 3, 6};
  const double m = mean(x);
  CHECK(m == 3);
  const float most = max(x);
  CHECK(most == 6);
  const std::int64_t where = argmax(x);
  CHECK(where == 3);
  Array<double, 0> s = 2.5;
  const double value = s;
  CHECK(value == 2.5);
  s = s * 2;
  CHECK(s == 5.0);
  CHECK(std::max(s.item(), 1.0) == 5);
  std::ostringstream text;
  text << mean(x) << ' ' << s << ' ' << any(x > 5) << ' ' << x + 1;
  CHECK(text.str() == "3.0 5.0 True [2. 3. 4. 7.]");
  if (any(x > 6)) FAIL("none is");
  if (!all(x > 0)) FAIL("all are");
  CHECK((any(x > 5) && m > 1));
  CHECK(sum(x) > 11.f);
  const Array<float, 1> scaled = x / sum(x);  // still fused
  CHECK(scaled(3) == 0.5f);
  const Array<float16, 1> half{float16(1.5f), float16(2.5f)};
  const float small = sum(half);
  CHECK(small == 4);
  CHECK_THROWS_AS(static_cast<void>(float(Array<float, 0>())), IndexError);
}

TEST_CASE("elements are read and written as values, wherever the array may be") {
  const auto check = []<class A>(A a) {
    a(0, 1) = 5;
    a[{1, 0}] = 7;
    CHECK(a(0, 1) == 5);
    CHECK(a(-1, -2) == 7);
    const int kept = a(0, 0);
    a(0, 0) = a(1, 1);
    a(1, 1) = kept;
    CHECK(a(1, 1) == 1);
    swap(a(0, 1), a(1, 0));
    CHECK(a(0, 1) == 7);
    ++a(0, 0);
    a(0, 0)--;
    CHECK(a(0, 0)++ == 4);
    a(0, 0) %= 3;
    a(0, 0) <<= 3;
    a(0, 0) |= 1;
    a(0, 0) ^= 2;
    a(0, 0) &= 0xf;
    a(0, 0) >>= 1;
    CHECK(a(0, 0) == ((((5 % 3) << 3 | 1) ^ 2) & 0xf) >> 1);
    CHECK(std::max(a(0, 1), 2) == 7);
    a(0, 1) *= 1.5;
    CHECK(a(0, 1) == 10);
    a(0, 1) -= 3.5;
    CHECK(a(0, 1) == 6);
    a(0, 1) += a(0, 1) / 6;
    CHECK(std::max(2, a(0, 1)) == 7);
    CHECK(std::min(a(0, 1), a(1, 0)) == 5);
    CHECK(abs(a(0, 1)) == 7);
    CHECK_THROWS_WITH_AS(static_cast<void>(a(2, 0)), doctest::Contains("values_test.cpp"), IndexError);
    CHECK_THROWS_AS(a(0, -3) = 1, IndexError);
  };
  SUBCASE("a place known at run time") { check(Array<int, 2>{{1, 2}, {3, 4}}); }
  SUBCASE("a place known at compile time") {
    using std::swap;
    Array<int, 2, CpuPlace> a(Array<int, 2>{{1, 2}, {3, 4}});
    swap(a(0, 0), a(1, 1));
    CHECK(a(0, 0) == 4);
    static_assert(std::same_as<decltype(a(0, 0)), int&> && std::same_as<decltype(std::as_const(a)(0, 0)), const int&>);
    a(0, 0) += 2;
    CHECK(std::max(a(0, 0), 2) == 6);
  }
}

TEST_CASE("complex elements have parts and arithmetic") {
  using c64 = std::complex<float>;
  Array<c64, 1> z{c64(3, 4), c64(1, -1)};
  CHECK(z[0].real() == 3);
  CHECK(z[0].imag() == 4);
  CHECK(abs(z[0]) == 5);
  CHECK(z[0] * z[1] == c64(7, 1));
  CHECK(z[0] + c64(1, 0) == c64(4, 4));
  CHECK(c64(2, 0) * z[1] == c64(2, -2));
  z[1] *= c64(2, 0);
  CHECK(z[1] == c64(2, -2));
}

TEST_CASE("an element is a scalar of an expression") {
  const Array<float, 1> x{1, 2, 3};
  Array<float, 1> y{10, 20, 30};
  const Array<float, 1> scaled = x * y[1];
  CHECK(array_equal(scaled, Array<float, 1>{20, 40, 60}));
  y = y - y[0];
  CHECK(array_equal(y, Array<float, 1>{0, 10, 20}));
}

TEST_CASE("compound operators for integers and bits") {
  Array<int, 1> a{7, 8, 9};
  const Array<int, 1> seen = a;
  a %= 5;
  a <<= 2;
  a |= 1;
  a ^= Array<int, 1>{1, 2, 3};
  a &= 30;
  a >>= 1;
  CHECK(array_equal(seen, Array<int, 1>{((((7 % 5) << 2 | 1) ^ 1) & 30) >> 1, ((((8 % 5) << 2 | 1) ^ 2) & 30) >> 1,
                                        ((((9 % 5) << 2 | 1) ^ 3) & 30) >> 1}));
  Array<bool, 1> mask{true, false};
  mask |= Array<bool, 1>{false, false};
  mask &= true;
  CHECK(array_equal(mask, Array<bool, 1>{true, false}));
}

TEST_CASE("means and sums of integers and masks") {
  const Array<bool, 1> mask{true, false, true, true};
  CHECK(mean(mask) == 0.75);
  static_assert(std::same_as<value_of<decltype(mean(mask))>, double>);
  const Array<std::uint8_t, 1> bytes{200, 100, 255};
  CHECK(mean(bytes) == 185);
  static_assert(std::same_as<value_of<decltype(sum(bytes))>, std::uint64_t>);
  static_assert(std::same_as<value_of<decltype(sum(Array<std::int16_t, 1>()))>, std::int64_t>);
  static_assert(std::same_as<value_of<decltype(sum(mask))>, std::int64_t>);
  CHECK(sum(bytes) == 555u);
  CHECK(array_equal(bytes > 150, Array<bool, 1>{true, false, true}));
  CHECK(array_equal(bytes == 100, Array<bool, 1>{false, true, false}));
  CHECK(any(bytes == 300) == false);
  CHECK(array_equal(bytes < -1, Array<bool, 1>{false, false, false}));
}

TEST_CASE("integers narrow by cast only") {
  static_assert(!std::is_constructible_v<Array<std::int32_t, 0>, decltype(sum(Array<std::int32_t, 1>()))>);
  static_assert(!std::is_assignable_v<Array<std::int32_t, 1>&, decltype(Array<std::int64_t, 1>() + 1)>);
  static_assert(std::is_assignable_v<Array<std::int64_t, 1>&, decltype(Array<std::int32_t, 1>() + 1)>);
  static_assert(!std::is_constructible_v<Array<int, 1>, decltype(Array<float, 1>() + 1)>);
  const Array<std::int32_t, 0> s = cast<std::int32_t>(sum(Array<std::int32_t, 1>{1, 2}));
  CHECK(s == 3);
}
