// Differential tests of cast from bool and integers to every element type.
#include "elementwise_cast.hpp"

using namespace elementwise;

TEST_CASE("casts from bool and integers to every type" * doctest::test_suite("any place")) {
  check_from_to_all<bool>();
  check_from_to_all<std::int8_t>();
  check_from_to_all<std::int64_t>();
  check_from_to_all<std::uint16_t>();
  check_from_to_all<std::uint32_t>();
  check_from_to_all<std::uint64_t>();
}
