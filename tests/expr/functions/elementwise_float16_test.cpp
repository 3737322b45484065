// Differential tests of every elementwise function of float16 elements: computed in float, rounded once.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on float16 agrees with long double in every layout" * doctest::test_suite("any place")) {
  check(arithmetic<float16>());
}
TEST_CASE("exponentials of float16 agree with long double in every layout" * doctest::test_suite("any place")) {
  check(exponentials<float16>());
}
TEST_CASE("trigonometric functions of float16 agree with long double in every layout" *
          doctest::test_suite("any place")) {
  check(trigonometric<float16>());
}
TEST_CASE("activations of float16 agree with long double in every layout" * doctest::test_suite("any place")) {
  check(activations<float16>());
}
TEST_CASE("questions about float16 elements are answered in every layout" * doctest::test_suite("any place")) {
  check(questions<float16>());
}
