// Differential tests of every elementwise function of unsigned integers and of bool.
#include "elementwise_integer.hpp"

using namespace elementwise;

namespace {

std::vector<Function<bool, bool>> logic() {
  const auto and_of = [](const auto& a, const auto& b) { return logical_and(a, b); };
  const auto or_of = [](const auto& a, const auto& b) { return logical_or(a, b); };
  const auto xor_of = [](const auto& a, const auto& b) { return logical_xor(a, b); };
  return {
      binary<bool>("logical_and", and_of, [](W a, W b) { return a != 0 && b != 0; }),
      binary<bool>("logical_or", or_of, [](W a, W b) { return a != 0 || b != 0; }),
      binary<bool>("logical_xor", xor_of, [](W a, W b) { return a != b; }),
      unary<bool>(
          "logical_not", [](const auto& x) { return logical_not(x); }, [](W x) { return x == 0; }),
  };
}

}  // namespace

TEST_CASE("functions of uint8 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::uint8_t>();
}
TEST_CASE("functions of uint16 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::uint16_t>();
}
TEST_CASE("functions of uint32 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::uint32_t>();
}
TEST_CASE("functions of uint64 agree with 128-bit arithmetic in every layout" * doctest::test_suite("any place")) {
  check_integers<std::uint64_t>();
}
TEST_CASE("operations on bool are logic in every layout" * doctest::test_suite("any place")) {
  check(bit_operations<bool>());
  check(logic());
}
