module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Elements of dynamic arrays written to other positions, part by part.
namespace tessera::dynamic {

namespace {

constexpr auto most = static_cast<std::size_t>(max_rank);

/// The part of an axis from `first` on.
DArray part_of(const DArray& x, int axis, std::ptrdiff_t first, std::ptrdiff_t count) {
  DLayout layout = x.layout();
  const auto at = static_cast<std::size_t>(axis);
  layout.extents[at] = count;
  if (count > 0) layout.offset = first * layout.strides[at];
  return x.with_layout(layout);
}

/// One position of an axis, which is gone.
DArray position_of(const DArray& x, int axis, std::ptrdiff_t position) {
  return squeeze(part_of(x, axis, position, 1), axis);
}

DDim with_extent(const DDim& shape, int axis, std::ptrdiff_t extent) {
  std::vector<std::ptrdiff_t> extents(shape.extents().begin(), shape.extents().end());
  extents[static_cast<std::size_t>(axis)] = extent;
  const DDim result(extents);
  static_cast<void>(product(result));
  return result;
}

void require_widths(std::size_t count, const DArray& x, const char* operation, const char* what) {
  if (count == static_cast<std::size_t>(x.rank())) return;
  throw ShapeError(to_string(
      Failure{.operation = operation,
              .problem = std::to_string(count) + " " + what + " for an array with the shape " + to_string(x.shape()),
              .advice = "give one for each axis"}));
}

using Axes = std::array<plan::SegmentList, most>;

/// Copies the segments' combinations from `x` to their positions in `result`.
void copy_segments(const DArray& result, const DArray& x, const Axes& axes, int axis = 0) {
  if (axis == x.rank()) return copy_to(result, x);
  for (const plan::Segment& segment : axes[static_cast<std::size_t>(axis)].segments()) {
    if (segment.count == 0) continue;
    DLayout from = x.layout();
    const auto at = static_cast<std::size_t>(axis);
    from.offset = segment.first * from.strides[at];
    from.extents[at] = segment.count;
    from.strides[at] *= segment.step;
    copy_segments(part_of(result, axis, segment.to, segment.count), x.with_layout(from), axes, axis + 1);
  }
}

DDim padded_shape(const DArray& x, std::span<const PadWidth> widths, bool repeats) {
  require_widths(widths.size(), x, "pad", "pairs of widths");
  const DDim shape = x.shape();
  std::vector<std::ptrdiff_t> extents;
  extents.reserve(most);
  for (int axis = 0; axis < x.rank(); ++axis)
    extents.push_back(
        plan::padded_extent(shape[axis], widths[static_cast<std::size_t>(axis)], axis, repeats, to_string(shape)));
  return DDim(extents);
}

Axes padded_axes(const DArray& x, std::span<const PadWidth> widths, plan::Padding padding) {
  Axes axes;
  for (std::size_t axis = 0; axis < widths.size(); ++axis) {
    const std::ptrdiff_t extent = x.layout().extents[axis];
    const auto segments = extent == 0
                              ? plan::AxisSegments::rolled(0, 0)
                              : plan::AxisSegments::padded(extent, widths[axis].before, widths[axis].after, padding);
    axes[axis] = segments.listed();
  }
  return axes;
}

/// An axis in two: `outer` positions, `outer_stride` apart, of `inner` ones.
DArray split(const DArray& x, int axis, std::ptrdiff_t outer, std::ptrdiff_t outer_stride, std::ptrdiff_t inner,
             std::ptrdiff_t inner_stride) {
  DLayout to = expanded(x.layout(), {&axis, 1});
  const auto at = static_cast<std::size_t>(axis);
  to.extents[at] = outer;
  to.strides[at] = outer_stride;
  to.extents[at + 1] = inner;
  to.strides[at + 1] = inner_stride;
  return x.with_layout(to);
}

/// An axis that appears `times` times: as a whole, or element by element.
DArray repeated(const DArray& x, std::ptrdiff_t times, int axis, bool whole) {
  const char* operation = whole ? "tile" : "repeat";
  const auto at = static_cast<std::size_t>(axis);
  const std::ptrdiff_t extent = x.shape()[axis];
  const DArray result(with_extent(x.shape(), axis, plan::repeated_extent(extent, times, axis, operation)), x.dtype(),
                      x.place());
  if (result.size() == 0) return result;
  const std::ptrdiff_t step = result.strides()[at], from = x.strides()[at];
  if (x.rank() < max_rank && whole) {
    copy_to(split(result, axis, times, extent * step, extent, step), split(x, axis, times, 0, extent, from));
  } else if (x.rank() < max_rank) {
    copy_to(split(result, axis, extent, times * step, times, step), split(x, axis, extent, from, times, 0));
  } else if (whole) {
    for (std::ptrdiff_t k = 0; k < times; ++k) copy_to(part_of(result, axis, k * extent, extent), x);
  } else {
    for (std::ptrdiff_t k = 0; k < times; ++k) {
      DLayout every = result.layout();
      every.offset = k * step;
      every.extents[at] = extent;
      every.strides[at] = times * step;
      copy_to(result.with_layout(every), x);
    }
  }
  return result;
}

/// Throws ShapeError unless all have one rank.
void require_one_rank(std::span<const DArray> parts, const char* operation) {
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].rank() == parts[0].rank()) continue;
    throw ShapeError(
        to_string(Failure{.operation = operation,
                          .problem = "part " + std::to_string(k) + " has " + std::to_string(parts[k].rank()) +
                                     " axes and part 0 has " + std::to_string(parts[0].rank()),
                          .operands = {"part 0 is " + to_string(parts[0].shape()),
                                       "part " + std::to_string(k) + " is " + to_string(parts[k].shape())},
                          .advice = "joined arrays have the same number of axes"}));
  }
}

}  // namespace

