module;
#include <array>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of activations, special functions and parts of complex numbers.
namespace tessera::dynamic {

#define TESSERA_UNARY(name, takes)                \
  function_of<1>(#name, ScalarRule::wraps, takes, \
                 [](const auto& x) -> decltype(tessera::name(x)) { return tessera::name(x); })
#define TESSERA_BINARY(name, rule, takes)        \
  function_of<2>(#name, ScalarRule::rule, takes, \
                 [](const auto& a, const auto& b) -> decltype(tessera::name(a, b)) { return tessera::name(a, b); })

std::span<const Function> special_functions() {
  static const std::array functions{
      TESSERA_UNARY(sigmoid, "floating elements"),
      TESSERA_UNARY(relu, "ordered numbers"),
      TESSERA_BINARY(leaky_relu, wraps, "floating elements"),
      TESSERA_UNARY(silu, "floating elements"),
      TESSERA_UNARY(softplus, "floating elements"),
      TESSERA_UNARY(gelu, "floating elements"),
      TESSERA_UNARY(erf, "floating elements"),
      TESSERA_UNARY(erfc, "floating elements"),
      TESSERA_UNARY(lgamma, "floating elements"),
      TESSERA_UNARY(real, "numbers"),
      TESSERA_UNARY(imag, "numbers"),
      TESSERA_UNARY(conj, "numbers"),
      TESSERA_UNARY(angle, "floating or complex elements"),
  };
  return functions;
}

}  // namespace tessera::dynamic
