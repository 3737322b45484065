export module tessera.darray:dcomparing;
import tessera.standard;
import tessera.core;
import tessera.expr;
import :handle;
import :dfunctions;
import :dreductions;

// Whole-array answers about dynamic arrays, and rounding to decimals: each is the function of its name for arrays.
namespace tessera {

namespace dynamic {

export DArray close(const DArray& a, const DArray& b, double relative, double absolute, bool equal_nan);
export bool all_close(const DArray& a, const DArray& b, double relative, double absolute, bool equal_nan);
export bool all_equal(const DArray& a, const DArray& b);
export DArray rounded(const DArray& x, int decimals);

}  // namespace dynamic

/// |a - b| <= absolute + relative * |b|, element by element; infinities must be equal, NaN is close to nothing, or to NaN if `equal_nan`. Throws
/// ShapeError, DTypeError.
export template <DynamicOperand A, DynamicOperand B>
DArray isclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8, bool equal_nan = false) {
  return dynamic::close(a, b, relative, absolute, equal_nan);
}

/// Same shape and isclose() for all elements. Throws DTypeError.
export template <DynamicOperand A, DynamicOperand B>
bool allclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8, bool equal_nan = false) {
  return dynamic::all_close(a, b, relative, absolute, equal_nan);
}

/// Same shape and all elements equal; NaN equals nothing. Throws DTypeError for types without a common one.
export template <DynamicOperand A, DynamicOperand B>
bool array_equal(const A& a, const B& b) {
  return dynamic::all_equal(a, b);
}

/// To `decimals` digits behind the point, of tens, hundreds, ... if they are negative; ties to even multiples. Throws DTypeError for bool.
export template <DynamicOperand X>
DArray round(const X& x, int decimals) {
  return dynamic::rounded(x, decimals);
}

}  // namespace tessera
