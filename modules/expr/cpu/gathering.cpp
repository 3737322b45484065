module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Checking indices, and gathering by them.
namespace tessera::plan {

namespace {

/// One axis of what is gathered, after simplification.
struct GatheredAxis {
  std::ptrdiff_t extent;
  std::ptrdiff_t stride;  // in memory, in elements
  std::ptrdiff_t weight;  // linear indices from one position to the next
};

/// The context of the generated operand; its axes, slowest first, stand behind it in memory.
struct Gathering {
  const std::byte* data;
  const void* indices;
  std::ptrdiff_t index_step;
  std::ptrdiff_t extent;  // of the axis in memory along which the indices pick
  int rank;
  int picked;
  bool is_of_rows;  // each index picks a row, whose elements lie side by side
  const GatheredAxis* axes;

  const GatheredAxis& axis(int number) const { return axes[number]; }
};

/// A position along each axis of what is gathered.
using Digits = std::array<std::ptrdiff_t, most_axes>;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

void set_digits(const Gathering& from, std::ptrdiff_t index, Digits& digits) {
  for (int axis = 0; axis < from.rank; ++axis) {
    digits[at(axis)] = index / from.axis(axis).weight;
    index -= digits[at(axis)] * from.axis(axis).weight;
  }
}

/// Elements side by side along one axis, from one to the next `step` positions.
struct Course {
  int axis;
  std::ptrdiff_t step;
};

/// The axis along which a step of linear indices leads.
Course course_of(const Gathering& from, std::ptrdiff_t step) {
  int axis = from.rank - 1;
  if (step == 0) return {axis, 0};
  while (axis > 0 && step % from.axis(axis - 1).weight == 0) --axis;
  return {axis, step / from.axis(axis).weight};
}

/// Elements on a course before it leaves its axis.
std::ptrdiff_t length_of(const Gathering& from, const Course& course, std::ptrdiff_t position) {
  if (course.step == 1) return from.axis(course.axis).extent - position;
  if (course.step == 0) return std::numeric_limits<std::ptrdiff_t>::max();
  return course.step > 0 ? (from.axis(course.axis).extent - 1 - position) / course.step + 1
                         : position / -course.step + 1;
}

/// Sets digits to the linear index `index`, to which a course of `length` elements has led.
void go_on(const Gathering& from, const Course& course, std::ptrdiff_t length, std::ptrdiff_t index, Digits& digits) {
  if (course.step != 1) return set_digits(from, index, digits);
  int axis = course.axis;
  digits[at(axis)] += length;
  while (axis > 0 && digits[at(axis)] == from.axis(axis).extent) {  // without a division, which short rows would feel
    digits[at(axis)] = 0;
    ++digits[at(--axis)];
  }
}

template <class Item, class Index>
class Gatherer {
 public:
  static void generate(const void* context, void* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
    const Gatherer gatherer(*static_cast<const Gathering*>(context));
    const Gathering& from = gatherer.from_;
    if (from.is_of_rows && step == 1) return gatherer.copy_rows(first, static_cast<Item*>(to), n);
    const Course course = course_of(from, step);
    auto* next = static_cast<Item*>(to);
    Digits digits;
    set_digits(from, first, digits);
    while (n > 0) {
      const std::ptrdiff_t length = std::min(n, length_of(from, course, digits[at(course.axis)]));
      gatherer.copy(digits, course, next, length);
      next += length;
      n -= length;
      first += step * length;
      if (n > 0) go_on(from, course, length, first, digits);
    }
  }

 private:
  explicit Gatherer(const Gathering& from) : from_(from) {}

  /// The position that index number `i` names.
  [[gnu::always_inline]] std::ptrdiff_t position(std::ptrdiff_t i) const {
    return counted(static_cast<const Index*>(from_.indices)[i * from_.index_step], from_.extent);
  }

  /// The index counted from the front, without a branch.
  [[gnu::always_inline]] static std::ptrdiff_t counted(std::ptrdiff_t index, std::ptrdiff_t extent) {
    return index + (extent & (index >> 63));
  }

  /// n elements of rows, from the linear index `first` on.
  void copy_rows(std::ptrdiff_t first, Item* to, std::ptrdiff_t n) const {
    const GatheredAxis& rows = from_.axis(0);
    const auto* const source = reinterpret_cast<const Item*>(from_.data);
    const std::ptrdiff_t width = rows.weight;
    constexpr std::ptrdiff_t ahead = 8;
    std::ptrdiff_t row = first / width;
    std::ptrdiff_t column = first - row * width;
    while (n > 0) {
      const std::ptrdiff_t length = std::min(n, width - column);
      if (row + ahead < rows.extent) __builtin_prefetch(source + position(row + ahead) * rows.stride);
      copy_side_by_side(source + position(row) * rows.stride + column, to, length);
      to += length;
      n -= length;
      column = 0;
      ++row;
    }
  }

