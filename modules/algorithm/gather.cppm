module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:gather;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :device_gather;

// Picking slices by index.
namespace tessera {

[[noreturn]] inline void throw_take_error(std::int64_t index, std::ptrdiff_t position, std::ptrdiff_t extent,
                                          const std::source_location& where) {
  throw IndexError(
      to_string(Failure{.operation = "take",
                        .problem = "index " + std::to_string(index) + " at position " + std::to_string(position) +
                                   " is out of range for an axis with extent " + std::to_string(extent),
                        .where = where}));
}

/// Writes slice indices[i] of `array` along the first axis into slice i of `result`; negative indices count from the end. `result`
/// and `array` are on one place and share no memory; the indices are best on the host, which looks at them first. Throws IndexError for an
/// index out of range, ShapeError for a result of another shape, PlaceError for arrays on different places; nothing has been written then.
export template <Element T, int Rank, AnyPlace P, Element I, AnyPlace Q>
  requires(Rank >= 1) && Integer<I>
void take_into(const Array<T, Rank, P>& result, const Array<T, Rank, P>& array, const Array<I, 1, Q>& indices,
               std::source_location where = std::source_location::current()) {
  const Place place = array.place();
  if (!Place(indices.place()).on_host()) return take_into(result, array, indices.to(Place(CpuPlace{})), where);
  require_same_place(result.place(), place, "take_into");
  indices.settle(Purpose::read);
  const std::ptrdiff_t extent = array.shape()[0];
  const std::ptrdiff_t count = indices.shape()[0];
  if (result.shape() != array.shape().with(0, count)) {
    throw ShapeError(to_string(Failure{.operation = "take_into",
                                       .problem = "the result has shape " + to_string(result.shape()) + " instead of " +
                                                  to_string(array.shape().with(0, count)),
                                       .where = where}));
  }
  const auto slice_at = [&](std::ptrdiff_t i) {
    const auto index = static_cast<std::int64_t>(indices.data()[i * indices.strides()[0]]);
    const std::int64_t counted = index < 0 ? index + extent : index;
    if (counted < 0 || counted >= extent) throw_take_error(index, i, extent, where);
    return counted;
  };
  for (std::ptrdiff_t i = 0; i < count; ++i) slice_at(i);
  const auto extents = array.shape().extents().template subspan<1>();
  if (!place.on_host()) {
    if (result.size() == 0) return;
    std::vector<std::int64_t> slices;
    for (std::ptrdiff_t i = 0; i < count; ++i) slices.push_back(slice_at(i));
    const auto gather = [result, array, slices = std::move(slices)] {
      gather_on_device({.to = {result.data(), result.strides(), result.place(), result.buffer()->uses()},
                        .from = {array.data(), array.strides(), array.place(), array.buffer()->uses()},
                        .slice = array.shape().extents().template subspan<1>(),
                        .item = sizeof(T)},
                       slices);
    };
    if (submit_algorithm(result, array, "take", gather)) return;
    result.settle_for(place, Purpose::change);
    array.settle_for(place, Purpose::read);
    return gather();
  }
  result.settle(Purpose::change);
  array.settle(Purpose::read);
  const std::size_t lead = 1;
  const auto copy_slice = [&](std::ptrdiff_t i) {
    copy_strided(
        extents, sizeof(T),
        {result.data() + i * result.strides()[0], std::span(result.strides()).subspan(lead), CpuPlace{}},
        {array.data() + slice_at(i) * array.strides()[0], std::span(array.strides()).subspan(lead), CpuPlace{}});
  };
  constexpr std::ptrdiff_t slices_per_task = 64;
  parallel_for((count + slices_per_task - 1) / slices_per_task, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t end = std::min(count, (task + 1) * slices_per_task);
    for (std::ptrdiff_t i = task * slices_per_task; i < end; ++i) copy_slice(i);
  });
}

/// A new array whose slice i along the first axis is slice indices[i] of `array`; negative indices count from the end, and are
/// best on the host, which looks at them first. Throws IndexError for an index out of range.
export template <Element T, int Rank, AnyPlace P, Element I, AnyPlace Q>
  requires(Rank >= 1) && Integer<I>
Array<T, Rank, P> take(const Array<T, Rank, P>& array, const Array<I, 1, Q>& indices,
                       std::source_location where = std::source_location::current()) {
  Array<T, Rank, P> result(array.shape().with(0, indices.shape()[0]), array.place());
  take_into(result, array, indices, where);
  return result;
}

}  // namespace tessera