void copy_to(const DArray& to, const DArray& from) {
  if (to.place().on_host() || to.dtype() != from.dtype() || from.place() != to.place()) return to.write(from);
  from.buffer()->wait_for_ops(schedule::Purpose::read, from.leaf().memory());
  const std::ptrdiff_t item = item_size(to.dtype());
  const DLayout source = from.layout(), target = to.layout();
  storage::copy_strided(target.shape(), {{to.data(), target.steps(), item}, to.place(), to.buffer()->uses()},
                        {{from.data(), source.steps(), item}, from.place(), from.buffer()->uses()});
}

DArray joined(std::span<const DArray> parts, int axis, bool stacks) {
  const char* operation = stacks ? "stack" : "concat";
  std::vector<DLayout> layouts;
  layouts.reserve(parts.size());
  for (const DArray& part : parts) layouts.push_back(part.layout());
  std::vector<std::span<const std::ptrdiff_t>> shapes;
  shapes.reserve(parts.size());
  for (const DLayout& layout : layouts) shapes.push_back(layout.shape());
  if (parts.empty()) static_cast<void>(plan::joined_extent(shapes, 0, stacks));  // which throws
  require_one_rank(parts, operation);
  const int at = storage::checked_axis(axis, parts[0].rank() + (stacks ? 1 : 0), operation);
  const std::ptrdiff_t extent = plan::joined_extent(shapes, at, stacks);
  DType dtype = parts[0].dtype();
  for (const DArray& part : parts) dtype = promote(dtype, part.dtype());
  const DDim shape = stacks ? DDim(expanded(layouts[0], {&at, 1}, operation).shape()) : parts[0].shape();
  const DArray result(with_extent(shape, at, extent), dtype, parts[0].place());
  if (result.size() == 0) return result;
  std::ptrdiff_t position = 0;
  for (const DArray& part : parts) {
    const std::ptrdiff_t count = stacks ? 1 : part.shape()[at];
    copy_to(stacks ? position_of(result, at, position) : part_of(result, at, position, count), part);
    position += count;
  }
  return result;
}

DArray rolled(const DArray& x, std::span<const std::ptrdiff_t> shifts, const DAxes& axes) {
  if (shifts.size() != axes.axes().size()) {
    throw ShapeError(to_string(Failure{
        .operation = "roll",
        .problem = std::to_string(shifts.size()) + " shifts for " + std::to_string(axes.axes().size()) + " axes",
        .advice = "give one shift for each named axis"}));
  }
  static_cast<void>(marked(axes.axes(), x.rank(), "roll"));
  const DLayout layout = x.layout();
  std::array<std::ptrdiff_t, most> shift_of{};
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const auto at = static_cast<std::size_t>(storage::checked_axis(axes.axes()[k], x.rank(), "roll"));
    shift_of[at] = plan::wrapped_shift(shifts[k], layout.extents[at]);
  }
  Axes segments;
  for (std::size_t at = 0; at < layout.shape().size(); ++at)
    segments[at] = plan::AxisSegments::rolled(layout.extents[at], shift_of[at]).listed();
  const DArray result(x.shape(), x.dtype(), x.place());
  if (x.size() > 0) copy_segments(result, x, segments);
  return result;
}

DArray padded(const DArray& x, std::span<const PadWidth> widths, const ScalarOperand& value) {
  const DArray result(padded_shape(x, widths, false), x.dtype(), x.place());
  result.write(value);
  if (x.size() > 0) copy_segments(result, x, padded_axes(x, widths, plan::Padding::constant));
  return result;
}

DArray padded(const DArray& x, std::span<const PadWidth> widths, PadMode mode) {
  const DArray result(padded_shape(x, widths, true), x.dtype(), x.place());
  if (result.size() > 0) copy_segments(result, x, padded_axes(x, widths, plan::padding_of(mode)));
  return result;
}

DArray tiled(const DArray& x, std::span<const std::ptrdiff_t> times) {
  require_widths(times.size(), x, "tile", "numbers of times");
  std::vector<std::ptrdiff_t> extents;  // all of them are checked before anything is copied
  extents.reserve(most);
  for (int axis = 0; axis < x.rank(); ++axis)
    extents.push_back(plan::repeated_extent(x.shape()[axis], times[static_cast<std::size_t>(axis)], axis, "tile"));
  const DDim shape(extents);
  if (product(shape) == 0) return DArray(shape, x.dtype(), x.place());
  DArray result = x;
  for (int axis = x.rank(); axis-- > 0;) {  // the inner ones first, while there is little to copy
    if (times[static_cast<std::size_t>(axis)] != 1)
      result = repeated(result, times[static_cast<std::size_t>(axis)], axis, true);
  }
  return result.buffer() == x.buffer() ? x.clone() : result;
}

DArray repeated(const DArray& x, std::ptrdiff_t times, int axis) {
  return repeated(x, times, storage::checked_axis(axis, x.rank(), "repeat"), false);
}

}  // namespace tessera::dynamic
