// Differential tests of every elementwise function of signed integers.
#include "elementwise_integer.hpp"

using namespace elementwise;

TEST_CASE("functions of int8 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::int8_t>();
}
TEST_CASE("functions of int16 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::int16_t>();
}
TEST_CASE("functions of int32 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::int32_t>();
}
TEST_CASE("functions of int64 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::int64_t>();
}
