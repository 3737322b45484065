module;
#include <array>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of exponentials, logarithms, powers and roots.
namespace tessera::dynamic {

#define TESSERA_UNARY(name, takes)                \
  function_of<1>(#name, ScalarRule::wraps, takes, \
                 [](const auto& x) -> decltype(tessera::name(x)) { return tessera::name(x); })
#define TESSERA_BINARY(name, rule, takes)        \
  function_of<2>(#name, ScalarRule::rule, takes, \
                 [](const auto& a, const auto& b) -> decltype(tessera::name(a, b)) { return tessera::name(a, b); })

std::span<const Function> exponential_functions() {
  static const std::array functions{
      TESSERA_UNARY(exp, "floating or complex elements"),
      TESSERA_UNARY(exp2, "floating elements"),
      TESSERA_UNARY(expm1, "floating or complex elements"),
      TESSERA_UNARY(log, "floating or complex elements"),
      TESSERA_UNARY(log2, "floating or complex elements"),
      TESSERA_UNARY(log10, "floating or complex elements"),
      TESSERA_UNARY(log1p, "floating or complex elements"),
      TESSERA_BINARY(logaddexp, wraps, "floating elements"),
      TESSERA_UNARY(sqrt, "floating or complex elements"),
      TESSERA_UNARY(rsqrt, "floating elements"),
      TESSERA_UNARY(cbrt, "floating elements"),
      TESSERA_BINARY(pow, fits, "numbers"),
      TESSERA_BINARY(hypot, wraps, "floating elements"),
  };
  return functions;
}

}  // namespace tessera::dynamic
