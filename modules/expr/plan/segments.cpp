module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Cutting evaluations into the boxes in which the source's elements stand side by side.
namespace tessera::plan {

namespace {

SegmentList rolled_segments(std::ptrdiff_t extent, std::ptrdiff_t shift) {
  SegmentList segments;
  if (shift > 0) segments.add({.to = 0, .count = shift, .first = extent - shift, .step = 1});
  segments.add({.to = shift, .count = extent - shift, .first = 0, .step = 1});
  return segments;
}

SegmentList reversed_segments(std::ptrdiff_t extent) {
  SegmentList segments;
  segments.add({.to = 0, .count = extent, .first = extent > 0 ? extent - 1 : 0, .step = -1});
  return segments;
}

/// The longest segment of a reflected axis, period 2 (extent - 1), that starts at `phase` of a period.
Segment reflected(std::ptrdiff_t phase, std::ptrdiff_t extent, std::ptrdiff_t left) {
  if (extent == 1) return {.to = 0, .count = left, .first = 0, .step = 0};
  if (phase < extent) return {.to = 0, .count = std::min(extent - phase, left), .first = phase, .step = 1};
  const std::ptrdiff_t first = 2 * (extent - 1) - phase;
  return {.to = 0, .count = std::min(first, left), .first = first, .step = -1};
}

/// The same of an axis that is mirrored with its ends, period 2 extent.
Segment mirrored(std::ptrdiff_t phase, std::ptrdiff_t extent, std::ptrdiff_t left) {
  if (phase < extent) return {.to = 0, .count = std::min(extent - phase, left), .first = phase, .step = 1};
  const std::ptrdiff_t first = 2 * extent - 1 - phase;
  return {.to = 0, .count = std::min(first + 1, left), .first = first, .step = -1};
}

SegmentList padded_segments(std::ptrdiff_t extent, std::ptrdiff_t before, std::ptrdiff_t after, Padding padding) {
  SegmentList segments;
  if (padding == Padding::constant) {
    segments.add({.to = before, .count = extent, .first = 0, .step = 1});
    return segments;
  }
  if (padding == Padding::edge) {
    segments.add({.to = 0, .count = before, .first = 0, .step = 0});
    segments.add({.to = before, .count = extent, .first = 0, .step = 1});
    segments.add({.to = before + extent, .count = after, .first = extent - 1, .step = 0});
    return segments;
  }
  const bool wraps = padding == Padding::wrap;
  const std::ptrdiff_t period = padding == Padding::symmetric ? 2 * extent
                                : wraps                       ? extent
                                                              : std::max<std::ptrdiff_t>(2 * (extent - 1), 1);
  std::ptrdiff_t phase = (period - before % period) % period;
  for (std::ptrdiff_t to = 0; to < before + extent + after;) {
    const std::ptrdiff_t left = before + extent + after - to;
    Segment segment = wraps ? Segment{.to = to, .count = std::min(extent - phase, left), .first = phase, .step = 1}
                      : padding == Padding::symmetric ? mirrored(phase, extent, left)
                                                      : reflected(phase, extent, left);
    segment.to = to;
    segments.add(segment);
    to += segment.count;
    phase = (phase + segment.count) % period;
  }
  return segments;
}

}  // namespace

AxisSegments AxisSegments::rolled(std::ptrdiff_t extent, std::ptrdiff_t shift) {
  AxisSegments segments(extent);
  segments.before_ = shift;
  return segments;
}

AxisSegments AxisSegments::reversed(std::ptrdiff_t extent) {
  AxisSegments segments(extent);
  segments.kind_ = Kind::reversed;
  return segments;
}

AxisSegments AxisSegments::padded(std::ptrdiff_t extent, std::ptrdiff_t before, std::ptrdiff_t after, Padding padding) {
  AxisSegments segments(extent);
  segments.kind_ = Kind::padded;
  segments.before_ = before;
  segments.after_ = after;
  segments.padding_ = padding;
  return segments;
}

SegmentList AxisSegments::listed() const {
  switch (kind_) {
    case Kind::rolled: return rolled_segments(extent_, before_);
    case Kind::reversed: return reversed_segments(extent_);
    case Kind::padded: break;
  }
  return padded_segments(extent_, before_, after_, padding_);
}

void for_each_segment(const Loop& loop, std::span<const SegmentList> axes, const LoopBody& body) {
  MovableLoop box(loop);
  std::array<std::size_t, most_axes> chosen{};
  for (;;) {
    box.reset_leaves();
    std::ptrdiff_t offset = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const Segment& segment = axes[axis].segments()[chosen[axis]];
      box.loop.extents[axis] = segment.count;
      offset += segment.to * loop.target.strides[axis];
      box.advance_leaves(axis, segment.first);
      for (Operand& leaf : box.leaves()) leaf.strides[axis] *= segment.step;
    }
    box.place_target(loop, offset);
    body(box.loop);
    std::size_t axis = axes.size();
    while (axis > 0 && ++chosen[axis - 1] == axes[axis - 1].segments().size()) chosen[--axis] = 0;
    if (axis == 0) return;
  }
}

void for_each_slab_around(const Loop& loop, std::span<const SegmentList> axes, const LoopBody& body) {
  Loop slab = loop;
  std::ptrdiff_t corner = 0;
  const auto take_slab = [&](std::size_t axis, std::ptrdiff_t from, std::ptrdiff_t to) {
    slab.extents[axis] = to - from;
    slab.target.data = loop.target.data + (corner + from * loop.target.strides[axis]) * loop.target.item;
    body(slab);
  };
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Segment& inner = axes[axis].segments().front();
    take_slab(axis, 0, inner.to);
    take_slab(axis, inner.to + inner.count, loop.extents[axis]);
    slab.extents[axis] = inner.count;
    corner += inner.to * loop.target.strides[axis];
  }
}

void with_repeats(const Loop& loop, std::span<const Repeats> axes, const LoopBody& body) {
  MovableLoop split(loop);
  split.reset_leaves();
  split.loop.rank = 2 * loop.rank;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::size_t outer = 2 * axis;
    const std::size_t inner = outer + 1;
    const auto [times, whole] = axes[axis];
    const std::ptrdiff_t extent = loop.extents[axis];
    split.loop.extents[outer] = whole ? times : extent;
    split.loop.extents[inner] = whole ? extent : times;
    split.loop.target.strides[inner] = loop.target.strides[axis];
    split.loop.target.strides[outer] = loop.target.strides[axis] * split.loop.extents[inner];
    for (std::size_t k = 0; k < loop.leaves.size(); ++k) {
      split.leaves()[k].strides[whole ? outer : inner] = 0;
      split.leaves()[k].strides[whole ? inner : outer] = loop.leaves[k].strides[axis];
    }
  }
  body(split.loop);
}

}  // namespace tessera::plan
