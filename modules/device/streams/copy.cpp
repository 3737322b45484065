module;
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;

// Copies and fills by the driver's asynchronous functions.
namespace tessera::device {

namespace {

constexpr std::ptrdiff_t longest_pitch = std::numeric_limits<std::int32_t>::max();

void set_source(CuRows& rows, const RowCopy& copy, unsigned device_type) {
  rows.from_type = copy.from_place.on_host() ? CuRows::host : device_type;
  if (copy.from_place.on_host()) rows.from_host = copy.from;
  if (!copy.from_place.on_host()) rows.from_device = address(copy.from);
  rows.from_pitch = static_cast<std::size_t>(copy.from_pitch);
}

void set_target(CuRows& rows, const RowCopy& copy, unsigned device_type) {
  rows.to_type = copy.to_place.on_host() ? CuRows::host : device_type;
  if (copy.to_place.on_host()) rows.to_host = copy.to;
  if (!copy.to_place.on_host()) rows.to_device = address(copy.to);
  rows.to_pitch = static_cast<std::size_t>(copy.to_pitch);
}

void copy_row_by_row(const RowCopy& copy, Stream& stream) {
  for (std::ptrdiff_t row = 0; row < copy.rows; ++row) {
    copy_async(static_cast<char*>(copy.to) + row * copy.to_pitch, copy.to_place,
               static_cast<const char*>(copy.from) + row * copy.from_pitch, copy.from_place, copy.row_bytes, stream);
  }
}

}  // namespace

void copy_async(void* to, Place to_place, const void* from, Place from_place, std::ptrdiff_t bytes, Stream& stream) {
  if (bytes == 0) return;
  require_device(to_place);
  require_device(from_place);
  const TracedWork traced(stream, "copy", bytes);
  enter(stream.place());
  check(driver().copy(address(to), address(from), static_cast<std::size_t>(bytes), stream.native()), "cuMemcpyAsync",
        stream.place());
  stream.count_work();
}

void copy_rows_async(const RowCopy& copy, Stream& stream) {
  if (copy.row_bytes == 0 || copy.rows == 0) return;
  const bool is_one_run = copy.rows == 1 || (copy.to_pitch == copy.row_bytes && copy.from_pitch == copy.row_bytes);
  if (is_one_run) {
    return copy_async(copy.to, copy.to_place, copy.from, copy.from_place,
                      core::checked_multiply(copy.row_bytes, copy.rows), stream);
  }
  if (copy.to_pitch > longest_pitch || copy.from_pitch > longest_pitch) return copy_row_by_row(copy, stream);
  require_device(copy.to_place);
  require_device(copy.from_place);
  enter(stream.place());
  const bool two_gpus = !copy.to_place.on_host() && !copy.from_place.on_host() && copy.to_place != copy.from_place;
  CuRows rows;
  set_source(rows, copy, two_gpus ? CuRows::unified : CuRows::device);
  set_target(rows, copy, two_gpus ? CuRows::unified : CuRows::device);
  rows.row_bytes = static_cast<std::size_t>(copy.row_bytes);
  rows.rows = static_cast<std::size_t>(copy.rows);
  const TracedWork traced(stream, "copy", core::checked_multiply(copy.row_bytes, copy.rows));
  check(driver().copy_rows(&rows, stream.native()), "cuMemcpy2DAsync", stream.place());
  stream.count_work();
}

void fill_async(void* to, std::ptrdiff_t count, int item_bytes, std::uint32_t pattern, Stream& stream) {
  if (count == 0) return;
  const TracedWork traced(stream, "fill", core::checked_multiply(count, std::ptrdiff_t{item_bytes}));
  enter(stream.place());
  const CuPointer target = address(to);
  const auto items = static_cast<std::size_t>(count);
  CuStream native = stream.native();
  CuResult result = cuda_success;
  switch (item_bytes) {
    case 1: result = driver().fill_8(target, static_cast<unsigned char>(pattern), items, native); break;
    case 2: result = driver().fill_16(target, static_cast<unsigned short>(pattern), items, native); break;
    case 4: result = driver().fill_32(target, pattern, items, native); break;
    default: throw DeviceError("fill_async: items have 1, 2 or 4 bytes, not " + std::to_string(item_bytes));
  }
  check(result, "cuMemsetAsync", stream.place());
  stream.count_work();
}

}  // namespace tessera::device
