module;
#include <algorithm>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What counting says to sizes that it does not take.
namespace tessera {

void require_weights(std::span<const std::ptrdiff_t> weights, std::span<const std::ptrdiff_t> shape,
                     const rows::Argument& argument) {
  if (std::ranges::equal(weights, shape)) return;
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = "the weights have the shape " + rows::text_of(weights) +
                                                " and the elements have " + rows::text_of(shape),
                                     .advice = "an element has one weight",
                                     .where = argument.where}));
}

std::ptrdiff_t length_at_least(std::ptrdiff_t least, std::ptrdiff_t length, const rows::Argument& argument) {
  if (least >= 0) return std::max(least, length);
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = "the least number of counts is " + std::to_string(least),
                                     .advice = "it is 0 or more",
                                     .where = argument.where}));
}

}  // namespace tessera
