module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:repeats;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :gather;

// Elements that are repeated, each as often as is said for it.
namespace tessera {

/// Position i as often as counts[i] says. Throws ShapeError for another number of counts, std::invalid_argument for negative ones.
Array<std::int64_t, 1> repeated_positions(const Array<std::int64_t, 1>& counts, std::ptrdiff_t extent, int axis,
                                          const std::source_location& where);

/// A vector of integers, one for each element along an axis.
template <class C>
concept RepeatCounts =
    Operand<C> && (Integer<value_of<C>> || unsatisfied<"elements are repeated an integer number of times">) &&
    (rank_of<C> == 1 || unsatisfied<"numbers of times are a vector, one for each element along the axis">);

/// A new array with element i along an axis counts[i] times, one after the other. Throws ShapeError for another number of counts than elements,
/// std::invalid_argument for negative ones, OutOfMemory.
export template <int Axis, class O, RepeatCounts C>
  requires rows::KnownOperand<O> && AxesOf<rank_of<O>, Axis>
auto repeat(const O& x, const C& counts, std::source_location where = std::source_location::current()) {
  constexpr int axis = rows::axis_of<rank_of<O>, Axis>;
  const auto slices = moveaxis(rows::elements_of(x), axis, 0);
  const Array<std::int64_t, 1> times = rows::on_host<std::int64_t>(counts, {"repeat", "counts", where});
  return moveaxis(take(slices, repeated_positions(times, slices.shape()[0], axis, where), where), 0, axis);
}

}  // namespace tessera
