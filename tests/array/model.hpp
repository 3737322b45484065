// A slow and obvious model of arrays: a list of elements and a shape, where every view is a new list made index by index.
#pragma once

#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support.hpp"

struct Model {
  std::vector<std::ptrdiff_t> shape;
  std::vector<int> elements;  // row-major

  static Model counting(std::vector<std::ptrdiff_t> shape) {
    Model model{std::move(shape), {}};
    model.elements.resize(model.count());
    std::iota(model.elements.begin(), model.elements.end(), 0);
    return model;
  }

  std::size_t count() const {
    std::size_t product = 1;
    for (const std::ptrdiff_t extent : shape) product *= static_cast<std::size_t>(extent);
    return product;
  }

  int at(const std::vector<std::ptrdiff_t>& index) const {
    std::ptrdiff_t position = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) position = position * shape[axis] + index[axis];
    return elements[static_cast<std::size_t>(position)];
  }

  /// A model of `new_shape` whose element at an index is this one's at source_of(index).
  template <class SourceOf>
  Model gathered(std::vector<std::ptrdiff_t> new_shape, const SourceOf& source_of) const {
    Model result{std::move(new_shape), {}};
    const std::size_t count = result.count();
    for (std::size_t position = 0; position < count; ++position) {
      std::vector<std::ptrdiff_t> index(result.shape.size());
      std::size_t rest = position;
      for (std::size_t axis = index.size(); axis-- > 0;) {
        index[axis] = static_cast<std::ptrdiff_t>(rest % static_cast<std::size_t>(result.shape[axis]));
        rest /= static_cast<std::size_t>(result.shape[axis]);
      }
      result.elements.push_back(at(source_of(index)));
    }
    return result;
  }

  /// Only the positions `kept` of one axis, in that order.
  Model picked(std::size_t axis, const std::vector<std::ptrdiff_t>& kept) const {
    std::vector<std::ptrdiff_t> new_shape = shape;
    new_shape[axis] = static_cast<std::ptrdiff_t>(kept.size());
    return gathered(new_shape, [&](std::vector<std::ptrdiff_t> index) {
      index[axis] = kept[static_cast<std::size_t>(index[axis])];
      return index;
    });
  }

  /// Axis i is this model's axis axes[i].
  Model transposed(const std::vector<int>& axes) const {
    std::vector<std::ptrdiff_t> new_shape;
    for (const int axis : axes) new_shape.push_back(shape[static_cast<std::size_t>(axis)]);
    return gathered(new_shape, [&](const std::vector<std::ptrdiff_t>& index) {
      std::vector<std::ptrdiff_t> source(index.size());
      for (std::size_t to = 0; to < axes.size(); ++to) source[static_cast<std::size_t>(axes[to])] = index[to];
      return source;
    });
  }

  /// The last axes of `new_shape` are this model's, which repeat where their extent is 1.
  Model broadcasted(const std::vector<std::ptrdiff_t>& new_shape) const {
    const std::size_t lead = new_shape.size() - shape.size();
    return gathered(new_shape, [&](const std::vector<std::ptrdiff_t>& index) {
      std::vector<std::ptrdiff_t> source;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        source.push_back(shape[axis] == 1 ? 0 : index[lead + axis]);
      return source;
    });
  }
};

/// Positions that start:stop:step selects on an axis of `extent`, by the words of Python's reference: bounds below zero count
/// from the end, then bounds beyond the axis are cut to it.
inline std::vector<std::ptrdiff_t> selected_positions(std::ptrdiff_t extent, std::optional<std::ptrdiff_t> start,
                                                      std::optional<std::ptrdiff_t> stop, std::ptrdiff_t step) {
  const auto counted = [&](std::ptrdiff_t bound) {
    return static_cast<long double>(bound) + (bound < 0 ? static_cast<long double>(extent) : 0);
  };
  std::vector<std::ptrdiff_t> positions;
  const bool forward = step > 0;
  // Walk the axis in the direction of the step; the first position inside the bounds starts the count.
  std::optional<std::ptrdiff_t> first;
  for (std::ptrdiff_t walked = 0; walked < extent; ++walked) {
    const std::ptrdiff_t position = forward ? walked : extent - 1 - walked;
    const auto here = static_cast<long double>(position);
    const bool started = !start || (forward ? here >= counted(*start) : here <= counted(*start));
    const bool stopped = stop && (forward ? here >= counted(*stop) : here <= counted(*stop));
    if (!started || stopped) continue;
    if (!first) first = position;
    if ((position - *first) % step == 0) positions.push_back(position);
  }
  return positions;
}

/// Compares shape and elements.
template <class A>
void check_same(const A& array, const Model& model) {
  const auto extents = array.shape().extents();
  CHECK(joined(extents) == joined(model.shape));
  CHECK(joined(elements_of(array)) == joined(model.elements));
}

inline std::vector<std::ptrdiff_t> random_shape(Chance& chance, int rank, std::ptrdiff_t lowest,
                                                std::ptrdiff_t highest) {
  std::vector<std::ptrdiff_t> shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(chance.between(lowest, highest));
  return shape;
}

inline std::vector<int> random_axes(Chance& chance, int rank) {
  std::vector<int> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  for (std::size_t i = axes.size(); i-- > 1;)
    std::swap(axes[i], axes[static_cast<std::size_t>(chance.between(0, static_cast<std::ptrdiff_t>(i)))]);
  return axes;
}
