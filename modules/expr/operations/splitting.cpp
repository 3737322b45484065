module;
#include <cstddef>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;

// What splitting says to parts that do not fit.
namespace tessera::storage {

std::ptrdiff_t equal_part(std::ptrdiff_t extent, std::ptrdiff_t parts, int axis) {
  if (parts > 0 && extent % parts == 0) return extent / parts;
  throw ShapeError(
      to_string(Failure{.operation = "split",
                        .problem = "axis " + std::to_string(axis) + " of extent " + std::to_string(extent) +
                                   " has no " + std::to_string(parts) + " equal parts",
                        .advice = "name the positions between parts: split(x, {3, 5})"}));
}

void require_cuts(std::span<const std::ptrdiff_t> cuts, std::ptrdiff_t extent, int axis) {
  std::ptrdiff_t least = 0;
  for (const std::ptrdiff_t cut : cuts) {
    if (cut < least || cut > extent) {
      throw IndexError(
          to_string(Failure{.operation = "split",
                            .problem = "position " + std::to_string(cut) + " is not between " + std::to_string(least) +
                                       " and the extent " + std::to_string(extent) + " of axis " + std::to_string(axis),
                            .advice = "positions ascend from 0 to the extent"}));
    }
    least = cut;
  }
}

}  // namespace tessera::storage
