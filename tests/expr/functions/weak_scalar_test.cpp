// C++ integers beside arrays of narrower integers: what wraps, what compares as written and what throws.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

using Bytes = Array<std::uint8_t, 1>;

/// All six comparisons with a scalar on either side, against the comparison of wide integers.
template <class T, class S>
void check_comparisons(S scalar) {
  constexpr T low = std::numeric_limits<T>::min();
  constexpr T high = std::numeric_limits<T>::max();
  for (const T value : {low, T(0), T(1), high}) {
    CAPTURE(text_of(value));
    CAPTURE(text_of(scalar));
    const Array<T, 1> x = there(full(Dim{70}, value));
    const auto all = [&](const auto& comparison, bool expected) {
      CHECK(elements(evaluate(comparison)) == std::vector<bool>(70, expected));
    };
    all(x == scalar, std::cmp_equal(value, scalar));
    all(x != scalar, !std::cmp_equal(value, scalar));
    all(x < scalar, std::cmp_less(value, scalar));
    all(x <= scalar, std::cmp_less_equal(value, scalar));
    all(x > scalar, std::cmp_greater(value, scalar));
    all(x >= scalar, std::cmp_greater_equal(value, scalar));
    all(scalar == x, std::cmp_equal(scalar, value));
    all(scalar != x, !std::cmp_equal(scalar, value));
    all(scalar < x, std::cmp_less(scalar, value));
    all(scalar <= x, std::cmp_less_equal(scalar, value));
    all(scalar > x, std::cmp_greater(scalar, value));
    all(scalar >= x, std::cmp_greater_equal(scalar, value));
  }
}

}  // namespace

TEST_CASE("a scalar that does not fit is compared as what it is") {
  // --8<-- [start:comparison]
  const Bytes bytes = make_array<std::uint8_t>({0, 200, 255});
  CHECK(array_equal(bytes == -1, make_array<bool>({false, false, false})));  // not with 255
  CHECK(array_equal(bytes < 300, make_array<bool>({true, true, true})));
  // --8<-- [end:comparison]
}

TEST_CASE("comparisons with scalars in and out of range are those of integers without bounds" *
          doctest::test_suite("any place")) {
  for (const int scalar : {-1, 0, 1, 127, 128, 255, 256, -128, -129, 65536}) {
    check_comparisons<std::uint8_t>(scalar);
    check_comparisons<std::int8_t>(scalar);
    check_comparisons<std::uint64_t>(scalar);
  }
  check_comparisons<std::int64_t>(std::numeric_limits<std::uint64_t>::max());
  check_comparisons<std::int32_t>(std::int64_t{1} << 32);
  check_comparisons<std::uint32_t>(-1);
  check_comparisons<std::int16_t>(1L << 40);
  CHECK(array_equal(there(make_array<std::int8_t>({97, 0})) == 'a', there(make_array<bool>({true, false}))));
}

TEST_CASE("sums, products and operations on bits take a scalar's low bits: the exact result, wrapped" *
          doctest::test_suite("any place")) {
  const Bytes x = there(make_array<std::uint8_t>({0, 1, 250}));
  CHECK(array_equal(x + 300, there(make_array<std::uint8_t>({44, 45, 38}))));
  CHECK(array_equal(x - 257, there(make_array<std::uint8_t>({255, 0, 249}))));
  CHECK(array_equal(x * -1, there(make_array<std::uint8_t>({0, 255, 6}))));
  CHECK(array_equal(x & ~1, there(make_array<std::uint8_t>({0, 0, 250}))));
  CHECK(array_equal(x ^ -1, there(make_array<std::uint8_t>({255, 254, 5}))));
}

TEST_CASE("a shift count that does not fit shifts everything out" * doctest::test_suite("any place")) {
  const Array<std::int8_t, 1> x = there(make_array<std::int8_t>({1, -1, 100}));
  CHECK(array_equal(x << 256, there(make_array<std::int8_t>({0, 0, 0}))));
  CHECK(array_equal(x >> 256, there(make_array<std::int8_t>({0, -1, 0}))));
  CHECK(array_equal(x << -129, there(make_array<std::int8_t>({0, 0, 0}))));
  CHECK(array_equal(there(make_array<std::uint8_t>({255})) >> -1, there(make_array<std::uint8_t>({0}))));
}