  /// Rows are often too short for a call.
  [[gnu::always_inline]] static void copy_side_by_side(const Item* from, Item* to, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t chunk = 32 / static_cast<std::ptrdiff_t>(sizeof(Item));
    if (n < chunk) {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = from[i];
    } else if (n <= 2 * chunk) {
      std::memcpy(to, from, 32);
      std::memcpy(to + n - chunk, from + n - chunk, 32);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(Item));
    }
  }

  /// Single elements, `along` apart in memory, by the indices from number `first` on.
  void copy_picked(const Item* source, std::ptrdiff_t along, std::ptrdiff_t first, std::ptrdiff_t step, Item* to,
                   std::ptrdiff_t n) const {
    const auto* index = static_cast<const Index*>(from_.indices) + first * from_.index_step;
    const std::ptrdiff_t index_step = from_.index_step * step;
    const std::ptrdiff_t extent = from_.extent;
    constexpr std::ptrdiff_t ahead = 32;
    std::ptrdiff_t i = 0;
    for (; i < n - ahead; ++i) {
      __builtin_prefetch(source + counted(index[(i + ahead) * index_step], extent) * along);
      to[i] = source[counted(index[i * index_step], extent) * along];
    }
    for (; i < n; ++i) to[i] = source[counted(index[i * index_step], extent) * along];
  }

  void copy(const Digits& digits, const Course& course, Item* to, std::ptrdiff_t n) const {
    const auto* source = reinterpret_cast<const Item*>(from_.data);
    for (int axis = 0; axis < from_.rank; ++axis) {
      if (axis != from_.picked) source += digits[at(axis)] * from_.axis(axis).stride;
    }
    const std::ptrdiff_t along = from_.axis(from_.picked).stride;
    const std::ptrdiff_t picked = digits[at(from_.picked)];
    if (course.axis == from_.picked) return copy_picked(source, along, picked, course.step, to, n);
    source += position(picked) * along;
    const std::ptrdiff_t stride = from_.axis(course.axis).stride * course.step;
    if (stride == 1) {
      std::memcpy(to, source, static_cast<std::size_t>(n) * sizeof(Item));
    } else {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = source[i * stride];
    }
  }

