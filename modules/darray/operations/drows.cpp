module;
#include <cstddef>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;

// From rows of the highest rank back to the axes that they came from.
namespace tessera::dynamic {

DArray as_shaped(const DArray& rows, const DArray& x, int at) {
  std::vector<std::ptrdiff_t> extents;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != at) extents.push_back(x.shape()[axis]);
  }
  extents.push_back(rows.shape()[max_rank - 1]);
  const DArray shaped = rows.reshape(DDim(extents));
  const int last = -1;
  return shaped.with_layout(moved(shaped.layout(), {&last, 1}, {&at, 1}, "moveaxis"));
}

}  // namespace tessera::dynamic
