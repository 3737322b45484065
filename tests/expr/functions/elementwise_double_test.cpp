// Differential tests of every elementwise function of double elements.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on double agrees with long double in every layout" * doctest::test_suite("any place")) {
  check(arithmetic<double>());
}
TEST_CASE("exponentials of double agree with long double in every layout" * doctest::test_suite("any place")) {
  check(exponentials<double>());
}
TEST_CASE("trigonometric functions of double agree with long double in every layout" *
          doctest::test_suite("any place")) {
  check(trigonometric<double>());
}
TEST_CASE("activations of double agree with long double in every layout" * doctest::test_suite("any place")) {
  check(activations<double>());
}
TEST_CASE("questions about double elements are answered in every layout" * doctest::test_suite("any place")) {
  check(questions<double>());
}
