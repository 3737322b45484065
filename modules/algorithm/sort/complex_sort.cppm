module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:complex_sort;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :along_axis;
import :sort;

// Sorting complex numbers in NumPy's order: by their real parts, and where those are equal by their imaginary ones. Two stable sorts, that of the
// imaginary parts first.
namespace tessera {

/// An operand of complex numbers that can be sorted along an axis.
template <class O, int Axis>
concept SortableComplexOperand =
    rows::KnownOperand<O> && Complex<value_of<O>> && rank_of<O> >= 1 && rows::AxisOf<rank_of<O>, Axis>;

template <int Axis, class A>
Array<std::int64_t, A::rank> lexicographic_order(const A& x, bool descending, const std::source_location& where) {
  const auto by_imaginary = argsorted<Axis>(imag(x), descending, where);
  const auto by_real = argsorted<Axis>(evaluate(take_along_axis<Axis>(real(x), by_imaginary)), descending, where);
  return take_along_axis<Axis>(by_imaginary, by_real);
}

template <int Axis, class O>
auto complex_positions(const O& x, bool descending, const std::source_location& where) {
  return lexicographic_order<Axis>(rows::elements_of(x), descending, where);
}

template <int Axis, class O>
auto complex_values(const O& x, bool descending, const std::source_location& where) {
  const auto elements = rows::elements_of(x);
  const auto order = lexicographic_order<Axis>(elements, descending, where);
  return Array<value_of<O>, rank_of<O>>(take_along_axis<Axis>(elements, order));
}

/// Complex numbers in ascending order of their real parts along an axis, the last by default, and of their imaginary parts where the real ones are
/// equal. Zeros of both signs are equal, and equal numbers keep their order; NaN come last among real parts, and among imaginary ones beside equal
/// real parts. O(n) per row. On the host only. Throws PlaceError for elements elsewhere, OutOfMemory.
export template <int Axis = -1, class O>
  requires SortableComplexOperand<O, Axis>
auto sort(const O& x, std::source_location where = std::source_location::current()) {
  return complex_values<Axis>(x, false, where);
}
/// In descending order of both parts; NaN come last too.
export template <int Axis = -1, class O>
  requires SortableComplexOperand<O, Axis>
auto sort(const O& x, Descending, std::source_location where = std::source_location::current()) {
  return complex_values<Axis>(x, true, where);
}

/// Writes what sort() returns to `result`, which may be x itself or overlap it. Throws ShapeError for another shape, and as sort(); nothing has
/// been written then.
export template <int Axis = -1, class A, class O>
  requires SortableComplexOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  rows::require_result(result, Dim<rank_of<O>>(x.shape()).extents(), "sort_into", where);
  assign(result, complex_values<Axis>(x, false, where));
}
/// In descending order of both parts; NaN come last too.
export template <int Axis = -1, class A, class O>
  requires SortableComplexOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, Descending, std::source_location where = std::source_location::current()) {
  rows::require_result(result, Dim<rank_of<O>>(x.shape()).extents(), "sort_into", where);
  assign(result, complex_values<Axis>(x, true, where));
}

/// The positions (int64) of an axis's complex numbers, the last axis's by default, in the order in which sort() puts them.
export template <int Axis = -1, class O>
  requires SortableComplexOperand<O, Axis>
auto argsort(const O& x, std::source_location where = std::source_location::current()) {
  return complex_positions<Axis>(x, false, where);
}
/// In descending order of both parts; equal numbers keep their order.
export template <int Axis = -1, class O>
  requires SortableComplexOperand<O, Axis>
auto argsort(const O& x, Descending, std::source_location where = std::source_location::current()) {
  return complex_positions<Axis>(x, true, where);
}

/// Writes what argsort() returns to `result`. Throws as sort_into().
export template <int Axis = -1, class A, class O>
  requires SortableComplexOperand<O, Axis> && ResultElements<A, std::int64_t, rank_of<O>>
void argsort_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  rows::require_result(result, Dim<rank_of<O>>(x.shape()).extents(), "argsort_into", where);
  assign(result, complex_positions<Axis>(x, false, where));
}
/// In descending order of both parts; equal numbers keep their order.
export template <int Axis = -1, class A, class O>
  requires SortableComplexOperand<O, Axis> && ResultElements<A, std::int64_t, rank_of<O>>
void argsort_into(const A& result, const O& x, Descending,
                  std::source_location where = std::source_location::current()) {
  rows::require_result(result, Dim<rank_of<O>>(x.shape()).extents(), "argsort_into", where);
  assign(result, complex_positions<Axis>(x, true, where));
}

/// Along an axis that is known at run time; negative ones count from the end. Throws IndexError out of range, and as above.
export template <class O, RunTimeAxis I>
  requires SortableComplexOperand<O, -1>
auto sort(const O& x, I axis, std::source_location where = std::source_location::current()) {
  const int at = storage::checked_axis(Position(axis).value, rank_of<O>, "sort");
  return copy(moveaxis(complex_values<-1>(moveaxis(rows::elements_of(x), at, -1), false, where), -1, at));
}
export template <class O, RunTimeAxis I>
  requires SortableComplexOperand<O, -1>
auto sort(const O& x, I axis, Descending, std::source_location where = std::source_location::current()) {
  const int at = storage::checked_axis(Position(axis).value, rank_of<O>, "sort");
  return copy(moveaxis(complex_values<-1>(moveaxis(rows::elements_of(x), at, -1), true, where), -1, at));
}
export template <class O, RunTimeAxis I>
  requires SortableComplexOperand<O, -1>
auto argsort(const O& x, I axis, std::source_location where = std::source_location::current()) {
  const int at = storage::checked_axis(Position(axis).value, rank_of<O>, "argsort");
  return copy(moveaxis(complex_positions<-1>(moveaxis(rows::elements_of(x), at, -1), false, where), -1, at));
}
export template <class O, RunTimeAxis I>
  requires SortableComplexOperand<O, -1>
auto argsort(const O& x, I axis, Descending, std::source_location where = std::source_location::current()) {
  const int at = storage::checked_axis(Position(axis).value, rank_of<O>, "argsort");
  return copy(moveaxis(complex_positions<-1>(moveaxis(rows::elements_of(x), at, -1), true, where), -1, at));
}

}  // namespace tessera
