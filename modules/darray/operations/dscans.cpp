module;
#include <optional>
#include <source_location>
#include <string>
#include <utility>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Running sums, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// The axis that a scan goes along. Throws ShapeError if several could be meant.
int scanned_axis(const char* operation, const DArray& x, std::optional<int> named) {
  if (named || x.rank() <= 1) return named.value_or(0);
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "the array has the shape " + to_string(x.shape()),
                                     .advice = "name the one axis to scan along: 0 is the first, -1 the last"}));
}

template <Element T>
using Scanned = typename decltype(tessera::cumulative_sum(std::declval<const Array<T, 1>&>()))::value_type;

/// Calls work(result rows, rows) with static arrays of the running sums' and the elements' types.
template <class Work>
void scanned(const char* operation, const DArray& to, const DArray& x, std::optional<int> named, const Work& work) {
  const int axis = scanned_axis(operation, x, named);
  const DArray rows = with_axis_last(x, axis, operation);
  with_element(x.dtype(), [&]<class T>() {
    require_result(std::string(operation) + "_into", to, dtype_of<Scanned<T>>, x.shape());
    work(rows_of<Scanned<T>>(with_axis_last(to, axis, operation)), rows_of<T>(rows));
  });
}

DArray new_result(const DArray& x) {
  return with_element(x.dtype(), [&]<class T>() { return DArray(x.shape(), dtype_of<Scanned<T>>, x.place()); });
}

}  // namespace

void cumulative_sum_into(const DArray& to, const DArray& x, std::optional<int> axis) {
  scanned("cumulative_sum", to, x, axis, [](const auto& rows, const auto& from) {
    tessera::cumulative_sum_into<-1>(rows, from, std::source_location{});
  });
}

void cumulative_prod_into(const DArray& to, const DArray& x, std::optional<int> axis) {
  scanned("cumulative_prod", to, x, axis, [](const auto& rows, const auto& from) {
    tessera::cumulative_prod_into<-1>(rows, from, std::source_location{});
  });
}

DArray cumulative_sum(const DArray& x, std::optional<int> axis) {
  const DArray result = new_result(x);
  cumulative_sum_into(result, x, axis);
  return result;
}

DArray cumulative_prod(const DArray& x, std::optional<int> axis) {
  const DArray result = new_result(x);
  cumulative_prod_into(result, x, axis);
  return result;
}

}  // namespace tessera::dynamic
