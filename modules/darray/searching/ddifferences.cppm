module;
#include <cstddef>
export module tessera.darray:ddifferences;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :dselect;

// Differences, slopes, areas, filters and running scans of dynamic arrays: each is the function of its name for arrays, along an axis that is known
// at run time.
namespace tessera {

namespace dynamic {

export DArray differences(const DArray& x, std::ptrdiff_t times, int axis);
export DArray slopes(const DArray& x, double spacing, int axis, EdgeOrder edges);
export DArray slopes(const DArray& x, const DArray& coordinates, int axis, EdgeOrder edges);
export DArray area(const DArray& y, double spacing, int axis);
export DArray area(const DArray& y, const DArray& coordinates, int axis);
export DArray convolved(const DArray& a, const DArray& b, ConvolveMode mode);
export DArray interpolated(const DArray& x, const DArray& abscissas, const DArray& ordinates,
                           const std::optional<std::pair<double, double>>& ends);
export enum class RunningScan { sum, product, max, min, logsumexp };
export DArray run_along(RunningScan scan, const DArray& x, std::optional<int> axis, const ScanOptions& options);

}  // namespace dynamic

template <class S>
concept DSpacing = WeakScalar<S> && !std::same_as<S, bool>;

/// x[i + 1] - x[i] along an axis, `times` times. Throws std::invalid_argument for a negative number of times, IndexError.
export template <DynamicOperand X>
DArray diff(const X& x, std::ptrdiff_t times = 1, int axis = -1) {
  return dynamic::differences(x, times, axis);
}

/// The slope at each element along an axis, of elements that are `spacing` apart, or at coordinates; as the function for arrays. Throws ShapeError for
/// fewer than two elements, or three for EdgeOrder::second, or another number of coordinates, IndexError.
export template <DynamicOperand X, DSpacing S = double>
DArray gradient(const X& x, S spacing = 1, int axis = -1, EdgeOrder edges = EdgeOrder::first) {
  return dynamic::slopes(x, static_cast<double>(spacing), axis, edges);
}
export template <DynamicElements X, DynamicElements C>
  requires DynamicOperands<X, C>
DArray gradient(const X& x, const C& coordinates, int axis = -1, EdgeOrder edges = EdgeOrder::first) {
  return dynamic::slopes(x, coordinates, axis, edges);
}

/// The area under lines between neighbours along an axis. Throws as gradient(), but not for few elements.
export template <DynamicOperand Y, DSpacing S = double>
DArray trapezoid(const Y& y, S spacing = 1, int axis = -1) {
  return dynamic::area(y, static_cast<double>(spacing), axis);
}
export template <DynamicElements Y, DynamicElements C>
  requires DynamicOperands<Y, C>
DArray trapezoid(const Y& y, const C& coordinates, int axis = -1) {
  return dynamic::area(y, coordinates, axis);
}

/// The convolution of two vectors; as the function for arrays, on the host only. Throws DTypeError for bool or types without a common one, ShapeError,
/// PlaceError.
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray convolve(const A& a, const B& b, ConvolveMode mode = ConvolveMode::full) {
  return dynamic::convolved(a, b, mode);
}

/// The ordinate at each x of the lines between the points of a curve; as the function for arrays, on the host only. Throws DTypeError, ShapeError,
/// std::invalid_argument for abscissas that descend, PlaceError.
export template <DynamicElements X, DynamicElements C, DynamicElements D>
  requires DynamicOperands<X, C, D>
DArray interp(const X& x, const C& abscissas, const D& ordinates) {
  return dynamic::interpolated(x, abscissas, ordinates, {});
}
export template <DynamicElements X, DynamicElements C, DynamicElements D>
  requires DynamicOperands<X, C, D>
DArray interp(const X& x, const C& abscissas, const D& ordinates, double left, double right) {
  return dynamic::interpolated(x, abscissas, ordinates, std::pair<double, double>{left, right});
}

/// The largest of the elements up to each one along an axis, which a vector need not name; as the function for arrays, on the host only. Throws
/// DTypeError for complex elements, ShapeError without an axis where there are several, IndexError, PlaceError.
export template <DynamicOperand X>
DArray cumulative_max(const X& x, std::optional<int> axis = {}, ScanOptions options = {}) {
  return dynamic::run_along(dynamic::RunningScan::max, x, axis, options);
}
/// The smallest of the elements up to each one; as cumulative_max().
export template <DynamicOperand X>
DArray cumulative_min(const X& x, std::optional<int> axis = {}, ScanOptions options = {}) {
  return dynamic::run_along(dynamic::RunningScan::min, x, axis, options);
}
/// log(sum(e^x)) of the elements up to each one, which are floating; as cumulative_max().
export template <DynamicOperand X>
DArray cumulative_logsumexp(const X& x, std::optional<int> axis = {}, ScanOptions options = {}) {
  return dynamic::run_along(dynamic::RunningScan::logsumexp, x, axis, options);
}
/// Running sums backwards, exclusive, or with what they start from.
export template <DynamicOperand X>
DArray cumulative_sum(const X& x, std::optional<int> axis, ScanOptions options) {
  return dynamic::run_along(dynamic::RunningScan::sum, x, axis, options);
}
/// Running products; as above.
export template <DynamicOperand X>
DArray cumulative_prod(const X& x, std::optional<int> axis, ScanOptions options) {
  return dynamic::run_along(dynamic::RunningScan::product, x, axis, options);
}

}  // namespace tessera
