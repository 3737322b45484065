module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:dpositions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :daxes;

// Positions, diagonals and triangles of dynamic arrays, and picking along an axis: each is the function of its name for arrays.
namespace tessera {

namespace dynamic {

export DArray flat_positions(const DArray& x);
export std::vector<DArray> positions(const DArray& x);
export std::vector<DArray> unravelled(const DArray& positions, const DDim& shape);
export DArray diagonal(const DArray& x, std::ptrdiff_t offset);
export DArray triangle(const DArray& x, std::ptrdiff_t offset, bool is_lower);
export DArray taken_along(const DArray& x, const DArray& indices, int axis);
export void put_along(const DArray& x, const DArray& indices, const DArray& values, int axis);

}  // namespace dynamic

/// Positions in row-major order, counted along all axes as one, of the elements that are true or not 0. Throws ShapeError for rank 0.
export template <DynamicOperand X>
DArray flatnonzero(const X& x) {
  return dynamic::flat_positions(x);
}

/// For each axis the positions along it of the elements that are true or not 0, in row-major order. Throws ShapeError for rank 0.
export template <DynamicOperand X>
std::vector<DArray> nonzero(const X& x) {
  return dynamic::positions(x);
}

/// The positions of the elements that are true or not 0, one in each row. Throws ShapeError for rank 0.
export template <DynamicOperand X>
DArray argwhere(const X& x) {
  return stack(dynamic::positions(x), 1);
}

/// For each axis of `shape` the positions along it of linear positions. Throws IndexError for one outside the shape, DTypeError for positions that are no
/// integers.
export template <DynamicOperand X>
std::vector<DArray> unravel_index(const X& positions, const DDim& shape) {
  return dynamic::unravelled(positions, shape);
}

/// The diagonal of each matrix, `offset` places above the main one, as the last axis of a view. Throws ShapeError for fewer than two axes.
export template <DynamicOperand X>
DArray diagonal(const X& x, std::ptrdiff_t offset = 0) {
  return dynamic::diagonal(x, offset);
}

/// The sum of the diagonal of each matrix. Throws ShapeError for fewer than two axes.
export template <DynamicOperand X>
DArray trace(const X& x, std::ptrdiff_t offset = 0) {
  return sum(dynamic::diagonal(x, offset), -1);
}

/// Matrices without what is above the diagonal `offset` places above the main one: 0 stands there. Throws ShapeError for fewer than two axes.
export template <DynamicOperand X>
DArray tril(const X& x, std::ptrdiff_t offset = 0) {
  return dynamic::triangle(x, offset, true);
}

/// Matrices without what is below the diagonal `offset` places above the main one: 0 stands there. Throws ShapeError for fewer than two axes.
export template <DynamicOperand X>
DArray triu(const X& x, std::ptrdiff_t offset = 0) {
  return dynamic::triangle(x, offset, false);
}

/// For each element of `indices` the element of x whose position along an axis it is and whose other positions are its own. Throws IndexError,
/// ShapeError, DTypeError.
export template <DynamicOperand X, DynamicOperand I>
DArray take_along_axis(const X& x, const I& indices, int axis) {
  return dynamic::taken_along(x, indices, axis);
}

/// Writes values to the elements that take_along_axis() would read; of an element that is named several times the last value stays. Throws as that,
/// and for values that do not broadcast or convert; nothing has been written then.
export template <std::same_as<DArray> X, DynamicOperand I, DynamicOperand V>
void put_along_axis(const X& x, const I& indices, const V& values, int axis) {
  dynamic::put_along(x, indices, values, axis);
}

}  // namespace tessera
