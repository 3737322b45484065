// Differential tests of every elementwise function of bfloat16 elements: computed in float, rounded once.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on bfloat16 agrees with long double in every layout" * doctest::test_suite("any place")) {
  check(arithmetic<bfloat16>());
}
TEST_CASE("exponentials of bfloat16 agree with long double in every layout" * doctest::test_suite("any place")) {
  check(exponentials<bfloat16>());
}
TEST_CASE("trigonometric functions of bfloat16 agree with long double in every layout" *
          doctest::test_suite("any place")) {
  check(trigonometric<bfloat16>());
}
TEST_CASE("activations of bfloat16 agree with long double in every layout" * doctest::test_suite("any place")) {
  check(activations<bfloat16>());
}
TEST_CASE("questions about bfloat16 elements are answered in every layout" * doctest::test_suite("any place")) {
  check(questions<bfloat16>());
}
