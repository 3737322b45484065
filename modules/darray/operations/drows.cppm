export module tessera.darray:drows;
import tessera.standard;
import tessera.core;
import tessera.array;
import :alternative;
import :handle;
import :dlayout;
import :visit;

// The rows of dynamic arrays along an axis, for algorithms on static arrays that are compiled for one rank.
namespace tessera::dynamic {

/// The array with that axis last and leading axes of extent 1. Throws IndexError.
inline DArray with_axis_last(const DArray& x, int axis, const char* operation) {
  const int last = -1;
  return with_all_axes(x.with_layout(moved(x.layout(), {&axis, 1}, {&last, 1}, operation)));
}

/// The static array of the highest rank that it holds.
template <Element T>
const Array<T, max_rank>& rows_of(const DArray& array) {
  return held<Array<T, max_rank>>(array.room());
}

/// The elements as a static array of the type and rank that they have, also where they are only read.
template <Element T, int Rank>
Array<T, Rank> elements_of(const DArray& array) {
  if (array.is_read_only()) return held<Array<const T, Rank>>(array.room()).as_operand();
  return held<Array<T, Rank>>(array.room());
}

/// A result of the highest rank, whose last axis is what became of axis `at` of x and whose others are x's, with x's rank and that axis in its place.
DArray as_shaped(const DArray& rows, const DArray& x, int at);

/// Throws unless an array takes the results of an operation: DTypeError for other elements or such that are only read, ShapeError for
/// another shape.
inline void require_result(const std::string& operation, const DArray& to, DType dtype, const DDim& shape) {
  to.require_writable(operation.c_str());
  if (to.dtype() != dtype) {
    throw DTypeError(to_string(Failure{.operation = operation,
                                       .problem = "the results are " + std::string(name(dtype)) +
                                                  ", the array that takes them has " + std::string(name(to.dtype())),
                                       .advice = "make it for them, as in zeros(dtype, shape)"}));
  }
  if (to.shape() != shape) {
    throw ShapeError(to_string(Failure{.operation = operation,
                                       .problem = "the results have the shape " + to_string(shape) +
                                                  ", the array that takes them has " + to_string(to.shape()),
                                       .advice = "make it for them, as in zeros(dtype, shape)"}));
  }
}

/// Throws DTypeError for a dtype that the operation does not take.
[[noreturn]] inline void throw_dtype(const char* operation, DType dtype, const char* takes) {
  throw DTypeError(to_string(Failure{.operation = operation,
                                     .problem = "the elements are " + std::string(name(dtype)) + ", it takes " + takes,
                                     .advice = "convert them: x.cast(dtype)"}));
}

}  // namespace tessera::dynamic
