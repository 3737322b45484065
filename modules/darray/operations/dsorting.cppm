export module tessera.darray:dsorting;
import tessera.standard;
import tessera.core;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :dselect;

// Sorting dynamic arrays: each is the function of its name for arrays, along an axis that is known at run time.
namespace tessera {

namespace dynamic {

export DArray sorted(const DArray& x, int axis, bool descending);
export DArray argsorted(const DArray& x, int axis, bool descending);
export void sort_into(const DArray& to, const DArray& x, int axis, bool descending);
export void argsort_into(const DArray& to, const DArray& x, int axis, bool descending);

}  // namespace dynamic

using DescendingOrder = std::remove_cvref_t<decltype(descending)>;

/// The elements in ascending order along an axis, in a new array. NaN come last and -0 before 0; complex numbers are ordered by
/// their real parts, then by their imaginary ones. Throws IndexError, and as the function for arrays.
export template <DynamicOperand X>
DArray sort(const X& x, int axis = -1) {
  return dynamic::sorted(x, axis, false);
}
/// In descending order; NaN come last too.
export template <DynamicOperand X>
DArray sort(const X& x, int axis, DescendingOrder) {
  return dynamic::sorted(x, axis, true);
}
export template <DynamicOperand X>
DArray sort(const X& x, DescendingOrder) {
  return dynamic::sorted(x, -1, true);
}

/// The positions (int64) of an axis's elements in the order in which sort() puts them; equal elements and NaN keep theirs. Throws as
/// sort().
export template <DynamicOperand X>
DArray argsort(const X& x, int axis = -1) {
  return dynamic::argsorted(x, axis, false);
}
/// Of the largest elements first; equal ones keep their order and NaN come last too.
export template <DynamicOperand X>
DArray argsort(const X& x, int axis, DescendingOrder) {
  return dynamic::argsorted(x, axis, true);
}
export template <DynamicOperand X>
DArray argsort(const X& x, DescendingOrder) {
  return dynamic::argsorted(x, -1, true);
}

/// Writes what sort() returns to an array of x's type and shape, which may be x itself. Throws as sort(), and DTypeError or ShapeError
/// for another array; nothing has been written then.
export template <std::same_as<DArray> A, DynamicElements X>
void sort_into(const A& to, const X& x, int axis = -1) {
  dynamic::sort_into(to, x, axis, false);
}
export template <std::same_as<DArray> A, DynamicElements X>
void sort_into(const A& to, const X& x, int axis, DescendingOrder) {
  dynamic::sort_into(to, x, axis, true);
}
export template <std::same_as<DArray> A, DynamicElements X>
void sort_into(const A& to, const X& x, DescendingOrder) {
  dynamic::sort_into(to, x, -1, true);
}

/// Writes what argsort() returns to an array of int64 of x's shape; as sort_into().
export template <std::same_as<DArray> A, DynamicElements X>
void argsort_into(const A& to, const X& x, int axis = -1) {
  dynamic::argsort_into(to, x, axis, false);
}
export template <std::same_as<DArray> A, DynamicElements X>
void argsort_into(const A& to, const X& x, int axis, DescendingOrder) {
  dynamic::argsort_into(to, x, axis, true);
}
export template <std::same_as<DArray> A, DynamicElements X>
void argsort_into(const A& to, const X& x, DescendingOrder) {
  dynamic::argsort_into(to, x, -1, true);
}

}  // namespace tessera
