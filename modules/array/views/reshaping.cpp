module;
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// Computing the extent that a reshape leaves open.
namespace tessera {

std::ptrdiff_t inferred_extent(std::initializer_list<std::ptrdiff_t> extents, std::ptrdiff_t count) {
  const std::string text = core::shape_text(std::span(extents.begin(), extents.size()));
  const auto open = std::ranges::count(extents, -1);
  if (open == 0) return 0;
  if (open > 1) {
    throw ShapeError(to_string(Failure{.operation = "reshape",
                                       .problem = text + " leaves " + std::to_string(open) + " extents open",
                                       .advice = "use -1 once"}));
  }
  std::ptrdiff_t known = std::ranges::find(extents, 0) != extents.end() ? 0 : 1;
  for (const std::ptrdiff_t extent : extents) {
    if (extent != -1) known = core::checked_multiply(known, core::checked_extent(extent));
  }
  if (known == 0 || count % known != 0) {
    throw ShapeError(to_string(Failure{
        .operation = "reshape",
        .problem = "no extent in the place of -1 makes " + text + " hold " + std::to_string(count) + " elements"}));
  }
  return count / known;
}

}  // namespace tessera
