module;
#include <algorithm>
#include <array>
#include <cstddef>
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

RunList rolled_runs(std::ptrdiff_t extent, std::ptrdiff_t shift) {
  RunList runs;
  if (shift > 0) runs.add({.to = 0, .count = shift, .first = extent - shift, .step = 1});
  runs.add({.to = shift, .count = extent - shift, .first = 0, .step = 1});
  return runs;
}

RunList reversed_runs(std::ptrdiff_t extent) {
  RunList runs;
  runs.add({.to = 0, .count = extent, .first = extent > 0 ? extent - 1 : 0, .step = -1});
  return runs;
}

/// The longest run of a reflected axis, period 2 (extent - 1), that starts at `phase` of a period.
Run reflected(std::ptrdiff_t phase, std::ptrdiff_t extent, std::ptrdiff_t left) {
  if (extent == 1) return {.to = 0, .count = left, .first = 0, .step = 0};
  if (phase < extent) return {.to = 0, .count = std::min(extent - phase, left), .first = phase, .step = 1};
  const std::ptrdiff_t first = 2 * (extent - 1) - phase;
  return {.to = 0, .count = std::min(first, left), .first = first, .step = -1};
}

RunList padded_runs(std::ptrdiff_t extent, std::ptrdiff_t before, std::ptrdiff_t after, Padding padding) {
  RunList runs;
  if (padding == Padding::constant) {
    runs.add({.to = before, .count = extent, .first = 0, .step = 1});
    return runs;
  }
  if (padding == Padding::edge) {
    runs.add({.to = 0, .count = before, .first = 0, .step = 0});
    runs.add({.to = before, .count = extent, .first = 0, .step = 1});
    runs.add({.to = before + extent, .count = after, .first = extent - 1, .step = 0});
    return runs;
  }
  const bool wraps = padding == Padding::wrap;
  const std::ptrdiff_t period = wraps ? extent : std::max<std::ptrdiff_t>(2 * (extent - 1), 1);
  std::ptrdiff_t phase = (period - before % period) % period;
  for (std::ptrdiff_t to = 0; to < before + extent + after;) {
    const std::ptrdiff_t left = before + extent + after - to;
    Run run = wraps ? Run{.to = to, .count = std::min(extent - phase, left), .first = phase, .step = 1}
                    : reflected(phase, extent, left);
    run.to = to;
    runs.add(run);
    to += run.count;
    phase = (phase + run.count) % period;
  }
  return runs;
}

}  // namespace

AxisRuns AxisRuns::rolled(std::ptrdiff_t extent, std::ptrdiff_t shift) {
  AxisRuns runs(extent);
  runs.before_ = shift;
  return runs;
}

AxisRuns AxisRuns::reversed(std::ptrdiff_t extent) {
  AxisRuns runs(extent);
  runs.kind_ = Kind::reversed;
  return runs;
}

AxisRuns AxisRuns::padded(std::ptrdiff_t extent, std::ptrdiff_t before, std::ptrdiff_t after, Padding padding) {
  AxisRuns runs(extent);
  runs.kind_ = Kind::padded;
  runs.before_ = before;
  runs.after_ = after;
  runs.padding_ = padding;
  return runs;
}

RunList AxisRuns::listed() const {
  switch (kind_) {
    case Kind::rolled: return rolled_runs(extent_, before_);
    case Kind::reversed: return reversed_runs(extent_);
    case Kind::padded: break;
  }
  return padded_runs(extent_, before_, after_, padding_);
}

void run_runs(const Loop& loop, std::span<const RunList> axes) {
  MovableLoop box(loop);
  std::array<std::size_t, most_axes> chosen{};
  for (;;) {
    box.reset_leaves();
    std::ptrdiff_t offset = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const Run& run = axes[axis].runs()[chosen[axis]];
      box.loop.extents[axis] = run.count;
      offset += run.to * loop.target.strides[axis];
      box.advance_leaves(axis, run.first);
      for (Leaf& leaf : box.leaves()) leaf.strides[axis] *= run.step;
    }
    box.place_target(loop, offset);
    run(box.loop);
    std::size_t axis = axes.size();
    while (axis > 0 && ++chosen[axis - 1] == axes[axis - 1].runs().size()) chosen[--axis] = 0;
    if (axis == 0) return;
  }
}

void run_around(const Loop& loop, std::span<const RunList> axes) {
  Loop slab = loop;
  std::ptrdiff_t corner = 0;
  const auto run_slab = [&](std::size_t axis, std::ptrdiff_t from, std::ptrdiff_t to) {
    slab.extents[axis] = to - from;
    slab.target.data =
        static_cast<std::byte*>(loop.target.data) + (corner + from * loop.target.strides[axis]) * loop.target.item;
    run(slab);
  };
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Run& inner = axes[axis].runs().front();
    run_slab(axis, 0, inner.to);
    run_slab(axis, inner.to + inner.count, loop.extents[axis]);
    slab.extents[axis] = inner.count;
    corner += inner.to * loop.target.strides[axis];
  }
}

void run_repeated(const Loop& loop, std::span<const Repeats> axes) {
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
  run(split.loop);
}

}  // namespace tessera::plan
