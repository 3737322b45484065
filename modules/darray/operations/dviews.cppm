module;
#include <cstddef>
export module tessera.darray:dviews;
import tessera.standard;
import tessera.core;
import :handle;
import :dfunctions;
import :daxes;
import :dlayout;

// Views of dynamic arrays with other axes: each is the function of its name for arrays, with axes that are known at run time. They share
// the storage and copy nothing; of an expression they are views of its values.
namespace tessera {

namespace dynamic {

export DArray all_flipped(const DArray& x);
export DArray flipped(const DArray& x, const DAxes& axes);
export DArray moved(const DArray& x, const DAxes& source, const DAxes& destination);
export DArray swapped(const DArray& x, int first, int second);
export DArray matrices_transposed(const DArray& x);
export DArray squeezed(const DArray& x);

}  // namespace dynamic

/// The elements in reverse order along all axes, or along those named, sharing the storage. Throws IndexError.
export template <DynamicOperand X>
DArray flip(const X& x) {
  return dynamic::all_flipped(x);
}
export template <DynamicOperand X>
DArray flip(const X& x, const DAxes& axes) {
  return dynamic::flipped(x, axes);
}

/// Axis source[k] becomes axis destination[k] and the others keep their order, sharing the storage: moveaxis(x, {0, 1}, {-1, -2}).
/// Throws IndexError.
export template <DynamicOperand X>
DArray moveaxis(const X& x, const DAxes& source, const DAxes& destination) {
  return dynamic::moved(x, source, destination);
}

/// Two axes in each other's place, sharing the storage. Throws IndexError.
export template <DynamicOperand X>
DArray swapaxes(const X& x, int first, int second) {
  return dynamic::swapped(x, first, second);
}

/// Each matrix of a stack of matrices transposed: the last two axes in each other's place. Throws ShapeError for fewer than two axes.
export template <DynamicOperand X>
DArray matrix_transpose(const X& x) {
  return dynamic::matrices_transposed(x);
}

/// New axes of extent 1 at the named positions of the result, sharing the storage. Throws IndexError, and ShapeError for more than 9
/// axes.
export template <DynamicOperand X>
DArray expand_dims(const X& x, const DAxes& axes) {
  const DArray& array = x;
  return array.with_layout(dynamic::expanded(array.layout(), axes.axes()));
}

/// Without the axes of extent 1, or without those named, sharing the storage. Throws IndexError, and ShapeError if an extent is not 1.
export template <DynamicOperand X>
DArray squeeze(const X& x) {
  return dynamic::squeezed(x);
}
export template <DynamicOperand X>
DArray squeeze(const X& x, const DAxes& axes) {
  const DArray& array = x;
  return array.with_layout(dynamic::squeezed(array.layout(), axes.axes()));
}

/// All windows of the given extents along the named axes, sharing the storage: position (i, ..., k) of the result is element i + k of
/// the windowed axis; the windows' own axes come last. Windows overlap: read from them only. Throws IndexError, and ShapeError for a
/// window below 1 or above its axis, or more than 9 axes.
export template <DynamicOperand X>
DArray sliding_window(const X& x, const DDim& window, const DAxes& axes) {
  const DArray& array = x;
  return array.with_layout(dynamic::windowed(array.layout(), axes.axes(), window.extents()));
}

}  // namespace tessera
