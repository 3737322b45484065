// Views of one buffer in two forms: the library's array, and the position in the buffer of each of its elements, found by a loop over indices.
// Random walks from view to view make destinations, and random operands of a wanted shape share the buffer with them.
#pragma once
#include "support.hpp"

#include <optional>
#include <variant>

namespace support {

/// An array of rank R in a buffer, and what is known of it without the library.
template <class T, int R>
struct View {
  Array<T, R> array;
  Dim<R> shape;
  std::vector<std::ptrdiff_t> at;  // positions in the buffer, in row-major order

  /// The position of the element at an index; axes of extent 1 repeat.
  template <class Indices>
  std::ptrdiff_t position(const Indices& index) const {
    std::ptrdiff_t linear = 0;
    for (int axis = 0; axis < R; ++axis)
      linear = linear * shape[axis] + (shape[axis] == 1 ? 0 : index[static_cast<std::size_t>(axis)]);
    return at[static_cast<std::size_t>(linear)];
  }
};

template <class T>
using AnyView = std::variant<View<T, 1>, View<T, 2>, View<T, 3>>;

/// `array` and the positions that it should have: those of `from` at `source(index)` for each index of the shape.
template <class T, int R, int To, class Source>
View<T, To> view_of(const View<T, R>& from, const Array<T, To>& array, const Dim<To>& shape, const Source& source) {
  View<T, To> view{array, shape, {}};
  if (product(shape) == 0) return view;
  view.at.reserve(static_cast<std::size_t>(product(shape)));
  for_each_position(shape, [&](const auto& index) { view.at.push_back(from.position(source(index))); });
  return view;
}

template <class T>
View<T, 1> whole(const Array<T, 1>& buffer) {
  View<T, 1> view{buffer, buffer.shape(), {}};
  for (std::ptrdiff_t i = 0; i < buffer.size(); ++i) view.at.push_back(i);
  return view;
}

/// A range as Python has it, and the elements that it names.
struct Part {
  Range range;
  std::ptrdiff_t first, step, count;
};

/// `count` elements from `first` on, in one of the ways of writing it.
inline Part part_of(Random& random, std::ptrdiff_t extent, std::ptrdiff_t first, std::ptrdiff_t step,
                    std::ptrdiff_t count) {
  const std::ptrdiff_t stop = first + step * count;
  Part part{{first, stop, step}, first, step, count};
  if (stop < 0 || (stop >= extent && random.below(2) == 0)) part.range.stop = std::nullopt;
  if (first == (step > 0 ? 0 : extent - 1) && random.below(2) == 0) part.range.start = std::nullopt;
  if (part.range.start && random.below(3) == 0 && first < extent) part.range.start = first - extent;
  return part;
}

inline Part random_part(Random& random, std::ptrdiff_t extent) {
  constexpr std::ptrdiff_t steps[] = {1, 1, 1, 2, 3, 5, -1, -1, -2, -4};
  const std::ptrdiff_t step = steps[random.below(10)];
  if (extent == 0 || random.below(40) == 0) return {{0, 0, step}, 0, step, 0};
  // From the beginning, most of the axis, more often than not: small views meet one thread only.
  const std::ptrdiff_t margin =
      random.below(2) == 0 ? random.below(extent) : random.below(std::min(extent, std::ptrdiff_t(4)));
  const std::ptrdiff_t first = step > 0 ? margin : extent - 1 - margin;
  const std::ptrdiff_t most = (step > 0 ? extent - 1 - first : first) / std::abs(step) + 1;
  return part_of(random, extent, first, step, random.below(3) == 0 ? random.between(1, most) : most);
}

template <class T, int R>
View<T, R> sliced_by(const View<T, R>& from, const std::array<Part, static_cast<std::size_t>(R)>& parts) {
  Dim<R> shape;
  for (int axis = 0; axis < R; ++axis) shape = shape.with(axis, parts[static_cast<std::size_t>(axis)].count);
  const Array<T, R> array = std::apply([&](const auto&... part) { return from.array(part.range...); }, parts);
  return view_of(from, array, shape, [&](auto index) {
    for (std::size_t axis = 0; axis < parts.size(); ++axis)
      index[axis] = parts[axis].first + parts[axis].step * index[axis];
    return index;
  });
}

template <class T, int R>
View<T, R> sliced_at_random(Random& random, const View<T, R>& from) {
  std::array<Part, static_cast<std::size_t>(R)> parts;
  for (int axis = 0; axis < R; ++axis) parts[static_cast<std::size_t>(axis)] = random_part(random, from.shape[axis]);
  return sliced_by(from, parts);
}

template <int R>
std::array<int, static_cast<std::size_t>(R)> random_order(Random& random) {
  std::array<int, static_cast<std::size_t>(R)> order{};
  for (int axis = 0; axis < R; ++axis) order[static_cast<std::size_t>(axis)] = axis;
  for (int axis = R; axis-- > 1;)
    std::swap(order[static_cast<std::size_t>(axis)], order[static_cast<std::size_t>(random.below(axis + 1))]);
  return order;
}

/// Axis i of the result is axis order[i].
template <class T, int R>
View<T, R> with_order(const View<T, R>& from, const std::array<int, static_cast<std::size_t>(R)>& order) {
  Dim<R> shape;
  for (int axis = 0; axis < R; ++axis) shape = shape.with(axis, from.shape[order[static_cast<std::size_t>(axis)]]);
  return view_of(from, transpose(from.array, order), shape, [&](const auto& index) {
    auto source = index;
    for (std::size_t axis = 0; axis < order.size(); ++axis) source[static_cast<std::size_t>(order[axis])] = index[axis];
    return source;
  });
}

/// The same elements under another shape, if that is a view of the buffer.
template <int To, class T, int R>
std::optional<View<T, To>> with_shape(const View<T, R>& from, const Dim<To>& shape) {
  const Array<T, To> array = reshape(from.array, shape);
  if (array.buffer() != from.array.buffer()) return std::nullopt;
  return View<T, To>{array, shape, from.at};
}

template <class T, int R>
View<T, R + 1> with_new_axis(const View<T, R>& from, bool first) {
  Dim<R + 1> shape;
  for (int axis = 0; axis < R; ++axis) shape = shape.with(axis + int(first), from.shape[axis]);
  shape = shape.with(first ? 0 : R, 1);
  const Array<T, R + 1> array = first ? from.array(newaxis, ellipsis) : from.array(ellipsis, newaxis);
  return View<T, R + 1>{array, shape, from.at};
}

/// Windows of `extent` along the first axis; their own axis is the last.
template <class T, int R>
View<T, R + 1> windows_of(const View<T, R>& from, std::ptrdiff_t extent) {
  Dim<R + 1> shape;
  for (int axis = 0; axis < R; ++axis) shape = shape.with(axis, from.shape[axis]);
  shape = shape.with(0, from.shape[0] - extent + 1).with(R, extent);
  return view_of(from, sliding_window<0>(from.array, Dim{extent}), shape, [](auto index) {
    index[0] += index[static_cast<std::size_t>(R)];
    return index;
  });
}

/// Positions (t + 1) i + t j: each element once for up to t values of i, and some twice for more.
template <class T, int R>
View<T, R + 1> interleaved(Random& random, const View<T, R>& from) {
  const auto windows = windows_of(from, std::min(from.shape[0], random.between(5, 16)));
  const std::ptrdiff_t step = random.between(2, 4);
  const auto few = [&](std::ptrdiff_t extent, std::ptrdiff_t by, std::ptrdiff_t most) {
    return part_of(random, extent, 0, by, std::min((extent - 1) / by + 1, most));
  };
  std::array<Part, static_cast<std::size_t>(R + 1)> parts;
  for (int axis = 1; axis < R; ++axis)
    parts[static_cast<std::size_t>(axis)] = few(windows.shape[axis], 1, windows.shape[axis]);
  parts.front() = few(windows.shape[0], step + 1, step + random.below(2));
  parts.back() = few(windows.shape[R], step, 6);
  return sliced_by(windows, parts);
}

/// Repeated along a new first axis.
template <class T, int R>
View<T, R + 1> repeated(const View<T, R>& from, std::ptrdiff_t times) {
  Dim<R + 1> shape;
  for (int axis = 0; axis < R; ++axis) shape = shape.with(axis + 1, from.shape[axis]);
  shape = shape.with(0, times);
  return view_of(from, broadcast_to(from.array, shape), shape, [](const auto& index) {
    auto source = index;
    std::copy(index.begin() + 1, index.end(), source.begin());
    return source;
  });
}

/// Repeated along an axis of extent 1.
template <class T, int R>
View<T, R> stretched(const View<T, R>& from, int axis, std::ptrdiff_t times) {
  const Dim<R> shape = from.shape.with(axis, times);
  return view_of(from, broadcast_to(from.array, shape), shape, [](const auto& index) { return index; });
}

/// The slice at one index of the first axis.
template <class T, int R>
View<T, R - 1> picked(const View<T, R>& from, std::ptrdiff_t at) {
  Dim<R - 1> shape;
  for (int axis = 1; axis < R; ++axis) shape = shape.with(axis - 1, from.shape[axis]);
  return view_of(from, Array<T, R - 1>(from.array(at, ellipsis)), shape, [at](const auto& index) {
    std::array<std::ptrdiff_t, static_cast<std::size_t>(R)> source{at};
    std::copy_n(index.begin(), R - 1, source.begin() + 1);
    return source;
  });
}

/// Extents whose product is `size`.
template <int R>
Dim<R> factored(Random& random, std::ptrdiff_t size) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(R)> extents{};
  extents.fill(1);
  const auto any = [&]() -> std::ptrdiff_t& { return extents[static_cast<std::size_t>(random.below(R))]; };
  for (std::ptrdiff_t factor = 2; factor * factor <= size; ++factor) {
    for (; size % factor == 0; size /= factor) any() *= factor;
  }
  any() *= size;
  return std::apply([](auto... extent) { return Dim<R>{extent...}; }, extents);
}

