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
void ordered(const char* operation, const DArray& result, const DArray& x, int axis, const Work& work) {
  const DArray rows = with_axis_last(x, axis, operation), to = with_axis_last(result, axis, operation);
  with_element(x.dtype(), [&]<class T>() {
    if constexpr (Complex<T>) {
      throw_dtype(operation, dtype_of<T>, "elements that have an order");
    } else {
      work(to, rows_of<T>(rows));
    }
  });
}

}  // namespace

void sort_into(const DArray& to, const DArray& x, int axis, bool descends) {
  require_result("sort_into", to, x.dtype(), x.shape());
  ordered("sort", to, x, axis, [&]<class T>(const DArray& rows, const Array<T, max_rank>& from) {
    descends ? tessera::sort_into(rows_of<T>(rows), from, descending, {})
             : tessera::sort_into(rows_of<T>(rows), from, std::source_location{});
  });
}

void argsort_into(const DArray& to, const DArray& x, int axis, bool descends) {
  require_result("argsort_into", to, DType::int64, x.shape());
  ordered("argsort", to, x, axis, [&]<class T>(const DArray& rows, const Array<T, max_rank>& from) {
    const auto& positions = rows_of<std::int64_t>(rows);
    descends ? tessera::argsort_into(positions, from, descending, {})
             : tessera::argsort_into(positions, from, std::source_location{});
  });
}

DArray sorted(const DArray& x, int axis, bool descends) {
  const DArray result(x.shape(), x.dtype(), x.place());
  sort_into(result, x, axis, descends);
  return result;
}

DArray argsorted(const DArray& x, int axis, bool descends) {
  const DArray result(x.shape(), DType::int64, x.place());
  argsort_into(result, x, axis, descends);
  return result;
}

}  // namespace tessera::dynamic
