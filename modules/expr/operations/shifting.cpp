module;
#include <cstddef>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The checks of pad.
namespace tessera::plan {

std::ptrdiff_t padded_extent(std::ptrdiff_t extent, const PadWidth& width, int axis, bool repeats,
                             const std::string& shape) {
  const auto [before, after] = width;
  if (before < 0 || after < 0) {
    throw ShapeError(to_string(Failure{.operation = "pad",
                                       .problem = "axis " + std::to_string(axis) + " of " + shape + " is padded by " +
                                                  std::to_string(before) + " and " + std::to_string(after),
                                       .advice = "widths are at least 0; a slice makes an axis shorter"}));
  }
  if (repeats && extent == 0 && (before > 0 || after > 0)) {
    throw ShapeError(to_string(
        Failure{.operation = "pad",
                .problem = "axis " + std::to_string(axis) + " of " + shape + " has no elements that could be repeated",
                .advice = "pad it with a value"}));
  }
  return core::checked_add(core::checked_add(extent, before), after);
}

}  // namespace tessera::plan
