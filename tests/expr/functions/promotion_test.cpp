// Types: promotion of operands, weak C++ scalars, narrowing on assignment, cast.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

template <class A, class B>
using sum_t = typename decltype(std::declval<Array<A, 1>>() + std::declval<Array<B, 1>>())::value_type;
template <class A, class S>
using scaled_t = typename decltype(std::declval<Array<A, 1>>() * std::declval<S>())::value_type;

static_assert(std::same_as<sum_t<float, double>, double>);
static_assert(std::same_as<sum_t<float16, float>, float>);
static_assert(std::same_as<sum_t<float16, bfloat16>, float>);
static_assert(std::same_as<sum_t<bfloat16, bfloat16>, bfloat16>);
static_assert(std::same_as<sum_t<std::int8_t, std::uint8_t>, std::int16_t>);
static_assert(std::same_as<sum_t<std::int32_t, std::uint32_t>, std::int64_t>);
static_assert(std::same_as<sum_t<std::int64_t, std::int8_t>, std::int64_t>);
static_assert(std::same_as<sum_t<c64, float>, c64>);
static_assert(std::same_as<sum_t<c64, double>, c128>);
static_assert(std::same_as<sum_t<float16, c64>, c64>);

// C++ scalars are weak: the array's type wins.
static_assert(std::same_as<scaled_t<float, double>, float>);
static_assert(std::same_as<scaled_t<float16, double>, float16>);
static_assert(std::same_as<scaled_t<float, int>, float>);
static_assert(std::same_as<scaled_t<std::int8_t, int>, std::int8_t>);
static_assert(std::same_as<scaled_t<std::uint8_t, long long>, std::uint8_t>);
static_assert(std::same_as<scaled_t<c64, double>, c64>);
static_assert(std::same_as<scaled_t<c64, int>, c64>);

// Other scalars promote as an operand of their type does.
static_assert(std::same_as<scaled_t<float, float16>, float>);
static_assert(std::same_as<scaled_t<float16, float16>, float16>);
static_assert(std::same_as<scaled_t<float16, bfloat16>, float>);
static_assert(std::same_as<scaled_t<float, c64>, c64>);
static_assert(std::same_as<scaled_t<double, c64>, c128>);

template <class A, class B>
concept Adds = requires(Array<A, 1> a, B b) { a + b; };
static_assert(Adds<float, double> && Adds<float, int> && Adds<std::int32_t, int> && Adds<c64, double>);
static_assert(!Adds<std::int32_t, double>);  // a floating scalar would change the kind
static_assert(!Adds<float, bool> && !Adds<std::int32_t, bool>);
static_assert(!Adds<float, Array<std::int32_t, 1>>);  // integers with floats
static_assert(!Adds<std::int64_t, Array<std::uint64_t, 1>>);
static_assert(!Adds<bool, bool> && !Adds<bool, Array<bool, 1>>);

template <class To, class From>
concept Takes = requires(Array<To, 1> a, Array<From, 1> b) { a(all) = b; };
static_assert(Takes<float, double> && Takes<float16, double> && Takes<bfloat16, float16>);  // narrowing within a kind
static_assert(!Takes<std::int8_t, std::int64_t> && !Takes<std::uint8_t, std::int32_t> && Takes<c64, c128>);
static_assert(Takes<std::int64_t, std::int8_t> && Takes<std::int32_t, std::uint8_t> &&
              !Takes<std::uint64_t, std::int8_t>);
static_assert(Takes<c64, double>);
static_assert(!Takes<std::int32_t, float> && !Takes<float, std::int32_t> && !Takes<float, c64>);
static_assert(!Takes<bool, std::int8_t> && !Takes<std::int8_t, bool>);

}  // namespace

TEST_CASE("operands of different types meet in the promoted type" * doctest::test_suite("any place")) {
  const Array<std::int8_t, 1> a = there(make_array<std::int8_t>({-128, 100, 127}));
  const Array<std::uint8_t, 1> b = there(make_array<std::uint8_t>({255, 200, 1}));
  CHECK(array_equal(a + b, there(make_array<std::int16_t>({127, 300, 128}))));
  const Array<float16, 1> h = there(make_array<float16>({float16(2048.0f), float16(1.0f)}));
  const Array<bfloat16, 1> g = there(make_array<bfloat16>({bfloat16(1.0f), bfloat16(256.0f)}));
  CHECK(array_equal(h + g, there(make_array<float>({2049, 257}))));  // neither 16-bit type holds these
  const Array<float, 1> f = there(make_array<float>({0.1f, 1}));
  const Array<double, 1> d = there(make_array<double>({0.1, 1}));
  CHECK(evaluate(f - d)[{0}] == double(0.1f) - 0.1);
}