template <class T, int R>
AnyView<T> reshaped_at_random(Random& random, const View<T, R>& from) {
  const std::ptrdiff_t size = product(from.shape);
  const auto or_same = [&](const auto& view) -> AnyView<T> { return view ? AnyView<T>(*view) : AnyView<T>(from); };
  switch (random.below(3)) {
    case 0: return or_same(with_shape(from, Dim{size}));
    case 1: return or_same(with_shape(from, factored<2>(random, size)));
    default: return or_same(with_shape(from, factored<3>(random, size)));
  }
}

/// One step of a random walk from view to view; some steps lead nowhere.
template <class T, int R>
AnyView<T> next_view(Random& random, const View<T, R>& from) {
  const std::ptrdiff_t size = product(from.shape);
  const bool may_grow = size > 0 && size < 100'000;
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: return sliced_at_random(random, from);
    case 4:
    case 5:
    case 6: return with_order(from, random_order<R>(random));
    case 7:
    case 8:
    case 9: return reshaped_at_random(random, from);
    case 10:
      if constexpr (R > 1) {
        if (from.shape[0] > 0) return picked(from, random.below(from.shape[0]));
      }
      break;
    case 11:
    case 12:
      if constexpr (R < 3) return with_new_axis(from, random.below(2) == 0);
      break;
    case 13:
      if constexpr (R < 3) {
        if (may_grow) return windows_of(from, random.between(1, std::min(from.shape[0], std::ptrdiff_t(3))));
      }
      break;
    case 14:
      if constexpr (R < 3) {
        if (may_grow) return repeated(from, random.between(1, 2));
      }
      break;
    default:
      for (int axis = 0; axis < R; ++axis) {
        if (may_grow && from.shape[axis] == 1) return stretched(from, axis, random.between(1, 3));
      }
  }
  return from;
}

