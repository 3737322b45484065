// Elements between a layout and contiguous memory, whatever their type.
#pragma once
#include <cstddef>
#include <span>

namespace support {

/// Elements of so many bytes on the host; strides in bytes.
struct ElementBytes {
  void* data;
  std::span<const std::ptrdiff_t> shape;
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
};

/// Copies the elements in row-major order to contiguous memory.
void copy_out(void* to, const ElementBytes& from);

/// Copies contiguous elements in row-major order into a layout; where it repeats a position the last one stays.
void copy_in(const ElementBytes& to, const void* from);

/// Where the element at a position of `rank` axes lies: what is called for each element is optimised, as the tests around it are not.
std::ptrdiff_t offset_of(const std::ptrdiff_t* position, const std::ptrdiff_t* strides, int rank);

/// The position after this one in row-major order, all 0 after the last.
void to_next_position(std::ptrdiff_t* position, const std::ptrdiff_t* extents, int rank);

}  // namespace support
