module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// The parts of layout arithmetic that need no template.
namespace tessera {

int storage::checked_axis(std::ptrdiff_t axis, int rank, const char* operation) {
  const std::ptrdiff_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank) {
    throw IndexError(to_string(
        Failure{.operation = operation,
                .problem = "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank)}));
  }
  return static_cast<int>(counted);
}

namespace {

struct SteppedAxis {
  std::ptrdiff_t step, extent;
};

/// Marks the positions of all elements, which lie within `reach` steps, until one is met again.
bool meets_none_twice(std::span<const SteppedAxis> axes, std::ptrdiff_t reach) {
  std::vector<bool> is_met(static_cast<std::size_t>(reach) + 1);
  std::vector<std::ptrdiff_t> index(axes.size());
  for (std::ptrdiff_t position = 0;;) {
    if (is_met[static_cast<std::size_t>(position)]) return false;
    is_met[static_cast<std::size_t>(position)] = true;
    std::size_t axis = 0;
    for (; axis < axes.size(); ++axis) {
      position += axes[axis].step;
      if (++index[axis] < axes[axis].extent) break;
      position -= axes[axis].step * axes[axis].extent;
      index[axis] = 0;
    }
    if (axis == axes.size()) return true;
  }
}

/// Each step leaves what lies within the later ones, as in row-major order.
bool is_nested(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
  std::ptrdiff_t reach = 0;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] <= 1) continue;
    const std::ptrdiff_t step = std::abs(strides[axis]);
    if (step <= reach) return false;
    reach += step * (shape[axis] - 1);
  }
  return true;
}

}  // namespace

bool storage::has_distinct_elements(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
  if (std::ranges::find(shape, 0) != shape.end() || is_nested(shape, strides)) return true;
  constexpr std::size_t few = 16;
  std::array<SteppedAxis, few> first;
  std::vector<SteppedAxis> more(shape.size() > few ? shape.size() : 0);
  std::span<SteppedAxis> axes = more.empty() ? std::span<SteppedAxis>(first) : more;
  std::size_t count = 0;
  std::ptrdiff_t elements = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    elements *= shape[axis];
    if (shape[axis] > 1) axes[count++] = {std::abs(strides[axis]), shape[axis]};
  }
  axes = axes.first(count);
  std::ranges::sort(axes, {}, &SteppedAxis::step);
  std::ptrdiff_t reach = 0;  // of all steps along the axes so far
  bool nested = true;        // each step leaves what lies within the smaller ones
  for (const SteppedAxis& axis : axes) {
    nested = nested && axis.step > reach;
    reach += axis.step * (axis.extent - 1);
  }
  if (nested) return true;
  return axes.front().step != 0 && elements <= reach + 1 && meets_none_twice(axes, reach);
}

void storage::require_distinct_elements(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                                        std::string_view operation, const std::source_location& where) {
  if (has_distinct_elements(shape, strides)) return;
  throw ShapeError(to_string(Failure{
      .operation = operation,
      .problem = "the view of shape " + core::shape_text(shape) + " that is to be written has elements more than once",
      .operands = {"its strides are " + core::shape_text(strides)},
      .advice = "write the array that it repeats, or a copy of the view",
      .where = where}));
}

std::optional<std::array<std::ptrdiff_t, 64>> storage::reshaped_strides(std::span<const std::ptrdiff_t> from_shape,
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

void storage::check_broadcast(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> to,
                              const char* operation) {
  const std::size_t lead = to.size() - std::min(from.size(), to.size());
  if (from.size() > to.size()) {
    throw ShapeError(to_string(
        Failure{.operation = operation,
                .problem = "the shape " + core::shape_text(from) + " has more axes than " + core::shape_text(to)}));
  }
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == to[lead + axis] || from[axis] == 1) continue;
    throw ShapeError(
        to_string(Failure{.operation = operation,
                          .problem = "the shape " + core::shape_text(from) + " does not broadcast to " +
                                     core::shape_text(to) + ": axis " + std::to_string(lead + axis) + " has extents " +
                                     std::to_string(from[axis]) + " and " + std::to_string(to[lead + axis]),
                          .advice = "extents must be equal, or 1 in the operand"}));
  }
}

}  // namespace tessera
