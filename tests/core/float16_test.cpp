// Tests of float16: every pattern, every rounding decision, and its use in constant expressions.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "conversions.hpp"
import tessera;

using namespace tessera;

static_assert(sizeof(float16) == 2 && std::is_trivially_copyable_v<float16> &&
              std::is_trivially_default_constructible_v<float16>);
static_assert(float16(1.0f).bits() == 0x3c00 && float16(-2).bits() == 0xc000 && float16(0.1).bits() == 0x2e66);
static_assert(static_cast<float>(float16::from_bits(0x3555)) == 0.333251953125f);
static_assert(float16(true).bits() == 0x3c00 && float16(std::uint64_t{1} << 63).bits() == 0x7c00);

TEST_CASE("every pattern of float16 has the value that IEEE 754 gives it, and comes back from it") {
  check_every_pattern<float16>(binary16);
}

TEST_CASE("a number halfway between two float16 values goes to the even one, its neighbours to the nearer one") {
  check_every_halfway_point<float16>(binary16);
}

TEST_CASE("floats and doubles of every size become the nearest float16") { check_many_numbers<float16>(binary16); }

TEST_CASE("integers become the nearest float16") { check_integers<float16>(binary16); }

TEST_CASE("float16 overflows to infinity halfway beyond its largest value") {
  CHECK(float(float16(65504.0f)) == 65504.0f);
  CHECK(float(float16(65519.996f)) == 65504.0f);
  CHECK(float(float16(65520.0f)) == INFINITY);
  CHECK(float(float16(-1e300)) == -INFINITY);
  CHECK(float(float16(INFINITY)) == INFINITY);
}

TEST_CASE("float16 underflows gradually, and to a zero that keeps its sign") {
  CHECK(float16(0x1p-14).bits() == 0x0400);  // the smallest normal number
  CHECK(float16(0x1p-24).bits() == 0x0001);  // the smallest subnormal number
  CHECK(float16(0x1p-25).bits() == 0x0000);  // halfway to zero, and zero is even
  CHECK(float16(0x1.000002p-25).bits() == 0x0001);
  CHECK(float16(-0x1p-26).bits() == 0x8000);
  CHECK(float16(-std::numeric_limits<double>::denorm_min()).bits() == 0x8000);
}

TEST_CASE("a double is rounded to float16 once, not by way of float") {
  const double above_halfway = 1.0 + 0x1p-11 + 0x1p-40;  // as a float it would be exactly halfway, and go down to 1
  REQUIRE(static_cast<float>(above_halfway) == 1.0f + 0x1p-11f);
  CHECK(float(float16(above_halfway)) == 1.0f + 0x1p-10f);
  CHECK(float(float16(static_cast<float>(above_halfway))) == 1.0f);
}

TEST_CASE("a long double is rounded to float16 once, not by way of double") {
  const long double halfway = 1 + std::ldexp(1.0L, -11), little = std::ldexp(1.0L, -60);
  CHECK(static_cast<float>(float16(halfway)) == 1.0f);  // to even
  CHECK(static_cast<float>(float16(halfway + little)) == 1 + std::ldexp(1.0f, -10));
  CHECK(static_cast<float>(float16(-halfway - little)) == -1 - std::ldexp(1.0f, -10));
  CHECK(static_cast<float>(float16(std::numeric_limits<long double>::max())) == INFINITY);
  CHECK(std::signbit(static_cast<float>(float16(-std::numeric_limits<long double>::min()))));
}

TEST_CASE("NaN becomes a quiet float16 NaN with its sign") {
  CHECK(float16(std::numeric_limits<float>::quiet_NaN()).bits() == 0x7e00);
  CHECK(float16(-std::numeric_limits<double>::quiet_NaN()).bits() == 0xfe00);
  CHECK((float16(std::numeric_limits<float>::signaling_NaN()).bits() & 0x7e00) == 0x7e00);
  CHECK(std::isnan(float(float16(std::bit_cast<float>(0x7f800001u)))));  // its payload is below the bits that are kept
}

// --8<-- [start:arithmetic]
TEST_CASE("arithmetic on float16 happens in float") {
  const float16 a = 0.1f;
  const float16 b = 3;
  static_assert(std::is_same_v<decltype(a * b), float>);
  const float16 product = a * b;  // rounded once, on the way back
  CHECK(float(a) == 0.0999755859375f);
  CHECK(float(product) == 0.2998046875f);
  CHECK(a < b);
}
// --8<-- [end:arithmetic]
