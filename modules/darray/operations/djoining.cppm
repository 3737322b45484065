module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:djoining;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :dfunctions;
import :daxes;

// Dynamic arrays side by side, and elements moved to other positions: each is the function of its name for arrays, with axes and numbers
// that are known at run time, and gives a new array.
namespace tessera {

namespace dynamic {

/// Writes elements to a part of a new array. On a GPU they are copied, which takes elements of one type.
void copy_to(const DArray& to, const DArray& from);
export DArray joined(std::span<const DArray> parts, int axis, bool stacks);
export DArray rolled(const DArray& x, std::span<const std::ptrdiff_t> shifts, const DAxes& axes);
export DArray padded(const DArray& x, std::span<const PadWidth> widths, const ScalarOperand& value);
export DArray padded(const DArray& x, std::span<const PadWidth> widths, PadMode mode);
export DArray tiled(const DArray& x, std::span<const std::ptrdiff_t> times);
export DArray repeated(const DArray& x, std::ptrdiff_t times, int axis);

/// The same width on both sides of every axis.
export inline std::vector<PadWidth> widths_of(const DArray& x, std::ptrdiff_t width) {
  return std::vector<PadWidth>(static_cast<std::size_t>(x.rank()), PadWidth{width, width});
}

}  // namespace dynamic

/// The arrays one after the other along an axis that they have; all other extents are equal. Elements take the promoted type:
/// concat({x, y}, 0), concat(vector, -1). Throws ShapeError with the first part that does not fit, DTypeError, IndexError, PlaceError.
export inline DArray concat(std::initializer_list<DArray> arrays, int axis = 0) {
  return dynamic::joined({arrays.begin(), arrays.size()}, axis, false);
}
export inline DArray concat(std::span<const DArray> arrays, int axis = 0) {
  return dynamic::joined(arrays, axis, false);
}

/// The arrays, all of one shape, along a new axis, which is axis `axis` of the result. Otherwise as concat.
export inline DArray stack(std::initializer_list<DArray> arrays, int axis = 0) {
  return dynamic::joined({arrays.begin(), arrays.size()}, axis, true);
}
export inline DArray stack(std::span<const DArray> arrays, int axis = 0) { return dynamic::joined(arrays, axis, true); }

/// The elements moved by `shift` positions along an axis, or by shifts[k] along axes[k]; those that leave at one end come in at the
/// other. Throws IndexError.
export template <DynamicOperand X>
DArray roll(const X& x, std::ptrdiff_t shift, int axis) {
  return dynamic::rolled(x, {&shift, 1}, axis);
}
export template <DynamicOperand X>
DArray roll(const X& x, std::initializer_list<std::ptrdiff_t> shifts, const DAxes& axes) {
  return dynamic::rolled(x, {shifts.begin(), shifts.size()}, axes);
}

/// All elements moved by `shift` positions in row-major order, as where NumPy's function is given no axis.
export template <DynamicOperand X>
DArray roll(const X& x, std::ptrdiff_t shift) {
  const DArray array = x;
  return dynamic::rolled(array.flatten(), {&shift, 1}, 0).reshape(array.shape());
}

/// The array within a frame of a value: pad(x, {{1, 1}, {0, 2}}, 0), pad(x, 1, 0). Throws ShapeError for negative widths or another
/// number of them than axes, DTypeError if the value does not take the array's type.
export template <DynamicOperand X, DScalar S>
DArray pad(const X& x, std::initializer_list<PadWidth> widths, const S& value) {
  return dynamic::padded(x, {widths.begin(), widths.size()}, scalar_operand(value));
}
export template <DynamicOperand X, DScalar S>
DArray pad(const X& x, std::span<const PadWidth> widths, const S& value) {
  return dynamic::padded(x, widths, scalar_operand(value));
}
export template <DynamicOperand X, DScalar S>
DArray pad(const X& x, std::ptrdiff_t width, const S& value) {
  const DArray& array = x;
  return dynamic::padded(array, dynamic::widths_of(array, width), scalar_operand(value));
}

/// The array continued by elements of its own. Throws ShapeError as above, and where an axis without elements is padded.
export template <DynamicOperand X>
DArray pad(const X& x, std::initializer_list<PadWidth> widths, PadMode mode) {
  return dynamic::padded(x, {widths.begin(), widths.size()}, mode);
}
export template <DynamicOperand X>
DArray pad(const X& x, std::span<const PadWidth> widths, PadMode mode) {
  return dynamic::padded(x, widths, mode);
}
export template <DynamicOperand X>
DArray pad(const X& x, std::ptrdiff_t width, PadMode mode) {
  const DArray& array = x;
  return dynamic::padded(array, dynamic::widths_of(array, width), mode);
}

/// The array side by side with itself, times[i] times along axis i. Throws ShapeError for a negative number of times, or another number
/// of them than axes.
export template <DynamicOperand X>
DArray tile(const X& x, std::initializer_list<std::ptrdiff_t> times) {
  return dynamic::tiled(x, {times.begin(), times.size()});
}
export template <DynamicOperand X>
DArray tile(const X& x, std::span<const std::ptrdiff_t> times) {
  return dynamic::tiled(x, times);
}

/// Each element `times` times along an axis: 1 1 2 2 3 3. Throws IndexError, and ShapeError for a negative number of times.
export template <DynamicOperand X>
DArray repeat(const X& x, std::ptrdiff_t times, int axis) {
  return dynamic::repeated(x, times, axis);
}

}  // namespace tessera
