module;
#include <cstdint>
#include <source_location>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Sorting, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// Calls work(result rows, rows) with static arrays of the elements' type.
template <class Work>
DArray ordered(const char* operation, DType dtype, const DArray& x, int axis, const Work& work) {
  const DArray rows = with_axis_last(x, axis, operation);
  const DArray result(x.shape(), dtype, x.place());
  const DArray to = with_axis_last(result, axis, operation);
  with_element(x.dtype(), [&]<class T>() {
    if constexpr (Complex<T>) {
      throw_dtype(operation, dtype_of<T>, "elements that have an order");
    } else {
      work(to, rows_of<T>(rows));
    }
  });
  return result;
}

}  // namespace

DArray sorted(const DArray& x, int axis, bool descends) {
  return ordered("sort", x.dtype(), x, axis, [&]<class T>(const DArray& to, const Array<T, max_rank>& rows) {
    descends ? sort_into(rows_of<T>(to), rows, descending, {})
             : sort_into(rows_of<T>(to), rows, std::source_location{});
  });
}

DArray argsorted(const DArray& x, int axis, bool descends) {
  return ordered("argsort", DType::int64, x, axis, [&]<class T>(const DArray& to, const Array<T, max_rank>& rows) {
    const auto& positions = rows_of<std::int64_t>(to);
    descends ? argsort_into(positions, rows, descending, {}) : argsort_into(positions, rows, std::source_location{});
  });
}

}  // namespace tessera::dynamic
