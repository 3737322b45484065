module;
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
  const std::string text = shape_text(std::span(extents.begin(), extents.size()));
  std::ptrdiff_t known = 1;
  int open = 0;
  for (const std::ptrdiff_t extent : extents) {
    if (extent == -1) {
      ++open;
    } else {
      known = checked_multiply(known, checked_extent(extent));
    }
  }
  if (open == 0) return 0;
  if (open > 1) {
    throw ShapeError(to_string(Failure{.operation = "reshape",
                                       .problem = text + " leaves " + std::to_string(open) + " extents open",
                                       .advice = "use -1 once"}));
  }
  if (known == 0 || count % known != 0) {
    throw ShapeError(to_string(Failure{
        .operation = "reshape",
        .problem = "no extent in the place of -1 makes " + text + " hold " + std::to_string(count) + " elements"}));
  }
  return count / known;
}

}  // namespace tessera
