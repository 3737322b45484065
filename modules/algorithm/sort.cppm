module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:sort;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :sorting;

// Sorting along an axis, by value or into positions. Every layout is read as it is.
namespace tessera {

struct Descending {};
/// Largest elements first.
export inline constexpr Descending descending{};

/// An operand that can be sorted along an axis.
export template <class O, int Axis>
concept SortableOperand =
    rows::KnownOperand<O> && OrderedOperand<O> &&
    (rank_of<O> >= 1 || unsatisfied<"a scalar has no axis to sort along">) && rows::AxisOf<rank_of<O>, Axis>;

using RowsFunction = void (*)(const rows::Call& call, bool descending);

template <int Axis, class A, class B>
void order_rows(RowsFunction function, const char* name, const A& to, const B& from, bool descending,
                const std::source_location& where) {
  rows::require_host_algorithm(to.place(), name, where);
  rows::require_host_algorithm(from.place(), name, where);
  rows::require_shape(to.shape().extents(), from.shape().extents(), name, where);
  to.settle(Purpose::change);
  if (rows::shares_memory(to, from)) {
    const Array<value_of<B>, B::rank, typename B::place_type> copied(copy(from));
    return order_rows<Axis>(function, name, to, copied, descending, where);
  }
  function({.dtype = dtype_of<value_of<B>>,
            .shape = to.shape().extents(),
            .axis = rows::axis_of<B::rank, Axis>,
            .from = rows::memory_of(from),
            .to = rows::memory_of(to)},
           descending);
}

template <int Axis, class O>
auto sorted(const O& x, bool descending, const std::source_location& where) {
  using Result = Array<value_of<O>, rank_of<O>, rows::result_place<O>>;
  const auto values = rows::elements_of(x);
  if constexpr (Expression<O>) {
    order_rows<Axis>(sorting::sort_rows, "sort", values, values, descending, where);
    return Result(values);
  } else {
    rows::require_host_algorithm(values.place(), "sort", where);
    const Result result(values.shape(), values.place());
    order_rows<Axis>(sorting::sort_rows, "sort", result, values, descending, where);
    return result;
  }
}

template <int Axis, class O>
auto argsorted(const O& x, bool descending, const std::source_location& where) {
  const auto values = rows::elements_of(x);
  rows::require_host_algorithm(values.place(), "argsort", where);
  const Array<std::int64_t, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  order_rows<Axis>(sorting::argsort_rows, "argsort", result, values, descending, where);
  return result;
}

/// The elements in ascending order along an axis, the last by default, in a new array. NaN come last, as in NumPy, and -0 before 0.
/// O(n) per row. Throws DeviceError for elements on a GPU, OutOfMemory.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto sort(const O& x, std::source_location where = std::source_location::current()) {
  return sorted<Axis>(x, false, where);
}
/// In descending order; NaN come last too.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto sort(const O& x, Descending, std::source_location where = std::source_location::current()) {
  return sorted<Axis>(x, true, where);
}

/// Writes what sort() returns to `result`, which may be x itself or overlap it. Throws ShapeError for another shape, DeviceError for
/// elements on a GPU, OutOfMemory; nothing has been written then.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  order_rows<Axis>(sorting::sort_rows, "sort_into", result, rows::elements_of(x), false, where);
}
/// In descending order; NaN come last too.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, Descending, std::source_location where = std::source_location::current()) {
  order_rows<Axis>(sorting::sort_rows, "sort_into", result, rows::elements_of(x), true, where);
}

/// The positions (int64) of an axis's elements, the last axis's by default, in the order in which sort() puts them. Equal elements keep
/// their order, as NaN and zeros of either sign do among each other. Throws DeviceError for elements on a GPU, OutOfMemory.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto argsort(const O& x, std::source_location where = std::source_location::current()) {
  return argsorted<Axis>(x, false, where);
}
/// Of the largest elements first; equal ones keep their order and NaN come last too.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto argsort(const O& x, Descending, std::source_location where = std::source_location::current()) {
  return argsorted<Axis>(x, true, where);
}

/// Writes what argsort() returns to `result`. Throws as sort_into().
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, std::int64_t, rank_of<O>>
void argsort_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  order_rows<Axis>(sorting::argsort_rows, "argsort_into", result, rows::elements_of(x), false, where);
}
/// Of the largest elements first; equal ones keep their order and NaN come last too.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, std::int64_t, rank_of<O>>
void argsort_into(const A& result, const O& x, Descending,
                  std::source_location where = std::source_location::current()) {
  order_rows<Axis>(sorting::argsort_rows, "argsort_into", result, rows::elements_of(x), true, where);
}

}  // namespace tessera
