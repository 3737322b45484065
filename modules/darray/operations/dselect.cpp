module;
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Picking, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// The indices as a vector of int64 on the host, each of which is a position along axis `at` of x.
Array<std::int64_t, 1> indices_of(const DArray& indices, const DArray& x, int at) {
  if (!core::is_integer(indices.dtype())) throw_dtype("take", indices.dtype(), "indices that are integers");
  if (indices.rank() != 1) {
    throw ShapeError(
        to_string(Failure{.operation = "take",
                          .problem = "the indices have the shape " + to_string(indices.shape()) + ", they are a vector",
                          .advice = "take(x, indices.flatten()) and reshape the result"}));
  }
  const DArray here = indices.to(CpuPlace{});
  const std::ptrdiff_t extent = x.shape()[at];
  const auto picked = get<Array<std::int64_t, 1>>(here.cast(DType::int64));
  picked.wait(schedule::Purpose::read);
  const bool is_unsigned = kind(here.dtype()) == Kind::unsigned_integer;
  const std::int64_t lowest = is_unsigned ? 0 : -extent;  // what is above the largest int64 has become negative
  for (std::ptrdiff_t i = 0; i < picked.size(); ++i) {
    const std::int64_t index = picked(i);
    if (index >= lowest && index < extent) continue;
    const std::string text = is_unsigned ? std::to_string(static_cast<std::uint64_t>(index)) : std::to_string(index);
    storage::throw_picked_index("take", text, i, at, extent);
  }
  return picked;
}

/// The array with that axis first and axes of extent 1 behind all others.
DArray with_axis_first(const DArray& x, int axis) {
  const int first = 0;
  DLayout layout = moved(x.layout(), {&axis, 1}, {&first, 1}, "take");
  for (; layout.rank < max_rank; ++layout.rank) {
    layout.extents[static_cast<std::size_t>(layout.rank)] = 1;
    layout.strides[static_cast<std::size_t>(layout.rank)] = 0;
  }
  return with_all_axes(x.with_layout(layout));  // which writes nothing into what only reads
}

/// Writes slices `picked` of x along axis `at` to an array of their shape.
void take_rows(const DArray& to, const DArray& x, const Array<std::int64_t, 1>& picked, int at) {
  const DArray from = with_axis_first(x, at), rows = with_axis_first(to, at);
  with_element(x.dtype(), [&]<class T>() {
    tessera::take_into(rows_of<T>(rows), rows_of<T>(from), picked, std::source_location{});
  });
}

DDim taken_shape(const DArray& x, int at, std::ptrdiff_t count) {
  DLayout shape = x.layout();
  shape.extents[static_cast<std::size_t>(at)] = count;
  return DDim(shape.shape());
}

std::ptrdiff_t count_of(const DArray& mask) {
  return static_cast<std::ptrdiff_t>(DExpression(count_nonzero(mask)).value().as<std::int64_t>());
}

void check_mask(const DArray& mask, const DArray& x) {
  if (x.rank() == 0 && (!x.has_storage() || !mask.has_storage())) {  // others have no elements then
    throw ShapeError(to_string(Failure{
        .operation = "compress", .problem = x.has_storage() ? "the mask has no storage" : "the array has no storage"}));
  }
  if (mask.dtype() != DType::boolean) throw_dtype("compress", mask.dtype(), "a mask of bool, such as x != 0");
  if (mask.shape() == x.shape()) return;
  throw ShapeError(to_string(Failure{
      .operation = "compress",
      .problem = "the mask has the shape " + to_string(mask.shape()) + " and the elements have " + to_string(x.shape()),
      .advice = "a mask has the shape of what it picks: broadcast_to(mask, shape)"}));
}

}  // namespace

DArray taken(const DArray& x, const DArray& indices, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "take");
  const Array<std::int64_t, 1> picked = indices_of(indices, x, at);
  const DArray result(taken_shape(x, at, picked.size()), x.dtype(), x.place());
  take_rows(result, x, picked, at);
  return result;
}

void take_into(const DArray& to, const DArray& x, const DArray& indices, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "take");
  const Array<std::int64_t, 1> picked = indices_of(indices, x, at);
  require_result("take_into", to, x.dtype(), taken_shape(x, at, picked.size()));
  take_rows(to, x, picked, at);
}

DArray compressed(const DArray& mask, const DArray& x) {
  check_mask(mask, x);
  const DArray picked = with_all_axes(mask), from = with_all_axes(x);
  return with_element(x.dtype(), [&]<class T>() -> DArray {
    return compress(rows_of<bool>(picked), rows_of<T>(from), std::source_location{});
  });
}

void compress_into(const DArray& to, const DArray& mask, const DArray& x) {
  check_mask(mask, x);
  require_result("compress_into", to, x.dtype(), to.rank() == 1 ? to.shape() : make_ddim({count_of(mask)}));
  const DArray picked = with_all_axes(mask), from = with_all_axes(x);
  with_element(x.dtype(), [&]<class T>() {
    tessera::compress_into(elements_of<T, 1>(to), rows_of<bool>(picked), rows_of<T>(from), std::source_location{});
  });
}

DArray repeated_by(const DArray& x, const DArray& counts, int axis, const std::source_location& where) {
  const int at = storage::checked_axis(axis, x.rank(), "repeat");
  if (!core::is_integer(counts.dtype())) throw_dtype("repeat", counts.dtype(), "counts that are integers");
  require_vector(counts, "repeat", "counts");
  // The positions to take are those of a vector of positions, repeated.
  const Array<std::int64_t, 1> positions = arange<std::int64_t>(x.shape()[at]);
  const auto times = get<Array<std::int64_t, 1>>(counts.cast(DType::int64));
  return take(x, tessera::repeat<0>(positions, times, where), at);
}

}  // namespace tessera::dynamic