TEST_CASE("where a wrapped scalar would mean something else, it throws and says what to do") {
  const Bytes x = make_array<std::uint8_t>({0, 1, 250});
  // --8<-- [start:throws]
  const std::string message = message_of<DTypeError>([&] { maximum(x, -1); });
  CHECK(contains(message, "maximum: the scalar -1 does not fit in uint8"));
  CHECK(contains(message, "cast<T>(...)"));
  // --8<-- [end:throws]
  CHECK(contains(message_of<DTypeError>([&] { x / 300; }), "operator /: the scalar 300"));
  CHECK(contains(message_of<DTypeError>([&] { x % -3; }), "operator %: the scalar -3"));
  CHECK(contains(message_of<DTypeError>([&] { remainder(300, x); }), "remainder: the scalar 300"));
  CHECK(contains(message_of<DTypeError>([&] { floor_divide(x, -1); }), "floor_divide: the scalar -1"));
  CHECK(contains(message_of<DTypeError>([&] { pow(x, -1); }), "pow: the scalar -1"));
  CHECK(contains(message_of<DTypeError>([&] { clip(x, 0, 256); }), "the scalar 256"));
  CHECK(contains(message_of<DTypeError>([&] { where(x == 0, x, 256); }), "where: the scalar 256"));
  CHECK(array_equal(maximum(x, 255), make_array<std::uint8_t>({255, 255, 255})));
  CHECK(array_equal(x / 10L, make_array<std::uint8_t>({0, 0, 25})));
}

TEST_CASE("an element of an array is the scalar that its value is" * doctest::test_suite("any place")) {
  const Bytes x = there(make_array<std::uint8_t>({1, 7, 250}));
  const Bytes bytes = there(make_array<std::uint8_t>({3, 200}));
  const Array<std::int64_t, 1> wide = there(make_array<std::int64_t>({3, 200}));
  const auto same = [&](const auto& function) {
    for (int i : {0, 1}) {
      CHECK(array_equal(function(wide[{i}]), function(std::int64_t{wide[{i}]})));
      CHECK(array_equal(function(bytes[{i}]), function(std::uint8_t{bytes[{i}]})));
    }
  };
  same([&](const auto& s) { return x / s + s / x; });
  same([&](const auto& s) { return x % s + s % x; });
  same([&](const auto& s) { return floor_divide(x, s) + remainder(s, x); });
  same([&](const auto& s) { return maximum(x, s) - minimum(s, x); });
  same([&](const auto& s) { return clip(x, s, none); });
  same([&](const auto& s) { return where(x > 2, x, s); });
  same([&](const auto& s) { return where(x > 2, s, s); });
  same([&](const auto& s) { return where(x == s, 1, 2) + where(s < x, 10, 20); });
  same([&](const auto& s) { return (x << s) ^ (x >> s); });
}

TEST_CASE("one condition for all elements chooses a branch, of the shape and the type of both" *
          doctest::test_suite("any place")) {
  const Array<float, 2> x = there(make_array<float>({{1, 2, 3}, {4, 5, 6}}));
  const Array<float, 1> row = there(make_array<float>({7, 8, 9}));
  const Array<bool, 1> flags = there(make_array<bool>({false, true}));
  for (const bool flag : {false, true}) {
    const Array<float, 2> expected = where(there(Array<bool, 2>(full(Dim{2, 3}, flag))), x, row);
    CHECK(array_equal(where(flag, x, row), expected));
    CHECK(array_equal(where(flags[{flag ? 1 : 0}], x, row), expected));
    CHECK(array_equal(where(flag, x, 2.0f) + 1, flag ? evaluate(x + 1) : evaluate(0 * x + 3)));
  }
  static_assert(std::same_as<value_of<decltype(where(true, row, x))>, float>);
}
