// Every elementwise function and operator with arrays without storage: of rank 0 they say what is missing, others have no elements.
#include "without_elements.hpp"

using namespace tessera;
using namespace support;

// A function that does not take such an array is not there for `requires` either.
#define CALL(...) [](auto& x) -> decltype(__VA_ARGS__) { return __VA_ARGS__; }
#define CHECK_FLOAT(name) check<float>(#name, elementwise, CALL(tessera::name(x)));
#define CHECK_TWO_FLOATS(name) check<float>(#name, elementwise, CALL(tessera::name(x, x)));
#define CHECK_TWO_INTS(name) check<int>(#name, elementwise, CALL(tessera::name(x, x)));
#define CHECK_TWO_BOOLS(name) check<bool>(#name, elementwise, CALL(tessera::name(x, x)));
#define CHECK_OPERATOR(sign) check<int>("operator" #sign, elementwise, CALL(x sign x));
#define CHECK_SCALAR(sign) check<int>("operator" #sign, elementwise, CALL(x sign 1));
#define CHECK_COMPOUND(sign) \
  check<int>("operator" #sign, {"no storage", "no storage", "no storage"}, CALL((x sign 1, "done")));

// clang-format off
TEST_CASE("elementwise functions of arrays without storage") {
#define FUNCTIONS(X) \
  X(abs) X(acos) X(acosh) X(angle) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(conj) X(cos) X(cosh) \
  X(degrees) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(floor) X(gelu) X(imag) X(isfinite) X(isinf) X(isnan) \
  X(leaky_relu) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(negative) X(positive) X(radians) X(real) \
  X(reciprocal) X(relu) X(round) X(rsqrt) X(sigmoid) X(sign) X(signbit) X(silu) X(sin) X(sinh) X(softplus) \
  X(sqrt) X(square) X(tan) X(tanh) X(trunc)
  FUNCTIONS(CHECK_FLOAT)
#undef FUNCTIONS
}

TEST_CASE("elementwise functions of two arrays without storage") {
#define FUNCTIONS(X) \
  X(add) X(subtract) X(multiply) X(divide) X(floor_divide) X(remainder) X(pow) X(maximum) X(minimum) X(copysign) \
  X(nextafter) X(atan2) X(hypot) X(logaddexp) X(equal) X(not_equal) X(less) X(less_equal) X(greater) X(greater_equal)
  FUNCTIONS(CHECK_TWO_FLOATS)
#undef FUNCTIONS
#define FUNCTIONS(X) X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(bitwise_left_shift) X(bitwise_right_shift)
  FUNCTIONS(CHECK_TWO_INTS)
#undef FUNCTIONS
#define FUNCTIONS(X) X(logical_and) X(logical_or) X(logical_xor)
  FUNCTIONS(CHECK_TWO_BOOLS)
#undef FUNCTIONS
  // clang-format on
  check<int>("bitwise_invert", elementwise, CALL(bitwise_invert(x)));
  check<bool>("logical_not", elementwise, CALL(logical_not(x)));
}

TEST_CASE("operators on arrays without storage") {
#define OPERATORS(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^) X(<<) X(>>) X(==) X(!=) X(<) X(<=) X(>) X(>=)
  OPERATORS(CHECK_OPERATOR)
  OPERATORS(CHECK_SCALAR)
#undef OPERATORS
#define OPERATORS(X) X(+=) X(-=) X(*=) X(/=) X(%=) X(&=) X(|=) X(^=) X(<<=) X(>>=)
  OPERATORS(CHECK_COMPOUND)
#undef OPERATORS
  check<int>("operator+", elementwise, CALL(+x));
  check<int>("operator-", elementwise, CALL(-x));
  check<int>("operator~", elementwise, CALL(~x));
  check<bool>("operator!", elementwise, CALL(!x));
}

namespace {
struct Half {
  static float map(float a) { return a / 2; }
};
}  // namespace

TEST_CASE("choices, bounds, types and own operations of arrays without storage") {
  check<bool>("where", elementwise, CALL(where(x, 1, 2)));
  check<float>("where of three", elementwise, CALL(where(x > 0, x, x)));
  check<float>("clip", elementwise, CALL(clip(x, 0, 1)));
  check<float>("clip by arrays", elementwise, CALL(clip(x, x, x)));
  check<float>("cast", elementwise, CALL(cast<int>(x)));
  check<float>("F", elementwise, CALL(F<Half>(x)));
  check<float>("leaky_relu", elementwise, CALL(leaky_relu(x, x)));
}
