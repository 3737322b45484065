// Differential tests of every elementwise function of float elements.
#include "elementwise_floating.hpp"

using namespace elementwise;

TEST_CASE("arithmetic on float agrees with long double in every layout") { check(arithmetic<float>()); }
TEST_CASE("exponentials of float agree with long double in every layout") { check(exponentials<float>()); }
TEST_CASE("trigonometric functions of float agree with long double in every layout") { check(trigonometric<float>()); }
TEST_CASE("activations of float agree with long double in every layout") { check(activations<float>()); }
TEST_CASE("questions about float elements are answered in every layout") { check(questions<float>()); }
