// Tests of the size arithmetic that throws where it would wrap.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t smallest = std::numeric_limits<std::ptrdiff_t>::min();

}  // namespace

static_assert(core::checked_multiply(largest, 1) == largest && core::checked_multiply(largest, -1) == -largest &&
              core::checked_multiply(largest, 0) == 0);
static_assert(core::checked_add(largest, 0) == largest && core::checked_add(largest, smallest) == -1 &&
              core::checked_add(largest - 1, 1) == largest);
static_assert(core::checked_extent(0u) == 0 && core::checked_extent(std::uint64_t{1} << 62) == std::ptrdiff_t{1} << 62);

TEST_CASE("multiplication works up to the last representable product") {
  const std::ptrdiff_t root = 3037000499;  // the largest integer whose square fits
  CHECK(core::checked_multiply(root, root) == 9223372030926249001);
  CHECK_THROWS_AS(core::checked_multiply(root + 1, root + 1), ShapeError);
  CHECK(core::checked_multiply(std::ptrdiff_t{1} << 31, (std::ptrdiff_t{1} << 32) - 1) == 9223372034707292160);
  CHECK_THROWS_AS(core::checked_multiply(std::ptrdiff_t{1} << 31, std::ptrdiff_t{1} << 32), ShapeError);
  CHECK(core::checked_multiply(smallest, 1) == smallest);
  CHECK_THROWS_AS(core::checked_multiply(smallest, -1), ShapeError);
}

TEST_CASE("an overflow says which numbers do not fit") {
  CHECK_THROWS_WITH_AS(
      core::checked_multiply(largest, 2),
      "size arithmetic: 9223372036854775807 x 2 does not fit in 64 bits; the array would be larger than any memory",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      core::checked_add(largest, 63),
      "size arithmetic: 9223372036854775807 + 63 does not fit in 64 bits; the array would be larger than any memory",
      ShapeError);
  CHECK_THROWS_AS(core::checked_add(smallest, -1), ShapeError);
}

TEST_CASE("an extent is neither negative nor beyond the largest index") {
  CHECK(core::checked_extent(largest) == largest);
  CHECK(core::checked_extent(std::uint8_t{255}) == 255);
  CHECK_THROWS_WITH_AS(core::checked_extent(-1),
                       "shape: extent -1 is not in 0 .. 2^63 - 1; extents count elements and are never negative",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      core::checked_extent(std::uint64_t{1} << 63),
      "shape: extent 9223372036854775808 is not in 0 .. 2^63 - 1; extents count elements and are never negative",
      ShapeError);
  CHECK_THROWS_AS(core::checked_extent(smallest), ShapeError);
  CHECK_THROWS_AS(core::checked_extent(std::int8_t{-128}), ShapeError);
}
