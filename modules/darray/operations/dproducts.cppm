export module tessera.darray:dproducts;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :dfunctions;
import :dreductions;
import :dselect;
import :dviews;

// Matrix products of dynamic operands: each is the function of its name for arrays. Factors that are expressions are computed first.
namespace tessera {

namespace dynamic {

export DArray dot(const DArray& a, const DArray& b);
export DArray matmul(const DArray& a, const DArray& b);
/// Throws ShapeError unless the extents along the axis, which counts from the end, are equal.
export void check_vectors(const DArray& a, const DArray& b, int axis);
export void check_outer(const DArray& a, const DArray& b);

}  // namespace dynamic

/// Matrix product; with a vector, its product with the matrix; of two vectors, their inner product. Factors of two types are converted to
/// the promoted one; integers wrap. Throws ShapeError for other ranks or inner extents that differ, DTypeError for bool or types without a
/// common one, PlaceError.
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray dot(const A& a, const B& b) {
  return dynamic::dot(a, b);
}

/// Products of the matrices at the last two axes, where all other axes broadcast; a vector is a row on the left and a column on the right.
/// Throws as dot().
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray matmul(const A& a, const B& b) {
  return dynamic::matmul(a, b);
}

/// Inner products of the vectors along an axis, which counts from the end; the others broadcast. Complex elements of a are conjugated.
/// Throws ShapeError, IndexError, DTypeError.
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DExpression vecdot(const A& a, const B& b, int axis = -1) {
  const DArray& left = a;
  const DArray& right = b;
  dynamic::check_vectors(left, right, axis);
  return dynamic::cast(sum(conj(left) * right, axis), promote(left.dtype(), right.dtype()));
}

/// All products of an element of a vector and one of another: row i is a[i] * b. Throws ShapeError for other ranks, DTypeError.
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DExpression outer(const A& a, const B& b) {
  const DArray& left = a;
  const DArray& right = b;
  dynamic::check_outer(left, right);
  return expand_dims(left, 1) * right;
}

}  // namespace tessera
