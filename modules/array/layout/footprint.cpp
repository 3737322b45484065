module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
module tessera.array;

// Footprints as sums of steps. Two of them share a byte if some steps along the axes of the one, and back along those of the other, bridge
// the distance between their ends: a linear equation in bounded integers, in which equal strides count once.
namespace tessera {

/// Axes come by growing stride. One that continues the last, or fills its gaps, becomes a part of it.
std::size_t Footprint::append(std::span<Axis> axes, std::size_t count, Axis next) noexcept {
  if (next.steps == 0 || next.stride == 0) return count;
  if (count > 0) {
    Axis& last = axes[count - 1];
    const std::ptrdiff_t ratio = next.stride / last.stride;
    if (next.stride % last.stride == 0 && ratio <= last.steps + 1) {
      last.steps += ratio * next.steps;
      return count;
    }
  }
  axes[count] = next;
  return count + 1;
}

Footprint::Footprint(const ViewMemory& view) noexcept {
  low_ = high_ = reinterpret_cast<std::intptr_t>(view.data);
  if (view.data == nullptr || std::ranges::find(view.shape, 0) != view.shape.end()) return;
  std::array<Axis, most_axes> sorted;
  std::size_t count = 0;
  high_ += view.item;
  for (std::size_t at = 0; at < view.shape.size(); ++at) {
    const std::ptrdiff_t stride = view.strides[at] * view.item, steps = view.shape[at] - 1;
    (stride < 0 ? low_ : high_) += stride * steps;
    if (steps == 0 || stride == 0) continue;
    if (count == most_axes - 1) {
      is_exact_ = false;
      continue;
    }
    sorted[count++] = {.stride = stride < 0 ? -stride : stride, .steps = steps};
  }
  if (!is_exact_) {
    count_ = append(axes_, 0, {.stride = 1, .steps = high_ - low_ - 1});
    return;
  }
  std::ranges::sort(std::span(sorted).first(count), {}, &Axis::stride);
  count_ = append(axes_, 0, {.stride = 1, .steps = view.item - 1});
  for (const Axis& axis : std::span(sorted).first(count)) count_ = append(axes_, count_, axis);
}

/// Whether the distance is a sum of the steps that the axes allow. The number of tries is bounded: it says yes when it gives up.
bool Footprint::reaches(std::span<const Axis> axes, std::ptrdiff_t distance, int& tries) noexcept {
  if (axes.empty() || distance == 0) return distance == 0;
  if (--tries < 0) return true;
  const auto rest = axes.first(axes.size() - 1);
  std::ptrdiff_t reach = 0;
  for (const Axis& axis : rest) reach += axis.stride * axis.steps;
  const auto [stride, steps] = axes.back();
  const std::ptrdiff_t missing = distance - reach;
  const std::ptrdiff_t least = missing <= 0 ? 0 : (missing + stride - 1) / stride;
  for (std::ptrdiff_t taken = std::min(steps, distance / stride); taken >= least; --taken) {
    if (reaches(rest, distance - taken * stride, tries)) return true;
  }
  return false;
}

bool Footprint::overlaps(const Footprint& other) const noexcept {
  if (high_ <= other.low_ || other.high_ <= low_ || is_empty() || other.is_empty()) return false;
  std::array<Axis, 2 * most_axes> merged, all;
  const auto end = std::ranges::merge(axes(), other.axes(), merged.begin(), {}, &Axis::stride, &Axis::stride).out;
  std::size_t count = 0;
  for (auto axis = merged.begin(); axis != end; ++axis) count = append(all, count, *axis);
  int tries = 256;
  return reaches(std::span(all).first(count), other.high_ - 1 - low_, tries);
}

bool Footprint::covers(const Footprint& other) const noexcept {
  if (other.is_empty()) return true;
  if (!is_exact_ || other.low_ < low_ || other.high_ > high_) return false;
  std::array<std::ptrdiff_t, most_axes> free;  // steps that are left along each axis
  std::ptrdiff_t distance = other.low_ - low_;
  for (std::size_t at = count_; at-- > 0;) {
    const std::ptrdiff_t taken = std::min(axes_[at].steps, distance / axes_[at].stride);
    distance -= taken * axes_[at].stride;
    free[at] = axes_[at].steps - taken;
  }
  if (distance != 0) return false;
  for (const Axis& axis : other.axes()) {
    std::size_t at = count_;
    while (at-- > 0) {
      const std::ptrdiff_t needed = axis.stride / axes_[at].stride * axis.steps;
      if (axis.stride % axes_[at].stride != 0 || needed > free[at]) continue;
      free[at] -= needed;
      break;
    }
    if (at > count_) return false;  // no axis of this one takes it
  }
  return true;
}

bool storage::operator==(const Footprint& a, const Footprint& b) noexcept {
  return a.low_ == b.low_ && a.high_ == b.high_ && a.is_exact_ == b.is_exact_ && std::ranges::equal(a.axes(), b.axes());
}

}  // namespace tessera
