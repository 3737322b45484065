export module tessera.darray:dsorting;
import tessera.standard;
import tessera.core;
import tessera.algorithm;
import :handle;
import :dfunctions;

// Sorting dynamic arrays: each is the function of its name for arrays, along an axis that is known at run time.
namespace tessera {

namespace dynamic {

export DArray sorted(const DArray& x, int axis, bool descending);
export DArray argsorted(const DArray& x, int axis, bool descending);

}  // namespace dynamic

using DescendingOrder = std::remove_cvref_t<decltype(descending)>;

/// The elements in ascending order along an axis, in a new array. NaN come last and -0 before 0. Throws DTypeError for complex
/// elements, IndexError, and as the function for arrays.
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

}  // namespace tessera
