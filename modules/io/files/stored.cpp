module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
module tessera.io;
import tessera.core;
import tessera.device;
import tessera.array;

// Sizes of arrays in files, and the gathering of strided elements in blocks.
namespace tessera::io {

namespace {

constexpr std::ptrdiff_t block_bytes = std::ptrdiff_t{1}
                                       << 20;  // stays in the L2 cache between the copy and the system call

/// Walks over the outer axes; what lies within an axis is gathered as a whole where it fits the block.
class Gatherer {
 public:
  Gatherer(const ArrayToSave& array, const std::function<void(std::span<const std::byte>)>& sink)
      : array_(array), sink_(sink), item_(item_size(array.dtype)), dense_(dense_strides(array.shape)) {}

  void gather(int axis, const std::byte* from) {
    const std::ptrdiff_t row_bytes = bytes_below(axis);
    if (row_bytes > block_bytes) {  // a single position of this axis is more than a block
      for (std::ptrdiff_t i = 0; i < array_.shape[axis]; ++i) gather(axis + 1, from + i * step(axis));
      return;
    }
    const std::ptrdiff_t rows = block_bytes / row_bytes;
    for (std::ptrdiff_t first = 0; first < array_.shape[axis]; first += rows) {
      copy_rows(axis, std::min(rows, array_.shape[axis] - first), row_bytes, from + first * step(axis));
    }
  }

 private:
  std::ptrdiff_t step(int axis) const { return array_.strides[static_cast<std::size_t>(axis)] * item_; }
  std::ptrdiff_t bytes_below(int axis) const { return dense_[static_cast<std::size_t>(axis)] * item_; }

  void copy_rows(int axis, std::ptrdiff_t rows, std::ptrdiff_t row_bytes, const std::byte* from) {
    block_.resize(static_cast<std::size_t>(block_bytes));
    const auto skipped = static_cast<std::size_t>(axis);
    const auto rank = static_cast<std::size_t>(array_.shape.rank());
    std::array<std::ptrdiff_t, max_rank> extents{};
    std::ranges::copy(array_.shape.extents().subspan(skipped), extents.begin());
    extents[0] = rows;
    storage::PlacedMemory to;
    to.data = block_.data();
    to.strides = std::span<const std::ptrdiff_t>(dense_).subspan(skipped, rank - skipped);
    to.item = item_;
    storage::PlacedMemory source;
    source.data = const_cast<std::byte*>(from);  // copy_strided only reads its source
    source.strides = array_.strides.subspan(skipped);
    source.item = item_;
    storage::copy_strided(std::span<const std::ptrdiff_t>(extents).first(rank - skipped), to, source);
    sink_(std::span<const std::byte>(block_).first(static_cast<std::size_t>(rows * row_bytes)));
  }

  const ArrayToSave& array_;
  const std::function<void(std::span<const std::byte>)>& sink_;
  std::ptrdiff_t item_;
  std::array<std::ptrdiff_t, max_rank> dense_;
  std::vector<std::byte> block_;
};

bool is_dense(const ArrayToSave& array) {
  const auto dense = dense_strides(array.shape);
  for (int axis = 0; axis < array.shape.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (array.shape[axis] != 1 && array.strides[at] != dense[at]) return false;
  }
  return true;
}

}  // namespace

std::array<std::ptrdiff_t, max_rank> dense_strides(const DDim& shape, bool fortran_order) {
  std::array<std::ptrdiff_t, max_rank> strides{};
  std::ptrdiff_t step = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    const int axis = fortran_order ? i : shape.rank() - 1 - i;
    strides[static_cast<std::size_t>(axis)] = step;
    std::ptrdiff_t next = 0;  // beside an extent of 0 it may be too large; no stride is used then
    if (!__builtin_mul_overflow(step, std::max<std::ptrdiff_t>(shape[axis], 1), &next)) step = next;
  }
  return strides;
}

std::optional<std::ptrdiff_t> byte_count(const DDim& shape, DType dtype) {
  std::ptrdiff_t bytes = item_size(dtype);
  bool fits = true;
  for (const std::ptrdiff_t extent : shape.extents()) {
    if (extent == 0) return 0;
    fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  }
  return fits ? std::optional(bytes) : std::nullopt;
}

std::ptrdiff_t checked_byte_count(const ArrayToSave& array, std::string_view operation) {
  if (std::ssize(array.strides) != array.shape.rank()) {
    throw ShapeError(
        to_string(Failure{.operation = operation,
                          .problem = std::to_string(array.strides.size()) + " strides for the shape " +
                                     to_string(array.shape) + " of rank " + std::to_string(array.shape.rank()),
                          .advice = "give one stride for each axis"}));
  }
  const auto bytes = byte_count(array.shape, array.dtype);
  if (!bytes) {
    throw ShapeError(to_string(
        Failure{.operation = operation,
                .problem = std::string(name(array.dtype)) + " " + to_string(array.shape) + " has 2^63 bytes or more"}));
  }
  if (array.data == nullptr && *bytes > 0) {
    throw std::invalid_argument(to_string(Failure{.operation = operation,
                                                  .problem = "the elements of " + std::string(name(array.dtype)) + " " +
                                                             to_string(array.shape) + " are at a null pointer"}));
  }
  return *bytes;
}

void for_each_block(const ArrayToSave& array, const std::function<void(std::span<const std::byte>)>& sink) {
  const auto* data = static_cast<const std::byte*>(array.data);
  const auto bytes = static_cast<std::size_t>(byte_count(array.shape, array.dtype).value_or(0));
  if (bytes == 0) return;
  if (is_dense(array)) return sink({data, bytes});
  Gatherer(array, sink).gather(0, data);
}

}  // namespace tessera::io
