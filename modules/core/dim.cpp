module;
#include <cstddef>
#include <span>
#include <string>
module tessera.core;

// Shapes as text, and what is said of an axis that is not there.
namespace tessera {

std::string core::shape_text(std::span<const std::ptrdiff_t> extents) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(extents[axis]);
  }
  if (extents.size() == 1) text += ',';
  return text + ")";
}

void throw_no_axis(int axis, int rank) {
  throw IndexError(
      to_string(Failure{.operation = "shape",
                        .problem = "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank),
                        .advice = "-1 is the last one"}));
}

}  // namespace tessera
