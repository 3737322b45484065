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

/// Calls work(result rows, rows) with static arrays of the running sums' and the elements' types.
template <class Work>
DArray scanned(const char* operation, const DArray& x, std::optional<int> named, const Work& work) {
  if (!named && x.rank() > 1) {
    throw ShapeError(to_string(Failure{.operation = operation,
                                       .problem = "the array has the shape " + to_string(x.shape()),
                                       .advice = "name the one axis to scan along, as in cumulative_sum(x, 0)"}));
  }
  const int axis = named.value_or(0);
  const DArray rows = with_axis_last(x, axis, operation);
  return with_element(x.dtype(), [&]<class T>() -> DArray {
    using Sum = decltype(tessera::cumulative_sum(std::declval<const Array<T, 1>&>()))::value_type;
    const DArray result(x.shape(), dtype_of<Sum>, x.place());
    const DArray to = with_axis_last(result, axis, operation);
    work(rows_of<Sum>(to), rows_of<T>(rows));
    return result;
  });
}

}  // namespace

DArray cumulative_sum(const DArray& x, std::optional<int> axis) {
  return scanned("cumulative_sum", x, axis,
                 [](const auto& to, const auto& rows) { cumulative_sum_into<-1>(to, rows, std::source_location{}); });
}

DArray cumulative_prod(const DArray& x, std::optional<int> axis) {
  return scanned("cumulative_prod", x, axis,
                 [](const auto& to, const auto& rows) { cumulative_prod_into<-1>(to, rows, std::source_location{}); });
}

}  // namespace tessera::dynamic
