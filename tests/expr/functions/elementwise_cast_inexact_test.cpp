// Differential tests of cast from floating and complex elements to every element type.
#include "elementwise_cast.hpp"

using namespace elementwise;

TEST_CASE("casts from floating elements to every type are cut to its range" * doctest::test_suite("any place")) {
  check_from_to_all<float16>();
  check_from_to_all<bfloat16>();
  check_from_to_all<float>();
  check_from_to_all<double>();
}
TEST_CASE("casts from complex numbers to every type take the real part" * doctest::test_suite("any place")) {
  check_from_to_all<std::complex<float>>();
  check_from_to_all<std::complex<double>>();
}
