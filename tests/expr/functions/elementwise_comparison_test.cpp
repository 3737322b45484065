// Differential tests of the comparisons of every element type.
#include "elementwise_cases.hpp"

using namespace elementwise;

namespace {

template <class T>
std::vector<Function<T, bool>> equality() {
  using E = exact_t<T>;
  return {
      binary<T, bool>(
          "equal", [](const auto& a, const auto& b) { return equal(a, b); }, [](E a, E b) { return a == b; }),
      binary<T, bool>(
          "not_equal", [](const auto& a, const auto& b) { return not_equal(a, b); }, [](E a, E b) { return a != b; }),
      unary<T, bool>(
          "equal to itself", [](const auto& x) { return equal(x, x); }, [](E x) { return x == x; }),
  };
}

template <class T>
std::vector<Function<T, bool>> order() {
  using E = exact_t<T>;
  return {
      binary<T, bool>(
          "less", [](const auto& a, const auto& b) { return less(a, b); }, [](E a, E b) { return a < b; }),
      binary<T, bool>(
          "less_equal", [](const auto& a, const auto& b) { return less_equal(a, b); }, [](E a, E b) { return a <= b; }),
      binary<T, bool>(
          "greater", [](const auto& a, const auto& b) { return greater(a, b); }, [](E a, E b) { return a > b; }),
      binary<T, bool>(
          "greater_equal", [](const auto& a, const auto& b) { return greater_equal(a, b); },
          [](E a, E b) { return a >= b; }),
  };
}

template <class... T>
void check_comparisons() {
  (check(equality<T>()), ...);
  (check(order<T>()), ...);
}

}  // namespace

TEST_CASE("comparisons of signed integers in every layout" * doctest::test_suite("any place")) {
  check_comparisons<std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
}
TEST_CASE("comparisons of unsigned integers and bool in every layout" * doctest::test_suite("any place")) {
  check_comparisons<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool>();
}
TEST_CASE("comparisons of floating elements in every layout; NaN differs from everything" *
          doctest::test_suite("any place")) {
  check_comparisons<float16, bfloat16, float, double>();
}
TEST_CASE("equality of complex numbers in every layout" * doctest::test_suite("any place")) {
  check(equality<std::complex<float>>());
  check(equality<std::complex<double>>());
}