/// Some walks end with positions that interleave.
template <class T, int R>
AnyView<T> last_view(Random& random, const View<T, R>& from) {
  if constexpr (R < 3) {
    if (product(from.shape) > 0 && random.below(6) == 0) return interleaved(random, from);
  }
  return from;
}

template <class T>
AnyView<T> random_view(Random& random, const Array<T, 1>& buffer) {
  AnyView<T> view = whole(buffer);
  for (auto steps = random.between(1, 4); steps-- > 0;)
    view = std::visit([&](const auto& from) { return next_view(random, from); }, view);
  return std::visit([&](const auto& from) { return last_view(random, from); }, view);
}

/// An element is at two indices of the view.
template <class T, int R>
bool holds_an_element_twice(const View<T, R>& view, std::size_t elements) {
  std::vector<char> is_seen(elements);
  for (const std::ptrdiff_t at : view.at) {
    if (std::exchange(is_seen[static_cast<std::size_t>(at)], char(1)) != 0) return true;
  }
  return false;
}

/// The shape with axes of extent 1 in place of some, so that the buffer has as many elements.
template <int R>
Dim<R> fitting(Random& random, Dim<R> shape, std::ptrdiff_t elements) {
  for (int axis = 0; axis < R; ++axis) {
    if (random.below(8) == 0) shape = shape.with(axis, 1);
  }
  while (product(shape) > elements) shape = shape.with(int(random.below(R)), 1);
  return shape;
}

