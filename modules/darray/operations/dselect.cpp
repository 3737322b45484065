module;
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Picking, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// The indices as a vector of int64 on the host.
Array<std::int64_t, 1> indices_of(const DArray& indices, std::ptrdiff_t extent) {
  if (kind(indices.dtype()) != Kind::signed_integer && kind(indices.dtype()) != Kind::unsigned_integer)
    throw_dtype("take", indices.dtype(), "indices that are integers");
  if (indices.rank() != 1) {
    throw ShapeError(
        to_string(Failure{.operation = "take",
                          .problem = "the indices have the shape " + to_string(indices.shape()) + ", they are a vector",
                          .advice = "take(x, indices.flatten()) and reshape the result"}));
  }
  const DArray here = indices.to(CpuPlace{});
  if (here.dtype() == DType::uint64 && here.size() > 0) {
    const auto largest = DExpression(max(here)).value().as<std::uint64_t>();
    if (largest > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw IndexError(
          to_string(Failure{.operation = "take",
                            .problem = "index " + std::to_string(largest) +
                                       " is out of range for an axis with extent " + std::to_string(extent)}));
    }
  }
  return get<Array<std::int64_t, 1>>(here.cast(DType::int64));
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

}  // namespace

DArray taken(const DArray& x, const DArray& indices, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "take");
  DLayout shape = x.layout();
  const Array<std::int64_t, 1> picked = indices_of(indices, shape.extents[static_cast<std::size_t>(at)]);
  shape.extents[static_cast<std::size_t>(at)] = picked.size();
  const DArray result(DDim(shape.shape()), x.dtype(), x.place());
  const DArray from = with_axis_first(x, at), to = with_axis_first(result, at);
  with_element(x.dtype(),
               [&]<class T>() { take_into(rows_of<T>(to), rows_of<T>(from), picked, std::source_location{}); });
  return result;
}

DArray compressed(const DArray& mask, const DArray& x) {
  if (mask.dtype() != DType::boolean) throw_dtype("compress", mask.dtype(), "a mask of bool, such as x != 0");
  if (mask.shape() != x.shape()) {
    throw ShapeError(to_string(Failure{.operation = "compress",
                                       .problem = "the mask has the shape " + to_string(mask.shape()) +
                                                  " and the elements have " + to_string(x.shape()),
                                       .advice = "a mask has the shape of what it picks: broadcast_to(mask, shape)"}));
  }
  const DArray picked = with_all_axes(mask), from = with_all_axes(x);
  return with_element(x.dtype(), [&]<class T>() -> DArray {
    return compress(rows_of<bool>(picked), rows_of<T>(from), std::source_location{});
  });
}

}  // namespace tessera::dynamic
