module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Parts of arrays, and arrays with a common shape.
namespace tessera::dynamic {

namespace {

/// The part along an axis between two positions.
DArray part_between(const DArray& x, int axis, std::ptrdiff_t first, std::ptrdiff_t last) {
  std::vector<DIndexer> indexers(static_cast<std::size_t>(x.rank()), DIndexer(all));
  indexers[static_cast<std::size_t>(axis)] = range(first, last);
  return x(std::span<const DIndexer>(indexers));
}

}  // namespace

std::vector<DArray> split(const DArray& x, std::ptrdiff_t parts, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "split");
  const std::ptrdiff_t each = storage::equal_part(x.shape()[at], parts, at);
  std::vector<DArray> views;
  views.reserve(static_cast<std::size_t>(parts));
  for (std::ptrdiff_t part = 0; part < parts; ++part)
    views.push_back(part_between(x, at, part * each, (part + 1) * each));
  return views;
}

std::vector<DArray> split(const DArray& x, std::span<const std::ptrdiff_t> cuts, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "split");
  const std::ptrdiff_t extent = x.shape()[at];
  storage::require_cuts(cuts, extent, at);
  std::vector<DArray> views;
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t cut : cuts) {
    views.push_back(part_between(x, at, first, cut));
    first = cut;
  }
  views.push_back(part_between(x, at, first, extent));
  return views;
}

std::vector<DArray> unstacked(const DArray& x, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "unstack");
  std::vector<DIndexer> indexers(static_cast<std::size_t>(x.rank()), DIndexer(all));
  std::vector<DArray> views;
  for (std::ptrdiff_t i = 0; i < x.shape()[at]; ++i) {
    indexers[static_cast<std::size_t>(at)] = i;
    views.push_back(x(std::span<const DIndexer>(indexers)));
  }
  return views;
}

std::vector<DArray> broadcast(std::span<const DArray> arrays) {
  int rank = 0;
  for (const DArray& array : arrays) rank = std::max(rank, array.rank());
  std::vector<std::ptrdiff_t> extents(static_cast<std::size_t>(rank), 1);
  for (const DArray& array : arrays) {
    const DDim shape = array.shape();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      std::ptrdiff_t& extent = extents[static_cast<std::size_t>(rank - shape.rank() + axis)];
      if (extent == 1) extent = shape[axis];
      if (shape[axis] == 1 || shape[axis] == extent) continue;
      throw ShapeError(to_string(
          Failure{.operation = "broadcast_arrays",
                  .problem = "shape " + to_string(shape) + " does not broadcast to " + to_string(DDim(extents)),
                  .advice = "extents are equal or 1, from the last axis on"}));
    }
  }
  std::vector<DArray> views;
  for (const DArray& array : arrays) views.push_back(array.broadcast_to(DDim(extents)));
  return views;
}

}  // namespace tessera::dynamic
