module;
#include <cstddef>
#include <source_location>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The check of a product's shapes.
namespace tessera {

void check_inner(const char* operation, std::ptrdiff_t a_inner, std::ptrdiff_t b_inner, const char* axes,
                 const std::string& a, const std::string& b, const std::source_location& where) {
  if (a_inner == b_inner) return;
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = "the inner extents differ: the last axis of a has " + std::to_string(a_inner) +
                                   ", the " + axes + " axis of b has " + std::to_string(b_inner),
                        .operands = {"a is " + a, "b is " + b},
                        .advice = "transpose one of them with T()",
                        .where = where}));
}

}  // namespace tessera
