// Differential tests of every elementwise function of float elements.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on float agrees with long double in every layout" * doctest::test_suite("any place")) {
  check(arithmetic<float>());
}
TEST_CASE("exponentials of float agree with long double in every layout" * doctest::test_suite("any place")) {
  check(exponentials<float>());
}
TEST_CASE("trigonometric functions of float agree with long double in every layout" *
          doctest::test_suite("any place")) {
  check(trigonometric<float>());
}
TEST_CASE("activations of float agree with long double in every layout" * doctest::test_suite("any place")) {
  check(activations<float>());
}
TEST_CASE("questions about float elements are answered in every layout" * doctest::test_suite("any place")) {
  check(questions<float>());
}
