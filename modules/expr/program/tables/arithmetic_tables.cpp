module;
#include <array>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of arithmetic and rounding.
namespace tessera::dynamic {

#define TESSERA_UNARY(name, takes)                \
  function_of<1>(#name, ScalarRule::wraps, takes, \
                 [](const auto& x) -> decltype(tessera::name(x)) { return tessera::name(x); })
#define TESSERA_BINARY(name, rule, takes)        \
  function_of<2>(#name, ScalarRule::rule, takes, \
                 [](const auto& a, const auto& b) -> decltype(tessera::name(a, b)) { return tessera::name(a, b); })
#define TESSERA_OPERATOR(sign, rule, takes)                  \
  function_of<2>("operator " #sign, ScalarRule::rule, takes, \
                 [](const auto& a, const auto& b) -> decltype(a sign b) { return a sign b; })

std::span<const Function> arithmetic_functions() {
  static const std::array functions{
      TESSERA_OPERATOR(+, wraps, "numbers"),
      TESSERA_OPERATOR(-, wraps, "numbers"),
      TESSERA_OPERATOR(*, wraps, "numbers"),
      TESSERA_OPERATOR(/, fits, "numbers"),
      TESSERA_OPERATOR(%, fits, "integers"),
      TESSERA_BINARY(floor_divide, fits, "ordered numbers"),
      TESSERA_BINARY(remainder, fits, "ordered numbers"),
      TESSERA_UNARY(negative, "numbers"),
      TESSERA_UNARY(abs, "numbers"),
      TESSERA_UNARY(sign, "numbers"),
      TESSERA_UNARY(square, "numbers"),
      TESSERA_UNARY(reciprocal, "floating or complex elements"),
      TESSERA_BINARY(maximum, fits, "ordered numbers"),
      TESSERA_BINARY(minimum, fits, "ordered numbers"),
      TESSERA_BINARY(copysign, wraps, "floating elements"),
      TESSERA_BINARY(nextafter, wraps, "floating elements"),
      TESSERA_UNARY(floor, "ordered numbers"),
      TESSERA_UNARY(ceil, "ordered numbers"),
      TESSERA_UNARY(trunc, "ordered numbers"),
      TESSERA_UNARY(round, "ordered numbers"),
  };
  return functions;
}

}  // namespace tessera::dynamic
