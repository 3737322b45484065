module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Positions, diagonals, triangles.
namespace tessera::dynamic {

namespace {

void require_matrices(const DArray& x, const char* operation) {
  if (x.rank() >= 2) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "the array has the shape " + to_string(x.shape()),
                                     .advice = "a matrix has at least two axes"}));
}

/// Index arrays of all axes, of which that of `axis` is given and the others are all positions.
std::vector<DIndexOrArray> along(const DArray& x, const DArray& indices, int axis, const char* operation) {
  const int at = storage::checked_axis(axis, x.rank(), operation);
  if (indices.rank() != x.rank()) {
    throw ShapeError(to_string(Failure{
        .operation = operation,
        .problem = "indices of shape " + to_string(indices.shape()) + " for elements of shape " + to_string(x.shape()),
        .advice = "both have as many axes"}));
  }
  if (!core::is_integer(indices.dtype())) throw_dtype(operation, indices.dtype(), "indices that are integers");
  std::vector<DIndexOrArray> all_axes;
  for (int k = 0; k < x.rank(); ++k) {
    if (k == at) {
      all_axes.emplace_back(indices);
      continue;
    }
    std::vector<std::ptrdiff_t> shape(static_cast<std::size_t>(x.rank()), 1);
    shape[static_cast<std::size_t>(k)] = x.shape()[k];
    all_axes.emplace_back(DArray(arange<std::int64_t>(x.shape()[k])).reshape(DDim(shape)));
  }
  return all_axes;
}

}  // namespace

DArray flat_positions(const DArray& x) {
  if (x.rank() == 0) {
    throw ShapeError(to_string(Failure{.operation = "nonzero",
                                       .problem = "a scalar has no positions",
                                       .advice = "give an array with at least one axis"}));
  }
  const DArray mask = x.dtype() == DType::boolean ? x.clone() : DArray(x != 0);
  return flatnonzero(get<Array<bool, 1>>(mask.flatten()));
}

std::vector<DArray> positions(const DArray& x) { return unravelled(flat_positions(x), x.shape()); }

std::vector<DArray> unravelled(const DArray& positions, const DDim& shape) {
  if (!core::is_integer(positions.dtype()))
    throw_dtype("unravel_index", positions.dtype(), "positions that are integers");
  DArray rest = positions.cast(DType::int64);
  if (rest.size() > 0) {
    const std::int64_t lowest = DArray(min(rest)).item().as<std::int64_t>(),
                       highest = DArray(max(rest)).item().as<std::int64_t>();
    const std::ptrdiff_t elements = product(shape);
    if (lowest < 0 || highest >= elements) {
      throw IndexError(to_string(Failure{.operation = "unravel_index",
                                         .problem = "position " + std::to_string(lowest < 0 ? lowest : highest) +
                                                    " is outside shape " + to_string(shape) + " of " +
                                                    std::to_string(elements) + " elements"}));
    }
  }
  std::vector<DArray> found(static_cast<std::size_t>(shape.rank()));
  for (int axis = shape.rank(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::ptrdiff_t>(shape[axis], 1);
    found[static_cast<std::size_t>(axis)] = axis == 0 ? rest : DArray(rest % extent);
    if (axis > 0) rest = DArray(rest / extent);
  }
  return found;
}

DArray diagonal(const DArray& x, std::ptrdiff_t offset) {
  require_matrices(x, "diagonal");
  const DLayout from = x.layout();
  const auto row = static_cast<std::size_t>(x.rank() - 2), column = row + 1;
  const std::ptrdiff_t rows = from.extents[row], columns = from.extents[column];
  const std::ptrdiff_t down = offset < 0 ? std::min(rows, -std::max(offset, -rows)) : 0;
  const std::ptrdiff_t right = offset > 0 ? std::min(columns, offset) : 0;
  DLayout layout = from;
  layout.rank = x.rank() - 1;
  layout.extents[row] = std::min(rows - down, columns - right);
  layout.strides[row] = from.strides[row] + from.strides[column];
  if (layout.extents[row] > 0) layout.offset += down * from.strides[row] + right * from.strides[column];
  return x.with_layout(layout);
}

DArray triangle(const DArray& x, std::ptrdiff_t offset, bool is_lower) {
  require_matrices(x, is_lower ? "tril" : "triu");
  const DDim shape = x.shape();
  const std::ptrdiff_t rows = shape[x.rank() - 2], columns = shape[x.rank() - 1];
  const std::ptrdiff_t last = is_lower ? offset : std::max<std::ptrdiff_t>(offset, PTRDIFF_MIN + 1) - 1;
  // Bounded, so that no sum overflows.
  const std::int64_t bounded = std::max(std::min(last, columns + 1), -rows - 1);
  const DArray row = DArray(arange<std::int64_t>(rows)).to(x.place()).reshape({rows, 1});
  const DArray column = DArray(arange<std::int64_t>(columns)).to(x.place());
  const DArray is_below = row + bounded >= column;
  const DArray zero = zeros(x.dtype(), DDim(), x.place());
  return is_lower ? DArray(where(is_below, x, zero)) : DArray(where(is_below, zero, x));
}

DArray taken_along(const DArray& x, const DArray& indices, int axis) {
  return DPicked(x, along(x, indices, axis, "take_along_axis")).get();
}

void put_along(const DArray& x, const DArray& indices, const DArray& values, int axis) {
  DPicked(x, along(x, indices, axis, "put_along_axis")) = values;
}

}  // namespace tessera::dynamic
