module;
#include <cstddef>
export module tessera.darray:dsearch;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.algorithm;
import :handle;
import :dfunctions;
import :drows;
import :dselect;

// Searching and sets of dynamic arrays: each is the function of its name for arrays, on the host only.
namespace tessera {

/// The different elements of a dynamic array: which they are, where each is first, which of them each element is, and how often each is there.
export struct DUnique {
  DArray values, indices, inverse, counts;
};

namespace dynamic {

/// The elements in row-major order as Ts.
template <Element T>
Array<T, 1> vector_of(const DArray& x) {
  return elements_of<T, 1>((x.dtype() == dtype_of<T> ? x : x.cast(dtype_of<T>)).flatten());
}

/// Calls body with the element type of a dtype. Throws DTypeError for complex numbers.
template <class Body>
decltype(auto) with_ordered(const char* operation, DType dtype, const Body& body) {
  return core::with_element(dtype, [&]<class T>() -> decltype(body.template operator()<double>()) {
    if constexpr (Complex<T>) {
      throw_dtype(operation, dtype_of<T>, "elements that have an order");
    } else {
      return body.template operator()<T>();
    }
  });
}

/// Throws ShapeError for other ranks.
export void require_vector(const DArray& x, const char* operation, const char* name);

export enum class SetOperation { intersection, united, difference, either };
export DArray searched(const DArray& sorted, const DArray& values, SearchSide side);
export DArray digitized(const DArray& x, const DArray& edges, SearchSide closed);
export DArray members(const DArray& x, const DArray& among);
export DArray distinct(const DArray& x);
export DUnique distinct_all(const DArray& x);
export DUnique distinct_slices(const DArray& x, int axis);
export DArray combined(SetOperation operation, const DArray& a, const DArray& b);

}  // namespace dynamic

/// Before which element (int64) of a vector in ascending order each value goes, as the function for arrays. Throws DTypeError for complex
/// elements or types without a common one, ShapeError unless `sorted` is a vector, PlaceError.
export template <DynamicElements S, DynamicElements V>
  requires DynamicOperands<S, V>
DArray searchsorted(const S& sorted, const V& values, SearchSide side = SearchSide::left) {
  return dynamic::searched(sorted, values, side);
}

/// Number (int64) of the bin that each value is in, as the function for arrays. Throws as searchsorted(), and std::invalid_argument for edges
/// without order.
export template <DynamicElements X, DynamicElements E>
  requires DynamicOperands<X, E>
DArray digitize(const X& x, const E& edges, SearchSide closed = SearchSide::left) {
  return dynamic::digitized(x, edges, closed);
}

/// Whether each element of x equals one of `among`. Throws DTypeError, PlaceError.
export template <DynamicElements X, DynamicElements A>
  requires DynamicOperands<X, A>
DArray isin(const X& x, const A& among) {
  return dynamic::members(x, among);
}

/// The different elements in ascending order as a vector. Throws DTypeError for complex elements, PlaceError.
export template <DynamicOperand X>
DArray unique(const X& x) {
  return dynamic::distinct(x);
}
/// The different slices along an axis, in lexicographic order of their elements; `inverse` is a vector. Throws also IndexError.
export template <DynamicOperand X>
DUnique unique(const X& x, int axis) {
  return dynamic::distinct_slices(x, axis);
}
/// All that is known of the different elements; `inverse` has x's shape. Throws as unique().
export template <DynamicOperand X>
DUnique unique_all(const X& x) {
  return dynamic::distinct_all(x);
}

/// The elements that both have, each once, in ascending order. Throws DTypeError, PlaceError.
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray intersect1d(const A& a, const B& b) {
  return dynamic::combined(dynamic::SetOperation::intersection, a, b);
}
/// The elements that one of them has or both; as intersect1d().
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray union1d(const A& a, const B& b) {
  return dynamic::combined(dynamic::SetOperation::united, a, b);
}
/// The elements of a that b has not; as intersect1d().
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray setdiff1d(const A& a, const B& b) {
  return dynamic::combined(dynamic::SetOperation::difference, a, b);
}
/// The elements that one of them has and the other has not; as intersect1d().
export template <DynamicElements A, DynamicElements B>
  requires DynamicOperands<A, B>
DArray setxor1d(const A& a, const B& b) {
  return dynamic::combined(dynamic::SetOperation::either, a, b);
}

}  // namespace tessera
