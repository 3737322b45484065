// Quotients by a reciprocal are those of division for every extent and number, at the edges of what they are said to serve.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

import tessera;

using namespace tessera;
using device::launching::Divisor;
using device::launching::divisor_of;
using device::launching::quotient;

namespace {

/// Numbers around multiples of an extent and at the limit.
std::vector<std::uint64_t> numbers_around(std::uint64_t extent, std::uint64_t limit, std::mt19937_64& random) {
  std::vector<std::uint64_t> numbers = {0, 1, extent - 1, extent, limit - 1, limit};
  if (extent < limit) numbers.push_back(extent + 1);
  for (int k = 0; k < 20; ++k) {
    const std::uint64_t multiple = random() % (limit / extent + 1) * extent;
    numbers.push_back(multiple);
    if (multiple > 0) numbers.push_back(multiple - 1);
  }
  return numbers;
}

void check_quotients(std::uint64_t extent, bool wide, std::mt19937_64& random) {
  const auto limit = wide ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                          : static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  const Divisor divisor = divisor_of(static_cast<std::ptrdiff_t>(extent), wide);
  if (!wide) REQUIRE(divisor.factor <= std::numeric_limits<std::uint32_t>::max());
  for (const std::uint64_t number : numbers_around(extent, limit, random)) {
    if (number > limit) continue;
    if (quotient(number, divisor, wide) != number / extent) {
      CAPTURE(extent);
      CAPTURE(number);
      FAIL("the quotient is " << quotient(number, divisor, wide));
    }
  }
}

}  // namespace

TEST_CASE("quotients of 31 bits by every small extent, powers of two and random ones") {
  std::mt19937_64 random(7);
  for (std::uint64_t extent = 1; extent < 5000; ++extent) check_quotients(extent, false, random);
  for (int bit = 1; bit < 31; ++bit) {
    for (const std::int64_t off : {-1, 0, 1})
      check_quotients(static_cast<std::uint64_t>((std::int64_t{1} << bit) + off), false, random);
  }
  for (int k = 0; k < 20000; ++k) check_quotients(random() % 0x7fffffff + 1, false, random);
  check_quotients(0x7fffffff, false, random);
}

TEST_CASE("quotients of 63 bits by every small extent, powers of two and random ones") {
  std::mt19937_64 random(8);
  for (std::uint64_t extent = 1; extent < 5000; ++extent) check_quotients(extent, true, random);
  for (int bit = 1; bit < 63; ++bit) {
    for (const std::int64_t off : {-1, 0, 1})
      check_quotients(static_cast<std::uint64_t>((std::int64_t{1} << bit) + off), true, random);
  }
  for (int k = 0; k < 20000; ++k) check_quotients((random() >> (random() % 63 + 1)) + 1, true, random);
  check_quotients(0x7fffffffffffffff, true, random);
}
