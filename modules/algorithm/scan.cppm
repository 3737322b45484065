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
  rows::require_host_algorithm(to.place(), name, where);
  rows::require_host_algorithm(from.place(), name, where);
  rows::require_shape(to.shape().extents(), from.shape().extents(), name, where);
  to.settle(Purpose::change);
  if (rows::shares_memory(to, from)) {
    const Array<value_of<B>, B::rank, typename B::place_type> copied(copy(from));
    return scan_rows<Axis...>(operation, name, to, copied, where);
  }
  scanning::scan_rows({.dtype = dtype_of<value_of<B>>,
                       .shape = to.shape().extents(),
                       .axis = (rows::axis_of<B::rank, Axis> + ... + 0),
                       .from = rows::memory_of(from),
                       .to = rows::memory_of(to)},
                      operation);
}

template <int... Axis, class O>
auto scanned(scanning::Operation operation, const char* name, const O& x, const std::source_location& where) {
  const auto values = rows::elements_of(x);
  rows::require_host_algorithm(values.place(), name, where);
  const Array<scanned_t<value_of<O>>, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  scan_rows<Axis...>(operation, name, result, values, where);
  return result;
}

/// Sums of the elements up to each one along an axis, in a new array: element i is x[0] + ... + x[i]. A vector need not name the axis.
/// Integers and bool are summed in 64 bits, modulo 2^64. float16, bfloat16 and float are accumulated in double, double with the sum of
/// its rounding errors: results do not depend on the number of threads. Throws DeviceError for elements on a GPU, OutOfMemory.
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
/// DeviceError for elements on a GPU, OutOfMemory; nothing has been written then.
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

}  // namespace tessera
