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
import :device_work;
import :rows;

// Picking slices by index.
namespace tessera {

/// Elements and indices of slices along their first axis.
export template <class O, class I>
concept TakeOperands = rows::KnownOperand<O> && rows::KnownOperand<I> &&
                       (rank_of<O> >= 1 || unsatisfied<"a scalar has no axis to take from">) &&
                       (Integer<value_of<I>> || unsatisfied<"indices are integers">) &&
                       (rank_of<I> == 1 || unsatisfied<"take() takes a vector of indices">);

/// The indices where the host can look at them.
template <class I>
auto indices_on_host(const I& indices) {
  const auto elements = rows::elements_of(indices);
  if constexpr (ArrayHandle<std::remove_const_t<decltype(elements)>>) {
    return elements.to(Place(CpuPlace{}));
  } else {
    storage::require_host(elements.place(), "take");
    return elements;
  }
}

/// The slice that an index names. Throws IndexError out of range.
template <class I>
std::ptrdiff_t slice_of(I index, std::ptrdiff_t position, std::ptrdiff_t extent, const std::source_location& where) {
  const bool counts_from_end = std::cmp_less(index, 0);
  if (std::cmp_greater_equal(index, extent) || (counts_from_end && std::cmp_less(index, -extent)))
    storage::throw_picked_index("take", std::to_string(index), position, 0, extent, where);
  const auto counted = static_cast<std::ptrdiff_t>(index);
  return counts_from_end ? counted + extent : counted;
}

/// Writes slice indices[i] of `x` along the first axis into slice i of `result`, which may overlap `x` and the indices; negative indices
/// count from the end. `result` and `x` are on one place; the indices are best on the host, which looks at them first. Throws IndexError for
/// an index out of range, ShapeError for a result of another shape or with an element twice, PlaceError for arrays on different places,
/// OutOfMemory; nothing has been written then.
export template <class R, class O, class I>
  requires TakeOperands<O, I> && ResultElements<R, value_of<O>, rank_of<O>>
void take_into(const R& result, const O& x, const I& indices,
               std::source_location where = std::source_location::current()) {
  using T = value_of<O>;
  const auto array = rows::elements_of(x);
  const auto picked = indices_on_host(indices);
  const Place place = array.place();
  rows::require_same_place(result.place(), place, "take_into", where);
  picked.wait(schedule::Purpose::read);
  const std::ptrdiff_t extent = array.shape()[0];
  const std::ptrdiff_t count = picked.shape()[0];
  rows::require_result(result, array.shape().with(0, count).extents(), "take_into", where);
  const auto slice_at = [&](std::ptrdiff_t i) {
    return slice_of(picked.data()[i * picked.strides()[0]], i, extent, where);
  };
  const bool is_one_index = picked.strides()[0] == 0;  // of nothing there may be more slices than anyone can count
  for (std::ptrdiff_t i = 0; i < (is_one_index ? std::min<std::ptrdiff_t>(count, 1) : count); ++i) slice_at(i);
  if (result.size() == 0) return;
  // Slices are written while others are read: where the two share memory, what is read is kept first.
  if (rows::may_overlap(result, array)) return take_into(result, array.clone(), indices, where);
  if (rows::may_overlap(result, picked)) return take_into(result, array, picked.clone(), where);
  const auto extents = array.shape().extents().template subspan<1>();
  if (!place.on_host()) {
    std::vector<std::int64_t> slices;
    slices.reserve(static_cast<std::size_t>(count));
    for (std::ptrdiff_t i = 0; i < count; ++i) slices.push_back(slice_at(i));
    const auto gather = [result, array, slices = std::move(slices)] {
      plan::gather_on_device({.to = device_work::memory_of(result),
                              .from = device_work::memory_of(array),
                              .slice = array.shape().extents().template subspan<1>()},
                             slices);
    };
    if (submit_algorithm(result, array, "take", gather)) return;
    device_work::wait_for_ops(result, schedule::Purpose::change);
    device_work::wait_for_ops(array, schedule::Purpose::read);
    return gather();
  }
  result.wait(schedule::Purpose::change);
  array.wait(schedule::Purpose::read);
  const std::size_t lead = 1;
  const auto copy_slice = [&](std::ptrdiff_t i) {
    storage::copy_strided(
        extents,
        {{result.data() + i * result.strides()[0], std::span(result.strides()).subspan(lead), sizeof(T)}, CpuPlace{}},
        {{array.data() + slice_at(i) * array.strides()[0], std::span(array.strides()).subspan(lead), sizeof(T)},
         CpuPlace{}});
  };
  constexpr std::ptrdiff_t slices_per_task = 64;
  parallel_for((count + slices_per_task - 1) / slices_per_task, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t end = std::min(count, (task + 1) * slices_per_task);
    for (std::ptrdiff_t i = task * slices_per_task; i < end; ++i) copy_slice(i);
  });
}

/// A new array whose slice i along the first axis is slice indices[i] of `x`; negative indices count from the end, and are
/// best on the host, which looks at them first. Throws IndexError for an index out of range.
export template <class O, class I>
  requires TakeOperands<O, I>
auto take(const O& x, const I& indices, std::source_location where = std::source_location::current()) {
  const auto array = rows::elements_of(x);
  Array<value_of<O>, rank_of<O>, rows::result_place<O>> result(array.shape().with(0, Dim<1>(indices.shape())[0]),
                                                               array.place());
  take_into(result, array, indices, where);
  return result;
}

}  // namespace tessera
