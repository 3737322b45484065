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
namespace tessera::rows {

/// Throws std::invalid_argument for a negative number of times.
export void require_times(std::ptrdiff_t times, const std::source_location& where);
/// Throws ShapeError for fewer elements along an axis than slopes at its ends are made of.
export void require_slopes(std::ptrdiff_t extent, std::ptrdiff_t needed, int axis, const std::source_location& where);
/// Throws ShapeError for another number of coordinates than there are elements along an axis.
export void require_coordinates(std::ptrdiff_t coordinates, std::ptrdiff_t extent, int axis, const char* operation,
                                const std::source_location& where);

}  // namespace tessera::rows
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

/// Differences of differences, `times` times, in a new array. Throws std::invalid_argument for a negative number of times, IndexError for an
/// axis out of range.
export template <class O>
  requires DifferencedOperand<O, -1>
auto diff(const O& x, std::ptrdiff_t times, Position axis = -1,
          std::source_location where = std::source_location::current()) {
  rows::require_times(times, where);
  const int at = storage::checked_axis(axis.value, rank_of<O>, "diff");
  Array<value_of<O>, rank_of<O>, rows::result_place<O>> result = copy(moveaxis(rows::elements_of(x), at, -1));
  for (std::ptrdiff_t i = 0; i < times && result.shape()[rank_of<O> - 1] > 0; ++i)
    result = evaluate(difference_along_last(result));
  return moveaxis(result, -1, at);
}

/// The order of accuracy of the slopes at both ends: from the two outermost elements, or from three.
export enum class EdgeOrder { first = 1, second = 2 };

/// Spacings or coordinates of elements along an axis.
template <class S>
concept Spacing = WeakScalar<S> && !std::same_as<S, bool>;
template <class C>
concept Coordinates = rows::KnownOperand<C> && OrderedOperand<C> &&
                      (rank_of<C> == 1 || unsatisfied<"coordinates along an axis are a vector">);

/// One position, of which negative ones count from the end.
inline Range position_of_last(int k) { return k == -1 ? range(-1, none) : range(k, k + 1); }

/// The slope at the first of three elements, of which the second is `near` away and the third `far` more.
template <class E, class Near, class Far>
auto slope_at_end(const E& at, const E& beside, const E& behind, const Near& near, const Far& far) {
  return beside * ((near + far) / (near * far)) - at * ((near + near + far) / (near * (near + far))) -
         behind * (near / (far * (near + far)));
}

/// The slopes at both ends. `step(k)` is the distance of the elements k and k + 1; negative ones count from the end.
template <class R, class V, class Step>
void write_ends(R& result, const V& values, EdgeOrder order, const Step& step) {
  const auto element = [&](int k) { return part_of_last(values, position_of_last(k)); };
  if (order == EdgeOrder::first) {
    result(ellipsis, range(0, 1)) = (element(1) - element(0)) / step(0);
    result(ellipsis, range(-1, none)) = (element(-1) - element(-2)) / step(-1);
  } else {
    using T = value_of<R>;  // halves are computed in float and rounded once
    const auto at = [&](int k) { return cast<compute_t<T>>(element(k)); };
    const auto from = [&](int k) {
      const auto distance = step(k);
      if constexpr (Operand<decltype(distance)>) {
        return cast<compute_t<value_of<decltype(distance)>>>(distance);
      } else {
        return distance;
      }
    };
    result(ellipsis, range(0, 1)) = cast<T>(slope_at_end(at(0), at(1), at(2), from(0), from(1)));
    result(ellipsis, range(-1, none)) = cast<T>(-slope_at_end(at(-1), at(-2), at(-3), from(-1), from(-2)));
  }
}

/// The slope at each element along an axis, the last by default, of elements that are `spacing` apart: half the difference of its neighbours,
/// and at both ends the difference to the one neighbour, or, of EdgeOrder::second, the slope of the parabola through three elements; of integers
/// in double. Throws ShapeError for fewer than two elements, or three, OutOfMemory.
export template <int Axis = -1, class O, Spacing S = double>
  requires DifferencedOperand<O, Axis>
auto gradient(const O& x, S spacing = 1, EdgeOrder edges = EdgeOrder::first,
              std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto values = evaluate(moveaxis(averaged(x), axis, -1));
  using T = value_of<decltype(values)>;
  const auto step = static_cast<compute_t<T>>(spacing);
  const std::ptrdiff_t extent = values.shape()[rank_of<O> - 1];
  rows::require_slopes(extent, static_cast<int>(edges) + 1, axis, where);
  Array<T, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  result(ellipsis, range(1, -1)) =
      (part_of_last(values, range(2, none)) - part_of_last(values, range(none, -2))) / (step + step);
  write_ends(result, values, edges, [&](int) { return step; });
  return moveaxis(result, -1, axis);
}

/// The slopes of elements at coordinates: of second order also where these are not evenly spaced (B. Fornberg, "Generation of finite difference
/// formulas", 1988). Throws ShapeError also for another number of coordinates.
export template <int Axis = -1, class O, Coordinates C>
  requires DifferencedOperand<O, Axis>
auto gradient(const O& x, const C& coordinates, EdgeOrder edges = EdgeOrder::first,
              std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto values = evaluate(moveaxis(averaged(x), axis, -1));
  using T = value_of<decltype(values)>;
  using Real = std::conditional_t<Complex<T>, double, T>;
  const std::ptrdiff_t extent = values.shape()[rank_of<O> - 1];
  rows::require_slopes(extent, static_cast<int>(edges) + 1, axis, where);
  rows::require_coordinates(product(Dim<1>(coordinates.shape())), extent, axis, "gradient", where);
  const Array<Real, 1, rows::result_place<O>> steps = difference_along_last(cast<Real>(coordinates));
  const auto before = steps(range(none, -1)), after = steps(range(1, none));
  Array<T, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  const auto left = part_of_last(values, range(none, -2)), middle = part_of_last(values, range(1, -1)),
             right = part_of_last(values, range(2, none));
  result(ellipsis, range(1, -1)) = right * (before / (after * (before + after))) +
                                   middle * ((after - before) / (before * after)) -
                                   left * (after / (before * (before + after)));
  write_ends(result, values, edges, [&](int k) { return steps(position_of_last(k)); });
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
  const Dim<rank_of<O>> shape = values.shape();
  rows::require_coordinates(product(Dim<1>(coordinates.shape())), shape[rank_of<O> - 1], axis, "trapezoid", where);
  const auto steps = difference_along_last(cast<Real>(coordinates));
  return sum<-1>((part_of_last(values, range(1, none)) + part_of_last(values, range(none, -1))) * steps) *
         compute_t<T>(0.5);
}

}  // namespace tessera
