// Tests of bfloat16: every pattern, every rounding decision, and its use in constant expressions.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "conversions.hpp"
import tessera;

using namespace tessera;

static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16> &&
              std::is_trivially_default_constructible_v<bfloat16>);
static_assert(bfloat16(1.0f).bits() == 0x3f80 && bfloat16(-2).bits() == 0xc000 && bfloat16(0.1).bits() == 0x3dcd);
static_assert(static_cast<float>(bfloat16::from_bits(0x4049)) == 3.140625f);

TEST_CASE("every pattern of bfloat16 is the upper half of a float, and comes back from it") {
  check_every_pattern<bfloat16>(brain16);
}

TEST_CASE("a number halfway between two bfloat16 values goes to the even one, its neighbours to the nearer one") {
  check_every_halfway_point<bfloat16>(brain16);
}

TEST_CASE("floats and doubles of every size become the nearest bfloat16") { check_many_numbers<bfloat16>(brain16); }

TEST_CASE("integers become the nearest bfloat16") { check_integers<bfloat16>(brain16); }

TEST_CASE("a 64-bit integer is rounded to bfloat16 once, not by way of double") {
  const std::int64_t above_halfway = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
  REQUIRE(static_cast<double>(above_halfway) ==
          0x1p62 + 0x1p54);  // as a double it would be exactly halfway, and go down
  CHECK(float(bfloat16(above_halfway)) == 0x1.02p62f);
  CHECK(float(bfloat16(-above_halfway)) == -0x1.02p62f);
}

TEST_CASE("bfloat16 overflows to infinity halfway beyond its largest value") {
  const float largest = 0x1.fep127f;
  CHECK(float(bfloat16(largest)) == largest);
  CHECK(float(bfloat16(0x1.fefffep127f)) == largest);
  CHECK(float(bfloat16(0x1.ffp127f)) == INFINITY);
  CHECK(float(bfloat16(0x1.feffffffffffp127)) == largest);
  CHECK(float(bfloat16(-std::numeric_limits<double>::max())) == -INFINITY);
}

TEST_CASE("a long double is rounded to bfloat16 once, not by way of double") {
  const long double halfway = 1 + std::ldexp(1.0L, -8), little = std::ldexp(1.0L, -60);
  CHECK(static_cast<float>(bfloat16(halfway)) == 1.0f);  // to even
  CHECK(static_cast<float>(bfloat16(halfway + little)) == 1 + std::ldexp(1.0f, -7));
  CHECK(static_cast<float>(bfloat16(-halfway - little)) == -1 - std::ldexp(1.0f, -7));
  CHECK(static_cast<float>(bfloat16(std::numeric_limits<long double>::max())) == INFINITY);
  CHECK(std::signbit(static_cast<float>(bfloat16(-std::numeric_limits<long double>::min()))));
}

TEST_CASE("NaN becomes a quiet bfloat16 NaN with its sign") {
  CHECK(bfloat16(std::numeric_limits<float>::quiet_NaN()).bits() == 0x7fc0);
  CHECK(bfloat16(-std::numeric_limits<double>::quiet_NaN()).bits() == 0xffc0);
  CHECK(std::isnan(float(bfloat16(std::bit_cast<float>(0x7f800001u)))));  // truncated, it would be infinity
}
