module;
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Views with other axes.
namespace tessera::dynamic {

DArray all_flipped(const DArray& x) {
  std::array<bool, static_cast<std::size_t>(max_rank)> marks{};
  marks.fill(true);
  return x.with_layout(flipped(x.layout(), marks));
}

DArray flipped(const DArray& x, const DAxes& axes) {
  return x.with_layout(flipped(x.layout(), marked(axes.axes(), x.rank(), "flip")));
}

DArray moved(const DArray& x, const DAxes& source, const DAxes& destination) {
  return x.with_layout(moved(x.layout(), source.axes(), destination.axes()));
}

DArray swapped(const DArray& x, int first, int second) {
  std::array<int, static_cast<std::size_t>(max_rank)> order{};
  for (int axis = 0; axis < x.rank(); ++axis) order[static_cast<std::size_t>(axis)] = axis;
  std::swap(order[static_cast<std::size_t>(storage::checked_axis(first, x.rank(), "swapaxes"))],
            order[static_cast<std::size_t>(storage::checked_axis(second, x.rank(), "swapaxes"))]);
  return x.transpose(std::span(order).first(static_cast<std::size_t>(x.rank())));
}

DArray matrices_transposed(const DArray& x) {
  if (x.rank() >= 2) return swapped(x, -2, -1);
  throw ShapeError(
      to_string(Failure{.operation = "matrix_transpose",
                        .problem = "a matrix has two axes: the operand has the shape " + to_string(x.shape())}));
}

DArray squeezed(const DArray& x) {
  std::vector<int> axes;
  const DLayout layout = x.layout();
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (layout.extents[static_cast<std::size_t>(axis)] == 1) axes.push_back(axis);
  }
  return x.with_layout(squeezed(layout, axes));
}

}  // namespace tessera::dynamic
