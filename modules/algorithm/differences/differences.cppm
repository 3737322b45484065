module;
#include <cstddef>
export module tessera.algorithm:differences;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :averages;

// Differences between neighbours along an axis, slopes and areas. All are made of views and expressions: they run on every place.
namespace tessera {

template <class O, int Axis>
concept DifferencedOperand = rows::KnownOperand<O> && (rank_of<O> >= 1 || unsatisfied<"a scalar has no neighbours">) &&
                             rows::AxisOf<rank_of<O>, Axis>;

/// A part along the last axis.
template <class O>
auto part_of_last(const O& x, const Range& part) {
  return x(ellipsis, part);
}

/// Elements less the ones before them along the last axis; of bool, whether they differ.
template <class O>
auto difference_along_last(const O& x) {
  const auto later = part_of_last(x, range(1, none)), earlier = part_of_last(x, range(none, -1));
  if constexpr (std::same_as<value_of<O>, bool>) {
    return later != earlier;
  } else {
    return later - earlier;
  }
}

/// x[i + 1] - x[i] along an axis, the last by default, which is one shorter then: an expression. Integers wrap; bool tells whether neighbours
/// differ.
export template <int Axis = -1, class O>
  requires DifferencedOperand<O, Axis>
auto diff(const O& x) {
  return moveaxis(difference_along_last(moveaxis(x, Axis, -1)), -1, Axis);
}

/// Throws std::invalid_argument for a negative number of times.
void require_times(std::ptrdiff_t times, const rows::Argument& argument);

/// Differences of differences, `times` times, in a new array. Throws std::invalid_argument for a negative number of times, IndexError for an
/// axis out of range.
export template <class O>
  requires DifferencedOperand<O, -1>
auto diff(const O& x, std::ptrdiff_t times, Position axis = -1,
          std::source_location where = std::source_location::current()) {
  require_times(times, {"diff", "times", where});
  const int at = storage::checked_axis(axis.value, rank_of<O>, "diff");
  Array<value_of<O>, rank_of<O>, rows::result_place<O>> result = copy(moveaxis(rows::elements_of(x), at, -1));
  for (std::ptrdiff_t i = 0; i < times && result.shape()[rank_of<O> - 1] > 0; ++i)
    result = evaluate(difference_along_last(result));
  return moveaxis(result, -1, at);
}

/// Throws ShapeError for fewer elements than two along an axis, or another number of coordinates.
void require_slopes(std::ptrdiff_t extent, int axis, const rows::Argument& argument);
void require_coordinates(std::ptrdiff_t coordinates, std::ptrdiff_t extent, int axis, const rows::Argument& argument);

/// Spacings or coordinates of elements along an axis.
template <class S>
concept Spacing = WeakScalar<S> && !std::same_as<S, bool>;
template <class C>
concept Coordinates = rows::KnownOperand<C> && OrderedOperand<C> &&
                      (rank_of<C> == 1 || unsatisfied<"coordinates along an axis are a vector">);

/// The slopes at both ends, from those between the first two elements and the last two.
template <class R, class V, class First, class Last>
void write_ends(R& result, const V& values, First first, Last last) {
  result(ellipsis, range(0, 1)) = (part_of_last(values, range(1, 2)) - part_of_last(values, range(0, 1))) / first;
  result(ellipsis, range(-1, none)) =
      (part_of_last(values, range(-1, none)) - part_of_last(values, range(-2, -1))) / last;
}

/// The slope at each element along an axis, the last by default, of elements that are `spacing` apart: half the difference of its neighbours,
/// and at both ends the difference to the one neighbour; of integers in double. Throws ShapeError for fewer than two elements, OutOfMemory.
export template <int Axis = -1, class O, Spacing S = double>
  requires DifferencedOperand<O, Axis>
auto gradient(const O& x, S spacing = 1, std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto values = evaluate(moveaxis(averaged(x), axis, -1));
  using T = value_of<decltype(values)>;
  const auto step = static_cast<compute_t<T>>(spacing);
  const std::ptrdiff_t extent = values.shape()[rank_of<O> - 1];
  require_slopes(extent, axis, {"gradient", "x", where});
  Array<T, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  result(ellipsis, range(1, -1)) =
      (part_of_last(values, range(2, none)) - part_of_last(values, range(none, -2))) / (step + step);
  write_ends(result, values, step, step);
  return moveaxis(result, -1, axis);
}

/// The slopes of elements at coordinates: of second order also where these are not evenly spaced (B. Fornberg, "Generation of finite difference
/// formulas", 1988). Throws ShapeError also for another number of coordinates.
export template <int Axis = -1, class O, Coordinates C>
  requires DifferencedOperand<O, Axis>
auto gradient(const O& x, const C& coordinates, std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto values = evaluate(moveaxis(averaged(x), axis, -1));
  using T = value_of<decltype(values)>;
  using Real = std::conditional_t<Complex<T>, double, T>;
  const std::ptrdiff_t extent = values.shape()[rank_of<O> - 1];
  require_slopes(extent, axis, {"gradient", "x", where});
  require_coordinates(product(Dim<1>(coordinates.shape())), extent, axis, {"gradient", "coordinates", where});
  const Array<Real, 1, rows::result_place<O>> steps = difference_along_last(cast<Real>(coordinates));
  const auto before = steps(range(none, -1)), after = steps(range(1, none));
  Array<T, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  const auto left = part_of_last(values, range(none, -2)), middle = part_of_last(values, range(1, -1)),
             right = part_of_last(values, range(2, none));
  result(ellipsis, range(1, -1)) = right * (before / (after * (before + after))) +
                                   middle * ((after - before) / (before * after)) -
                                   left * (after / (before * (before + after)));
  write_ends(result, values, steps(range(0, 1)), steps(range(-1, none)));
  return moveaxis(result, -1, axis);
}

/// The area under lines between neighbours along an axis, the last by default, of elements that are `spacing` apart: an expression; 0 of fewer
/// than two elements. Integers are added up in double.
export template <int Axis = -1, class O, Spacing S = double>
  requires DifferencedOperand<O, Axis>
auto trapezoid(const O& y, S spacing = 1) {
  const auto values = moveaxis(averaged(y), Axis, -1);
  using T = compute_t<value_of<decltype(values)>>;
  return sum<-1>(part_of_last(values, range(1, none)) + part_of_last(values, range(none, -1))) *
         static_cast<T>(static_cast<double>(spacing) / 2);
}

/// The area under lines between elements at coordinates. Throws ShapeError for another number of coordinates.
export template <int Axis = -1, class O, Coordinates C>
  requires DifferencedOperand<O, Axis>
auto trapezoid(const O& y, const C& coordinates, std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto values = moveaxis(averaged(y), Axis, -1);
  using T = value_of<decltype(values)>;
  using Real = std::conditional_t<Complex<T>, double, T>;
  require_coordinates(product(Dim<1>(coordinates.shape())), Dim<rank_of<O>>(values.shape()) [rank_of<O> - 1], axis,
                      { "trapezoid", "coordinates", where });
  const auto steps = difference_along_last(cast<Real>(coordinates));
  return sum<-1>((part_of_last(values, range(1, none)) + part_of_last(values, range(none, -1))) * steps) *
         compute_t<T>(0.5);
}

}  // namespace tessera