TEST_CASE("mixed signs compare by value" * doctest::test_suite("any place")) {
  const Array<std::int8_t, 1> a = there(make_array<std::int8_t>({-1, 5}));
  const Array<std::uint8_t, 1> b = there(make_array<std::uint8_t>({255, 5}));
  CHECK(array_equal(a == b, there(make_array<bool>({false, true}))));
  CHECK(array_equal(a < b, there(make_array<bool>({true, false}))));
}

TEST_CASE("a C++ scalar takes the array's type") {
  // --8<-- [start:weak]
  const Array<float, 1> a = make_array<float>({1, 2});
  const Array<std::uint8_t, 1> b = make_array<std::uint8_t>({250, 5});
  const auto product = evaluate(a * 0.1);  // float, as 0.1 is weak
  const auto sum = evaluate(b + 10);       // uint8: integer overflow wraps
  static_assert(std::same_as<decltype(product), const Array<float, 1>>);
  CHECK(array_equal(product, make_array<float>({0.1f, 0.2f})));
  CHECK(array_equal(sum, make_array<std::uint8_t>({4, 15})));
  // --8<-- [end:weak]
}

TEST_CASE("complex scalars and 16-bit scalars promote as arrays of their type do" * doctest::test_suite("any place")) {
  const Array<float, 1> a = there(make_array<float>({1, 2}));
  CHECK(array_equal(a * c64(0, 1), there(make_array<c64>({c64(0, 1), c64(0, 2)}))));
  CHECK(array_equal(c64(0, 1) * a, there(make_array<c64>({c64(0, 1), c64(0, 2)}))));
  const Array<float16, 1> h = there(make_array<float16>({float16(1.0f), float16(2.0f)}));
  CHECK(array_equal(h + float16(0.5f), there(make_array<float16>({float16(1.5f), float16(2.5f)}))));
  CHECK(array_equal(a + float16(0.5f), there(make_array<float>({1.5f, 2.5f}))));
}

TEST_CASE("scalars stand on either side" * doctest::test_suite("any place")) {
  const Array<double, 1> a = there(make_array<double>({1, 2, 4}));
  CHECK(array_equal(1 / a, there(make_array<double>({1, 0.5, 0.25}))));
  CHECK(array_equal(3.0f - a, there(make_array<double>({2, 1, -1}))));
  CHECK(array_equal(2 < a, there(make_array<bool>({false, false, true}))));
}

TEST_CASE("assignment narrows floats, rounding once" * doctest::test_suite("any place")) {
  Array<float, 1> f = there(Array<float, 1>(Dim{2}));
  f = there(make_array<double>({0.1, 1e300})) * 1;
  CHECK(array_equal(f, there(make_array<float>({0.1f, std::numeric_limits<float>::infinity()}))));
  Array<float16, 1> h = there(Array<float16, 1>(Dim{2}));
  h = there(make_array<double>({1 + 0x1.8p-11, 1 + 0x1p-11 + 0x1p-40})) *
      1;  // through float the second would round to 1
  CHECK(array_equal(h, there(make_array<float16>({float16(1 + 0x1p-10), float16(1 + 0x1p-10)}))));
  Array<std::int8_t, 1> i = there(Array<std::int8_t, 1>(Dim{2}));
  i = cast<std::int8_t>(there(make_array<std::int32_t>({300, -129})));  // integers do not narrow by themselves
  CHECK(array_equal(i, there(make_array<std::int8_t>({44, 127}))));
  Array<c64, 1> c = there(Array<c64, 1>(Dim{2}));
  c = there(make_array<double>({0.5, -2})) * 1;
  CHECK(array_equal(c, there(make_array<c64>({c64(0.5f), c64(-2)}))));
}

TEST_CASE("16-bit arithmetic inside one expression is in float; only the result is rounded" *
          doctest::test_suite("any place")) {
  const Array<float16, 1> a = there(full(Dim{1}, float16(60000.0f)));
  const Array<float16, 1> mean = (a + a) / 2;  // the sum is above the largest float16
  CHECK(float(mean[{0}]) == 60000.0f);
  const Array<float16, 1> rounded = cast<float16>(a + a) / 2;
  CHECK(std::isinf(float(rounded[{0}])));
}

TEST_CASE("a scalar assigned to an array fills it" * doctest::test_suite("any place")) {
  Array<float, 2> a = there(Array<float, 2>(Dim{2, 2}));
  a = 3;
  CHECK(array_equal(a, there(full(Dim{2, 2}, 3.0f))));
  Array<bool, 1> b = there(Array<bool, 1>(Dim{2}));
  b = true;
  CHECK(array_equal(b, there(make_array<bool>({true, true}))));
}
