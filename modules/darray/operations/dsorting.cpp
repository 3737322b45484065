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

/// Positions in the order of real parts, then of imaginary ones.
DArray complex_order(const DArray& x, int axis, bool descends) {
  const DArray by_imaginary = argsorted(DArray(imag(x)), axis, descends);
  const DArray by_real = argsorted(taken_along(DArray(real(x)), by_imaginary, axis), axis, descends);
  return taken_along(by_imaginary, by_real, axis);
}

bool is_complex(const DArray& x) { return kind(x.dtype()) == Kind::complex; }

/// Calls work(result rows, rows) with static arrays of the elements' type.
template <class Work>
void ordered(const char* operation, const DArray& result, const DArray& x, int axis, const Work& work) {
  const DArray rows = with_axis_last(x, axis, operation), to = with_axis_last(result, axis, operation);
  with_element(x.dtype(), [&]<class T>() {
    if constexpr (Complex<T>) {
      throw_dtype(operation, dtype_of<T>, "elements that have an order");  // theirs is complex_order()
    } else {
      work(to, rows_of<T>(rows));
    }
  });
}

}  // namespace

void sort_into(const DArray& to, const DArray& x, int axis, bool descends) {
  require_result("sort_into", to, x.dtype(), x.shape());
  if (is_complex(x)) return to.write(taken_along(x, complex_order(x, axis, descends), axis));
  ordered("sort", to, x, axis, [&]<class T>(const DArray& rows, const Array<T, max_rank>& from) {
    descends ? tessera::sort_into(rows_of<T>(rows), from, descending, {})
             : tessera::sort_into(rows_of<T>(rows), from, std::source_location{});
  });
}

void argsort_into(const DArray& to, const DArray& x, int axis, bool descends) {
  require_result("argsort_into", to, DType::int64, x.shape());
  if (is_complex(x)) return to.write(complex_order(x, axis, descends));
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
