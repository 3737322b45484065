module;
#include <array>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of trigonometric and hyperbolic functions.
namespace tessera::dynamic {

#define TESSERA_UNARY(name, takes)                \
  function_of<1>(#name, ScalarRule::wraps, takes, \
                 [](const auto& x) -> decltype(tessera::name(x)) { return tessera::name(x); })
#define TESSERA_BINARY(name, rule, takes)        \
  function_of<2>(#name, ScalarRule::rule, takes, \
                 [](const auto& a, const auto& b) -> decltype(tessera::name(a, b)) { return tessera::name(a, b); })

std::span<const Function> angle_functions() {
  static const std::array functions{
      TESSERA_UNARY(sin, "floating or complex elements"),   TESSERA_UNARY(cos, "floating or complex elements"),
      TESSERA_UNARY(tan, "floating or complex elements"),   TESSERA_UNARY(asin, "floating or complex elements"),
      TESSERA_UNARY(acos, "floating or complex elements"),  TESSERA_UNARY(atan, "floating or complex elements"),
      TESSERA_BINARY(atan2, wraps, "floating elements"),    TESSERA_UNARY(sinh, "floating or complex elements"),
      TESSERA_UNARY(cosh, "floating or complex elements"),  TESSERA_UNARY(tanh, "floating or complex elements"),
      TESSERA_UNARY(asinh, "floating or complex elements"), TESSERA_UNARY(acosh, "floating or complex elements"),
      TESSERA_UNARY(atanh, "floating or complex elements"), TESSERA_UNARY(degrees, "floating elements"),
      TESSERA_UNARY(radians, "floating elements"),
  };
  return functions;
}

}  // namespace tessera::dynamic
