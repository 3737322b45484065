module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:scan;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :device_kernels;
import :device_work;
import :scanning;

// Running sums and products along an axis, named as in the array API.
namespace tessera {

/// A function, because clang 22 takes `sizeof...` of a concept's own pack for satisfied.
template <int Rank, int... Axis>
constexpr bool names_one_axis() {
  return sizeof...(Axis) == 1 || (sizeof...(Axis) == 0 && Rank == 1);
}

/// An operand that can be scanned along one axis, which a vector need not name.
export template <class O, int... Axis>
concept ScannableOperand =
    rows::KnownOperand<O> && (rank_of<O> >= 1 || unsatisfied<"a scalar has no axis to scan along">) &&
    (names_one_axis<rank_of<O>, Axis...>() ||
     unsatisfied<"name the one axis to scan along, as in cumulative_sum<0>(x)">) &&
    (rows::AxisOf<rank_of<O>, Axis> && ...);

/// The type of running sums of elements of type T: of integers and bool 64 bits, as of sum().
template <class T>
using scanned_t = value_of<decltype(sum(std::declval<const Array<T, 1>&>()))>;

template <int... Axis, class A, class B>
void scan_rows(scanning::Operation operation, const char* name, const A& to, const B& from,
               const std::source_location& where) {
  constexpr int axis = (rows::axis_of<B::rank, Axis> + ... + 0);
  rows::require_same_place(to.place(), from.place(), name, where);
  rows::require_result(to, from.shape().extents(), name, where);
  if constexpr (!std::same_as<typename A::place_type, CpuPlace>) {
    if (!Place(to.place()).on_host()) {
      const bool is_product = operation == scanning::Operation::product;
      return device_work::on_rows<axis>(
          to, from, name,
          [is_product](const void* read, void* written, std::int64_t count, std::int64_t length, const auto& target) {
            device_kernels::scan({dtype_of<value_of<B>>, is_product, count, length, read, written}, target);
          });
    }
  }
  from.wait(schedule::Purpose::read);
  to.wait(schedule::Purpose::change);
  if (rows::shares_memory(to, from)) {
    return scan_rows<Axis...>(operation, name, to, rows::copy_of(from), where);
  }
  scanning::scan_rows({.dtype = dtype_of<value_of<B>>,
                       .shape = to.shape().extents(),
                       .axis = axis,
                       .from = rows::memory_of(from),
                       .to = rows::memory_of(to)},
                      operation);
}

template <int... Axis, class O>
auto scanned(scanning::Operation operation, const char* name, const O& x, const std::source_location& where) {
  const auto values = rows::elements_of(x);
  Array<scanned_t<value_of<O>>, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  scan_rows<Axis...>(operation, name, result, values, where);
  return result;
}

/// Sums of the elements up to each one along an axis, in a new array: element i is x[0] + ... + x[i]. A vector need not name the axis.
/// Integers and bool are summed in 64 bits, modulo 2^64. float16, bfloat16 and float are accumulated in double, double with the sum of
/// its rounding errors: results do not depend on the number of threads. On a GPU the work is enqueued.
/// Throws OutOfMemory, and DeviceError for elements on a GPU without the library of CUDA kernels.
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...>
auto cumulative_sum(const O& x, std::source_location where = std::source_location::current()) {
  return scanned<Axis...>(scanning::Operation::sum, "cumulative_sum", x, where);
}

/// Products of the elements up to each one along an axis; as cumulative_sum().
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...>
auto cumulative_prod(const O& x, std::source_location where = std::source_location::current()) {
  return scanned<Axis...>(scanning::Operation::product, "cumulative_prod", x, where);
}

/// Writes what cumulative_sum() returns to `result`, which may be x itself or overlap it. Throws ShapeError for another shape,
/// PlaceError for another place, and as cumulative_sum(); nothing has been written then.
export template <int... Axis, class A, class O>
  requires ScannableOperand<O, Axis...> && ResultElements<A, scanned_t<value_of<O>>, rank_of<O>>
void cumulative_sum_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  scan_rows<Axis...>(scanning::Operation::sum, "cumulative_sum_into", result, rows::elements_of(x), where);
}

/// Writes what cumulative_prod() returns to `result`; as cumulative_sum_into().
export template <int... Axis, class A, class O>
  requires ScannableOperand<O, Axis...> && ResultElements<A, scanned_t<value_of<O>>, rank_of<O>>
void cumulative_prod_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  scan_rows<Axis...>(scanning::Operation::product, "cumulative_prod_into", result, rows::elements_of(x), where);
}

template <class O>
auto scanned_along(scanning::Operation operation, const char* name, const O& x, std::ptrdiff_t axis,
                   const std::source_location& where) {
  const int at = storage::checked_axis(axis, rank_of<O>, name);
  const auto values = rows::elements_of(x);
  Array<scanned_t<value_of<O>>, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  scan_rows<-1>(operation, name, moveaxis(result, at, -1), moveaxis(values, at, -1), where);
  return result;
}

/// Along an axis that is known at run time; negative ones count from the end. Throws IndexError out of range, and as above.
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && (!std::same_as<I, bool>)
auto cumulative_sum(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return scanned_along(scanning::Operation::sum, "cumulative_sum", x, Position(axis).value, where);
}
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && (!std::same_as<I, bool>)
auto cumulative_prod(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return scanned_along(scanning::Operation::product, "cumulative_prod", x, Position(axis).value, where);
}

}  // namespace tessera
