module;
#include <string>
module tessera.expr;
import tessera.core;
import tessera.array;

// Refusal of what is not one element.
namespace tessera {

void require_one_element(const DDim& shape) {
  if (product(shape) == 1) return;
  throw ShapeError(
      to_string(Failure{.operation = "item",
                        .problem = "shape " + to_string(shape) + " has " + std::to_string(product(shape)) + " elements",
                        .advice = "name one of them: x[{i, j}]"}));
}

}  // namespace tessera
