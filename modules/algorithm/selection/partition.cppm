module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:partition;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :sort;
import :host_elements;
import :selecting;

// Elements in a partial order along an axis: around one rank, or the first few.
namespace tessera {

/// Which elements top_k() takes.
export enum class TopMode { largest, smallest };

/// The first elements in order, and where they are.
export template <class T, int Rank, class P>
struct TopK {
  Array<T, Rank, P> values;
  Array<std::int64_t, Rank, P> indices;
};

/// The rank that is meant, of which negative ones count from the end. Throws IndexError.
std::ptrdiff_t checked_rank(std::ptrdiff_t rank, std::ptrdiff_t extent, int axis, const rows::Argument& argument);
/// Throws IndexError for a number of elements that an axis has not.
void require_count(std::ptrdiff_t count, std::ptrdiff_t extent, int axis, const rows::Argument& argument);

/// The call of a function of rows whose results have the elements' axes.
template <class R, class A>
rows::Call call_of(const R& result, const A& elements, int axis) {
  return {.dtype = dtype_of<value_of<A>>,
          .shape = elements.shape().extents(),
          .axis = axis,
          .from = rows::memory_of(elements),
          .to = rows::memory_of(result)};
}

/// The elements as they are, on the host and complete: any layout will do.
template <class O>
auto elements_on_host(const O& x, const rows::Argument& argument) {
  const auto elements = rows::elements_of(x);
  rows::require_on_host(elements.place(), argument);
  elements.wait(schedule::Purpose::read);
  return elements;
}

template <class T, class O>
auto partitioned(void (*body)(const rows::Call&, std::ptrdiff_t), const O& x, std::ptrdiff_t rank, int axis,
                 const rows::Argument& argument) {
  const auto elements = elements_on_host(x, argument);
  const std::ptrdiff_t checked = checked_rank(rank, elements.shape()[axis], axis, argument);
  Array<T, rank_of<O>, rows::result_place<O>> result(elements.shape(), elements.place());
  body(call_of(result, elements, axis), checked);
  return result;
}

template <class O>
auto first_of(const O& x, std::ptrdiff_t count, TopMode mode, int axis, const std::source_location& where) {
  using P = rows::result_place<O>;
  const rows::Argument argument{"top_k", "x", where};
  const auto elements = elements_on_host(x, argument);
  require_count(count, elements.shape()[axis], axis, argument);
  const auto shape = elements.shape().with(axis, count);
  using Values = Array<value_of<O>, rank_of<O>, P>;
  using Indices = Array<std::int64_t, rank_of<O>, P>;
  TopK<value_of<O>, rank_of<O>, P> result{Values(shape, elements.place()), Indices(shape, elements.place())};
  selecting::write_first({.call = call_of(result.values, elements, axis),
                          .positions = result.indices.data(),
                          .count = count,
                          .descends = mode == TopMode::largest});
  return result;
}

/// The elements along an axis, the last by default, with the one of rank `rank` where sort() would put it: none of those in front of it comes
/// after it, and none of those behind it before it; both parts keep the order that they have. Negative ranks count from the end. O(n) per
/// row. On the host only. Throws IndexError for a rank that the axis has not, PlaceError, OutOfMemory.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto partition(const O& x, std::ptrdiff_t rank, std::source_location where = std::source_location::current()) {
  return partitioned<value_of<O>>(selecting::partition_rows, x, rank, rows::axis_of<rank_of<O>, Axis>,
                                  {"partition", "x", where});
}

/// The positions (int64) of the elements in the order of partition(): those that equal the one of that rank are in the middle, in the order
/// that they have. Throws as partition().
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto argpartition(const O& x, std::ptrdiff_t rank, std::source_location where = std::source_location::current()) {
  return partitioned<std::int64_t>(selecting::argpartition_rows, x, rank, rows::axis_of<rank_of<O>, Axis>,
                                   {"argpartition", "x", where});
}

/// The `count` largest elements along an axis, the last by default, largest first, and their positions: the first of sort(x, descending) and
/// argsort(x, descending); with TopMode::smallest those of sort(x). Of equal elements the first are taken; NaN come last. O(n) per row.
/// On the host only. Throws IndexError for a count that the axis has not, PlaceError, OutOfMemory.
export template <int Axis = -1, class O>
  requires SortableOperand<O, Axis>
auto top_k(const O& x, std::ptrdiff_t count, TopMode mode = TopMode::largest,
           std::source_location where = std::source_location::current()) {
  return first_of(x, count, mode, rows::axis_of<rank_of<O>, Axis>, where);
}

/// Along an axis that is known at run time; negative ones count from the end. Throws IndexError out of range, and as above.
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto partition(const O& x, std::ptrdiff_t rank, I axis, std::source_location where = std::source_location::current()) {
  return partitioned<value_of<O>>(selecting::partition_rows, x, rank,
                                  storage::checked_axis(Position(axis).value, rank_of<O>, "partition"),
                                  {"partition", "x", where});
}
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto argpartition(const O& x, std::ptrdiff_t rank, I axis,
                  std::source_location where = std::source_location::current()) {
  return partitioned<std::int64_t>(selecting::argpartition_rows, x, rank,
                                   storage::checked_axis(Position(axis).value, rank_of<O>, "argpartition"),
                                   {"argpartition", "x", where});
}
export template <class O, RunTimeAxis I>
  requires SortableOperand<O, -1>
auto top_k(const O& x, std::ptrdiff_t count, I axis, TopMode mode = TopMode::largest,
           std::source_location where = std::source_location::current()) {
  return first_of(x, count, mode, storage::checked_axis(Position(axis).value, rank_of<O>, "top_k"), where);
}

}  // namespace tessera