  const Gathering& from_;
};

template <class Item>
Generate gathering(DType index) {
  return index == DType::int32 ? Gatherer<Item, std::int32_t>::generate : Gatherer<Item, std::int64_t>::generate;
}

Generate gathering(std::ptrdiff_t item, DType index) {
  switch (item) {
    case 1: return gathering<std::uint8_t>(index);
    case 2: return gathering<std::uint16_t>(index);
    case 4: return gathering<std::uint32_t>(index);
    case 8: return gathering<std::uint64_t>(index);
    default: return gathering<Wide>(index);
  }
}

/// The axes of what is gathered without those of one element, and neighbours as one where the memory continues. Returns how many they are.
int simplify(const PickedMemory& from, std::ptrdiff_t count, GatheredAxis* axes, int& picked) {
  int rank = 0;
  std::ptrdiff_t weight = 1;
  for (int axis = static_cast<int>(from.shape.size()); axis-- > 0;) {  // the fastest first
    const std::ptrdiff_t stride = from.strides[at(axis)];
    if (axis == from.axis) {
      picked = rank;
      axes[rank++] = {count, stride, weight};
      weight *= count;
      continue;
    }
    const std::ptrdiff_t extent = from.shape[at(axis)];
    if (extent == 1) continue;
    GatheredAxis* const last = rank > 0 && (rank - 1 != picked || axis > from.axis) ? &axes[rank - 1] : nullptr;
    if (last != nullptr && stride == last->stride * last->extent) {
      last->extent *= extent;
    } else {
      axes[rank++] = {extent, stride, weight};
    }
    weight *= extent;
  }
  std::reverse(axes, axes + rank);
  picked = rank - 1 - picked;
  return rank;
}

/// The first index outside [lowest, extent) from `first` on; `last` if there is none.
template <class Index>
std::ptrdiff_t find_outside(const Index* indices, std::ptrdiff_t step, std::ptrdiff_t extent, std::ptrdiff_t first,
                            std::ptrdiff_t last) {
  const auto above = static_cast<std::uint64_t>(extent);
  const std::uint64_t shift = std::is_signed_v<Index> ? above : 0;  // makes the lowest index 0
  const auto is_outside = [&](std::ptrdiff_t i) {
    return static_cast<std::uint64_t>(indices[i * step]) + shift >= above + shift;
  };
  constexpr std::ptrdiff_t batch = 256;  // which is looked at without a branch
  for (; first < last; first += batch) {
    const std::ptrdiff_t end = std::min(last, first + batch);
    bool has_one = false;
    for (std::ptrdiff_t i = first; i < end; ++i) has_one |= is_outside(i);
    if (!has_one) continue;
    while (!is_outside(first)) ++first;
    return first;
  }
  return last;
}

template <class Index>
std::ptrdiff_t first_outside(const IndexList& list, std::ptrdiff_t extent) {
  const auto* indices = static_cast<const Index*>(list.data);
  const std::ptrdiff_t count = list.step == 0 ? std::min<std::ptrdiff_t>(list.count, 1) : list.count;
  std::atomic<std::ptrdiff_t> outside = count;
  const std::ptrdiff_t pieces = count < parallel_threshold ? 1 : count / task_elements;
  parallel_for(pieces, [&](std::ptrdiff_t piece) {
    const std::ptrdiff_t end = count * (piece + 1) / pieces;
    const std::ptrdiff_t found = find_outside(indices, list.step, extent, count * piece / pieces, end);
    if (found == end) return;
    std::ptrdiff_t first = outside.load();
    while (found < first && !outside.compare_exchange_weak(first, found)) {
    }
  });
  const std::ptrdiff_t found = outside.load();
  return found == count ? list.count : found;
}

template <class Index>
void check(const IndexList& list, std::ptrdiff_t extent, int axis) {
  const std::ptrdiff_t found = first_outside<Index>(list, extent);
  if (found == list.count) return;
  const auto* indices = static_cast<const Index*>(list.data);
  storage::throw_picked_index("indexing", std::to_string(indices[found * list.step]), found, axis, extent);
}

}  // namespace

void check_indices(const IndexList& indices, std::ptrdiff_t extent, int axis) {
  switch (indices.type) {
    case DType::int32: return check<std::int32_t>(indices, extent, axis);
    case DType::uint64: return check<std::uint64_t>(indices, extent, axis);
    default: return check<std::int64_t>(indices, extent, axis);
  }
}

std::ptrdiff_t first_outside(const IndexList& indices, std::ptrdiff_t extent) {
  switch (indices.type) {
    case DType::int32: return first_outside<std::int32_t>(indices, extent);
    case DType::uint64: return first_outside<std::uint64_t>(indices, extent);
    default: return first_outside<std::int64_t>(indices, extent);
  }
}

int add_gathered(Lowering& lowering, const PickedMemory& from, const IndexList& indices) {
  Axes shape{};
  std::ranges::copy(from.shape, shape.begin());
  shape[at(from.axis)] = indices.count;
  return add_gathered(lowering, from, indices, std::span(shape).first(from.shape.size()));
}

int add_gathered(Lowering& lowering, const PickedMemory& from, const IndexList& indices,
                 std::span<const std::ptrdiff_t> shape) {
  const std::size_t rank = from.shape.size();
  auto* memory = static_cast<std::byte*>(
      lowering.hold_on_host(static_cast<std::ptrdiff_t>(sizeof(Gathering) + rank * sizeof(GatheredAxis))));
  auto* axes = reinterpret_cast<GatheredAxis*>(memory + sizeof(Gathering));
  auto* gathering_of_leaf = new (memory) Gathering{.data = static_cast<const std::byte*>(from.data),
                                                   .indices = indices.data,
                                                   .index_step = indices.step,
                                                   .extent = from.shape[at(from.axis)],
                                                   .rank = 0,
                                                   .picked = 0,
                                                   .is_of_rows = false,
                                                   .axes = axes};
  Axes strides{};
  if (std::ranges::find(shape, 0) == shape.end()) {  // those of nothing may be more than can be multiplied
    gathering_of_leaf->rank = simplify(from, indices.count, axes, gathering_of_leaf->picked);
    gathering_of_leaf->is_of_rows =
        gathering_of_leaf->rank == 2 && gathering_of_leaf->picked == 0 && axes[1].stride == 1;
    std::ptrdiff_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
  }
  return lowering.add_generated(gathering(from.item, indices.type), gathering_of_leaf, shape,
                                std::span(strides).first(shape.size()), from.item);
}

}  // namespace tessera::plan
