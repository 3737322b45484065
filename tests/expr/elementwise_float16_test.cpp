// Differential tests of every elementwise function of float16 elements: computed in float, rounded once.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on float16 agrees with long double in every layout") { check(arithmetic<float16>()); }
TEST_CASE("exponentials of float16 agree with long double in every layout") { check(exponentials<float16>()); }
TEST_CASE("trigonometric functions of float16 agree with long double in every layout") {
  check(trigonometric<float16>());
}
TEST_CASE("activations of float16 agree with long double in every layout") { check(activations<float16>()); }
TEST_CASE("questions about float16 elements are answered in every layout") { check(questions<float16>()); }
