module;
#include <cstddef>
#include <cstdint>
export module tessera.device:copy;
import tessera.standard;
import tessera.core;
import :place;
import :stream;

// Copies and fills as work of a stream.
namespace tessera::device {

/// Copies bytes between any two places, in the order of the stream. Host memory that is pinned must stay until the copy
/// is done. Other host memory may be used again when the call returns: then the driver has staged or copied it, for
/// which it may wait. Throws DeviceError if a place does not exist or the driver refuses.
export void copy_async(void* to, Place to_place, const void* from, Place from_place, std::ptrdiff_t bytes,
                       Stream& stream);

/// Rows of bytes at two places. A pitch is the distance in bytes from one row to the next, at least row_bytes.
export struct RowCopy {
  void* to = nullptr;
  Place to_place{};
  std::ptrdiff_t to_pitch = 0;
  const void* from = nullptr;
  Place from_place{};
  std::ptrdiff_t from_pitch = 0;
  std::ptrdiff_t row_bytes = 0;
  std::ptrdiff_t rows = 0;
};

/// Copies rows in one piece of work where the driver can: pitches of up to 2 GiB. Otherwise as copy_async.
export void copy_rows_async(const RowCopy& copy, Stream& stream);

/// Fills memory of the stream's GPU with `count` items of 1, 2 or 4 bytes, the lowest ones of `pattern`. Throws
/// DeviceError if the driver refuses.
export void fill_async(void* to, std::ptrdiff_t count, int item_bytes, std::uint32_t pattern, Stream& stream);

}  // namespace tessera::device