/// A view of this shape, which the buffer has elements for, somewhere in it.
template <class T, int R>
View<T, R> random_operand(Random& random, const View<T, 1>& buffer, const Dim<R>& shape) {
  const std::ptrdiff_t all_elements = buffer.shape[0], size = product(shape);
  if constexpr (R > 1) {  // windows: more elements than there are in memory
    if (random.below(6) == 0 && size > 0) {
      Dim<R - 1> under;
      for (int axis = 0; axis + 1 < R; ++axis) under = under.with(axis, shape[axis]);
      under = under.with(0, shape[0] + shape[R - 1] - 1);
      if (product(under) <= all_elements) return windows_of(random_operand(random, buffer, under), shape[R - 1]);
    }
  }
  if (random.below(4) == 0 && size > 0) {  // a part of a grid that is larger
    Dim<R> grid = shape;
    for (int axis = 0; axis < R; ++axis) grid = grid.with(axis, shape[axis] + random.below(3));
    if (product(grid) <= all_elements) {
      const auto from = random_operand(random, buffer, grid);
      std::array<Part, static_cast<std::size_t>(R)> parts;
      for (int axis = 0; axis < R; ++axis) {
        const std::ptrdiff_t shift = random.below(grid[axis] - shape[axis] + 1);
        const bool is_reversed = random.below(4) == 0;
        parts[static_cast<std::size_t>(axis)] = part_of(
            random, grid[axis], is_reversed ? shift + shape[axis] - 1 : shift, is_reversed ? -1 : 1, shape[axis]);
      }
      return sliced_by(from, parts);
    }
  }
  const auto order = random_order<R>(random);
  const std::ptrdiff_t widest = size > 1 ? std::min((all_elements - 1) / (size - 1), std::ptrdiff_t(4)) : 1;
  const std::ptrdiff_t width = random.between(1, std::max(widest, std::ptrdiff_t(1)));
  const std::ptrdiff_t span = size > 0 ? (size - 1) * width + 1 : 0;
  const std::ptrdiff_t low = random.below(all_elements - span + 1);
  const bool is_reversed = size > 0 && random.below(3) == 0;
  const auto run = sliced_by(
      buffer, {part_of(random, all_elements, is_reversed ? low + span - 1 : low, is_reversed ? -width : width, size)});
  std::array<int, static_cast<std::size_t>(R)> back{};
  Dim<R> stored;
  for (int axis = 0; axis < R; ++axis) {
    stored = stored.with(axis, shape[order[static_cast<std::size_t>(axis)]]);
    back[static_cast<std::size_t>(order[static_cast<std::size_t>(axis)])] = axis;
  }
  return with_order(with_shape(run, stored).value(), back);
}

/// The elements that a view has in `buffer`, repeated to `shape`.
template <class T, int R>
std::vector<double> read(const View<T, R>& view, const Dim<R>& shape, const std::vector<T>& buffer) {
  std::vector<double> values;
  if (product(shape) == 0) return values;
  values.reserve(static_cast<std::size_t>(product(shape)));
  for_each_position(shape, [&](const auto& index) {
    values.push_back(static_cast<double>(buffer[static_cast<std::size_t>(view.position(index))]));
  });
  return values;
}

}  // namespace support
