module;
#include <array>
#include <cstddef>
#include <span>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of comparisons, operations on bits, classification and choice.
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

namespace {

/// where(): its first argument is a mask.
Function choosing_function() {
  Function made{
      .name = "where", .arguments = 3, .scalars = ScalarRule::fits, .takes = "elements of any type", .has_mask = true};
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    const auto choose = [](const auto& mask, const auto& a, const auto& b) { return where(mask, a, b); };
    ((made.variants[D] = variant_of<decltype(choose), Values<bool>, Values<element_t<static_cast<DType>(D)>>,
                                    Values<element_t<static_cast<DType>(D)>>>()),
     ...);
  }(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
  return made;
}

}  // namespace

std::span<const Function> comparing_functions() {
  static const std::array functions{
      TESSERA_OPERATOR(==, compares, "elements of any type"),
      TESSERA_OPERATOR(!=, compares, "elements of any type"),
      TESSERA_OPERATOR(<, compares, "elements with an order"),
      TESSERA_OPERATOR(<=, compares, "elements with an order"),
      TESSERA_OPERATOR(>, compares, "elements with an order"),
      TESSERA_OPERATOR(>=, compares, "elements with an order"),
      TESSERA_OPERATOR(&, wraps, "integers or bool"),
      TESSERA_OPERATOR(|, wraps, "integers or bool"),
      TESSERA_OPERATOR(^, wraps, "integers or bool"),
      TESSERA_UNARY(bitwise_invert, "integers or bool"),
      TESSERA_OPERATOR(<<, shifts, "integers"),
      TESSERA_OPERATOR(>>, shifts, "integers"),
      TESSERA_BINARY(logical_and, wraps, "bool"),
      TESSERA_BINARY(logical_or, wraps, "bool"),
      TESSERA_BINARY(logical_xor, wraps, "bool"),
      TESSERA_UNARY(logical_not, "bool"),
      TESSERA_UNARY(isnan, "numbers"),
      TESSERA_UNARY(isinf, "numbers"),
      TESSERA_UNARY(isfinite, "numbers"),
      TESSERA_UNARY(signbit, "ordered numbers"),
      choosing_function(),
  };
  return functions;
}

}  // namespace tessera::dynamic
