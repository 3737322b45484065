export module tessera.darray:dselect;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :dfunctions;

// Picking elements of dynamic arrays: each is the function of its name for arrays.
namespace tessera {

namespace dynamic {

export DArray taken(const DArray& x, const DArray& indices, int axis);
export DArray compressed(const DArray& mask, const DArray& x);
export void take_into(const DArray& to, const DArray& x, const DArray& indices, int axis);
export void compress_into(const DArray& to, const DArray& mask, const DArray& x);
export DArray repeated_by(const DArray& x, const DArray& counts, int axis, const std::source_location& where);

}  // namespace dynamic

/// What has elements in memory or can be computed: dynamic operands, arrays, views, expressions.
template <class X>
concept DynamicElements = DynamicOperand<X> || ((Elements<X> || ExpressionNode<X>) && !DScalar<X>);

/// A new array whose slice i along an axis is slice indices[i] of `x`; negative indices count from the end. Throws IndexError for an
/// index out of range, DTypeError for indices that are no integers, ShapeError if they are no vector.
export template <DynamicElements X, DynamicElements I>
  requires DynamicOperands<X, I>
DArray take(const X& x, const I& indices, int axis = 0) {
  return dynamic::taken(x, indices, axis);
}

/// The elements of x where `mask`, of bool and of x's shape, is true, in row-major order. Throws DTypeError, ShapeError, PlaceError.
export template <DynamicElements M, DynamicElements X>
  requires DynamicOperands<M, X>
DArray compress(const M& mask, const X& x) {
  return dynamic::compressed(mask, x);
}

/// Writes what take() returns to an array of its type and shape, which may overlap x. Throws as take(), and DTypeError or ShapeError for
/// another array; nothing has been written then.
export template <std::same_as<DArray> A, DynamicElements X, DynamicElements I>
void take_into(const A& to, const X& x, const I& indices, int axis = 0) {
  dynamic::take_into(to, x, indices, axis);
}

/// Writes what compress() returns to a vector of its type and length; as take_into().
export template <std::same_as<DArray> A, DynamicElements M, DynamicElements X>
void compress_into(const A& to, const M& mask, const X& x) {
  dynamic::compress_into(to, mask, x);
}

/// A new array with element i along an axis counts[i] times, one after the other. Throws as the function for arrays, IndexError for an axis that
/// is not there, DTypeError for counts that are no integers.
export template <DynamicOperand X, class C>
  requires DynamicOperands<X, C> && (!DScalar<C>)
DArray repeat(const X& x, const C& counts, int axis, std::source_location where = std::source_location::current()) {
  return dynamic::repeated_by(x, counts, axis, where);
}

}  // namespace tessera
