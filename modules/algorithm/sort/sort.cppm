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
import :device_kernels;
import :device_work;
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

/// One algorithm on the host and on a GPU.
struct Ordering {
  void (*on_host)(const rows::Call& call, bool descending);
  void (*on_gpu)(const device_kernels::Sort& call, const device_kernels::Target& target);
};
inline constexpr Ordering value_ordering{sorting::sort_rows, device_kernels::sort};
inline constexpr Ordering position_ordering{sorting::argsort_rows, device_kernels::argsort};

template <int Axis, class A, class B>
void order_rows(const Ordering& ordering, const char* name, const A& to, const B& from, bool descending,
                const std::source_location& where) {
  rows::require_same_place(to.place(), from.place(), name, where);
  rows::require_result(to, from.shape().extents(), name, where);
  if constexpr (!std::same_as<typename A::place_type, CpuPlace>) {
    if (!Place(to.place()).on_host()) {
      return device_work::on_rows<rows::axis_of<B::rank, Axis>>(
          to, from, name,
          [on_gpu = ordering.on_gpu, descending](const void* read, void* written, std::int64_t count,
                                                 std::int64_t length, const auto& target) {
            on_gpu({dtype_of<value_of<B>>, descending, count, length, read, written}, target);
          });
    }
  }
  from.wait(schedule::Purpose::read);
  to.wait(schedule::Purpose::change);
  if (rows::shares_memory(to, from)) {
    return order_rows<Axis>(ordering, name, to, rows::copy_of(from), descending, where);
  }
  ordering.on_host({.dtype = dtype_of<value_of<B>>,
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
  if constexpr (ExpressionNode<O>) {
    order_rows<Axis>(value_ordering, "sort", values, values, descending, where);
    return Result(values);
  } else {
    Result result(values.shape(), values.place());
    order_rows<Axis>(value_ordering, "sort", result, values, descending, where);
    return result;
  }
}

template <int Axis, class O>
auto argsorted(const O& x, bool descending, const std::source_location& where) {
  const auto values = rows::elements_of(x);
  Array<std::int64_t, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  order_rows<Axis>(position_ordering, "argsort", result, values, descending, where);
  return result;
}

/// The elements in ascending order along an axis, the last by default, in a new array. NaN come last, as in NumPy, and -0 before 0.
/// O(n) per row. On a GPU the work is enqueued. Throws
/// OutOfMemory, and DeviceError for elements on a GPU without the library of CUDA kernels.
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

/// Writes what sort() returns to `result`, which may be x itself or overlap it. Throws ShapeError for another shape, PlaceError
/// for another place, and as sort(); nothing has been written then.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, std::source_location where = std::source_location::current()) {
  order_rows<Axis>(value_ordering, "sort_into", result, rows::elements_of(x), false, where);
}
/// In descending order; NaN come last too.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, value_of<O>, rank_of<O>>
void sort_into(const A& result, const O& x, Descending, std::source_location where = std::source_location::current()) {
  order_rows<Axis>(value_ordering, "sort_into", result, rows::elements_of(x), true, where);
}

/// The positions (int64) of an axis's elements, the last axis's by default, in the order in which sort() puts them. Equal elements keep
/// their order, as NaN and zeros of either sign do among each other. On a GPU the work is enqueued. Throws
/// OutOfMemory, and DeviceError for elements on a GPU without the library of CUDA kernels.
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
  order_rows<Axis>(position_ordering, "argsort_into", result, rows::elements_of(x), false, where);
}
/// Of the largest elements first; equal ones keep their order and NaN come last too.
export template <int Axis = -1, class A, class O>
  requires SortableOperand<O, Axis> && ResultElements<A, std::int64_t, rank_of<O>>
void argsort_into(const A& result, const O& x, Descending,
                  std::source_location where = std::source_location::current()) {
  order_rows<Axis>(position_ordering, "argsort_into", result, rows::elements_of(x), true, where);
}

/// An axis that is known at run time.
template <class I>
concept RunTimeAxis = std::integral<I> && !std::same_as<I, bool>;

template <class O, class T>
auto ordered_along(const Ordering& ordering, const char* name, const O& x, std::ptrdiff_t axis, bool descending,
                   const std::source_location& where) {
  const int at = storage::checked_axis(axis, rank_of<O>, name);
  const auto values = rows::elements_of(x);
  Array<T, rank_of<O>, rows::result_place<O>> result(values.shape(), values.place());
  order_rows<-1>(ordering, name, moveaxis(result, at, -1), moveaxis(values, at, -1), descending, where);
  return result;
}

/// Along an axis that is known at run time; negative ones count from the end. Throws IndexError out of range, and as above.
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto sort(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return ordered_along<O, value_of<O>>(value_ordering, "sort", x, Position(axis).value, false, where);
}
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto sort(const O& x, I axis, Descending, std::source_location where = std::source_location::current()) {
  return ordered_along<O, value_of<O>>(value_ordering, "sort", x, Position(axis).value, true, where);
}
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto argsort(const O& x, I axis, std::source_location where = std::source_location::current()) {
  return ordered_along<O, std::int64_t>(position_ordering, "argsort", x, Position(axis).value, false, where);
}
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto argsort(const O& x, I axis, Descending, std::source_location where = std::source_location::current()) {
  return ordered_along<O, std::int64_t>(position_ordering, "argsort", x, Position(axis).value, true, where);
}

}  // namespace tessera
