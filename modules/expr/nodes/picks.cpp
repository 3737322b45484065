module;
#include <cstddef>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// What is said of a mask that does not fit.
namespace tessera {

void throw_wrong_mask(std::span<const std::ptrdiff_t> mask, std::span<const std::ptrdiff_t> extents, int axis) {
  const auto last = axis + static_cast<int>(extents.size()) - 1;
  const std::string axes = extents.size() == 1
                               ? "axis " + std::to_string(axis) + " has"
                               : "axes " + std::to_string(axis) + " to " + std::to_string(last) + " have";
  throw ShapeError(to_string(Failure{
      .operation = "indexing",
      .problem = "the mask has the shape " + core::shape_text(mask) + ", but " + axes + " " + core::shape_text(extents),
      .advice = "a mask has the extents of the axes along which it picks"}));
}

}  // namespace tessera
