module;
#include <cstddef>
export module tessera.darray:dcontractions;
import tessera.standard;
import tessera.core;
import tessera.expr;
import :handle;
import :dfunctions;

// Sums of products of dynamic arrays over axes that a string names, and products with names of their own.
namespace tessera {

/// The sum of the products of the arrays' elements whose axes a string names, as einsum<"..."> of arrays: einsum("ij,jk->ik", {a, b}). Several arrays are contracted in the
/// order that takes the fewest multiplications; on the host. Throws ShapeError for a string that does not fit, with the character that is wrong, and for extents that differ; DTypeError for bool and for types
/// without a common one, PlaceError, OutOfMemory.
export DArray einsum(std::string_view subscripts, std::initializer_list<DArray> arrays,
                     std::source_location where = std::source_location::current());
export DArray einsum(std::string_view subscripts, std::span<const DArray> arrays,
                     std::source_location where = std::source_location::current());

namespace dynamic {

export DArray tensordot(const DArray& a, const DArray& b, int count, const std::source_location& where);
export DArray inner(const DArray& a, const DArray& b, const std::source_location& where);
export DArray kron(const DArray& a, const DArray& b, const std::source_location& where);
export DArray cross(const DArray& a, const DArray& b, const std::source_location& where);
export DArray matrix_power(const DArray& a, std::ptrdiff_t power, const std::source_location& where);

}  // namespace dynamic

/// Sums of products over the last `count` axes of a and the first ones of b. Throws as einsum(), IndexError for more axes than there are.
export template <class A, class B>
  requires DynamicOperands<A, B>
DArray tensordot(const A& a, const B& b, int count = 2, std::source_location where = std::source_location::current()) {
  return dynamic::tensordot(a, b, count, where);
}

/// Sums of products over the last axis of both. Throws as einsum(), ShapeError for rank 0.
export template <class A, class B>
  requires DynamicOperands<A, B>
DArray inner(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  return dynamic::inner(a, b, where);
}

/// The Kronecker product of matrices. Throws ShapeError unless both are.
export template <class A, class B>
  requires DynamicOperands<A, B>
DArray kron(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  return dynamic::kron(a, b, where);
}

/// The vectors that are orthogonal to those of three elements along the last axes, which broadcast. Throws ShapeError for last axes of other extents.
export template <class A, class B>
  requires DynamicOperands<A, B>
DArray cross(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  return dynamic::cross(a, b, where);
}

/// A square matrix multiplied with itself, `power` factors of it. Throws ShapeError for a matrix that is not square and for a negative power.
export template <DynamicOperand A>
DArray matrix_power(const A& a, std::ptrdiff_t power, std::source_location where = std::source_location::current()) {
  return dynamic::matrix_power(a, power, where);
}

}  // namespace tessera
