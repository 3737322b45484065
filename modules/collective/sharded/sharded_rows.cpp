module;
#include <string_view>
module tessera.collective;
import tessera.core;

// What is said of an axis of which each rank has a part.
namespace tessera::collective {

void require_whole_axis(std::string_view operation, const LaidOut& operand, bool is_split) {
  if (!is_split) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "it needs all elements along an axis of which each rank has a part",
                                     .operands = {text_of(operand)},
                                     .advice = "redistribute() the array first"}));
}

}  // namespace tessera::collective
