module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// The parts of layout arithmetic that need no template.
namespace tessera {

int checked_axis(std::ptrdiff_t axis, int rank, const char* operation) {
  const std::ptrdiff_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank) {
    throw IndexError(to_string(
        Failure{.operation = operation,
                .problem = "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank)}));
  }
  return static_cast<int>(counted);
}

bool has_distinct_elements(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
  struct Axis {
    std::ptrdiff_t step, extent;
  };
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return true;
    if (shape[axis] > 1) axes.push_back({std::abs(strides[axis]), shape[axis]});
  }
  std::ranges::sort(axes, {}, &Axis::step);
  std::ptrdiff_t reach = 0;  // of all steps along the axes so far
  for (const Axis& axis : axes) {
    if (axis.step <= reach) return false;
    reach += axis.step * (axis.extent - 1);
  }
  return true;
}

std::optional<std::array<std::ptrdiff_t, 64>> reshaped_strides(std::span<const std::ptrdiff_t> from_shape,
                                                               std::span<const std::ptrdiff_t> from_strides,
                                                               std::span<const std::ptrdiff_t> to_shape) {
  std::array<std::ptrdiff_t, 64> strides{};
  if (to_shape.size() > strides.size()) return std::nullopt;
  // Axes of extent 1 say nothing about where elements lie. Walk both shapes from the fastest axis; runs of axes with
  // equal products must be laid out as one axis.
  struct Axis {
    std::ptrdiff_t extent, stride;
  };
  std::vector<Axis> from;
  for (std::size_t axis = 0; axis < from_shape.size(); ++axis) {
    if (from_shape[axis] != 1) from.push_back({from_shape[axis], from_strides[axis]});
  }
  std::size_t next = from.size();
  std::ptrdiff_t left = 1;  // elements of the current run that `to` has not used yet
  std::ptrdiff_t step = 1;
  for (std::size_t axis = to_shape.size(); axis-- > 0;) {
    std::ptrdiff_t wanted = to_shape[axis];
    if (wanted == 1) {
      strides[axis] = step;
      continue;
    }
    if (left == 1) {
      if (next == 0) return std::nullopt;
      --next;
      left = from[next].extent;
      step = from[next].stride;
    }
    strides[axis] = step;
    while (wanted > left ||
           left % wanted != 0) {  // the new axis reaches into slower old axes: they must continue this one
      if (next == 0 || from[next - 1].stride != from[next].stride * from[next].extent) return std::nullopt;
      --next;
      left *= from[next].extent;
    }
    left /= wanted;
    step *= wanted;
  }
  return strides;
}

void check_broadcast(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> to, const char* operation) {
  const std::size_t lead = to.size() - std::min(from.size(), to.size());
  if (from.size() > to.size()) {
    throw ShapeError(to_string(Failure{
        .operation = operation, .problem = "the shape " + shape_text(from) + " has more axes than " + shape_text(to)}));
  }
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == to[lead + axis] || from[axis] == 1) continue;
    throw ShapeError(
        to_string(Failure{.operation = operation,
                          .problem = "the shape " + shape_text(from) + " does not broadcast to " + shape_text(to) +
                                     ": axis " + std::to_string(lead + axis) + " has extents " +
                                     std::to_string(from[axis]) + " and " + std::to_string(to[lead + axis]),
                          .advice = "extents must be equal, or 1 in the operand"}));
  }
}

}  // namespace tessera
