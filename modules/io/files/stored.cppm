module;
#include <cstddef>
export module tessera.io:stored;
import tessera.standard;
import tessera.core;
import tessera.array;

// What passes between files and arrays: storage with what lies in it, and elements that are to be written.
namespace tessera::io {

/// An array as it came from a file. Its first element, that of index 0 on every axis, is the first of the buffer, and the buffer holds
/// its elements alone.
export struct StoredArray {
  storage::BufferShare buffer;  ///< on the CPU: pool memory, or the mapped file
  DType dtype{};                ///< of the elements
  DDim shape;                   ///< extents in elements
  std::array<std::ptrdiff_t, max_rank>
      strides;  ///< in elements, of the first shape.rank() axes; column-major for Fortran order
};

/// An array with the name under which a file has it.
export struct NamedStoredArray {
  std::string name;
  StoredArray array;
};

/// Elements that are to be written to a file: memory of the CPU in any layout, in the machine's byte order. It refers to what it was
/// made from. Elements that the strides reach more than once are written as often.
export struct ArrayToSave {
  const void* data;                         ///< element of index 0 on every axis
  DType dtype;                              ///< of the elements
  DDim shape;                               ///< extents in elements
  std::span<const std::ptrdiff_t> strides;  ///< in elements, one for each axis, of either sign
};

/// An array with the name under which a file holds it.
export struct NamedArrayToSave {
  std::string name;
  ArrayToSave array;
};

/// Strides in elements without gaps: row-major, or column-major as Fortran has them.
std::array<std::ptrdiff_t, max_rank> dense_strides(const DDim& shape, bool fortran_order = false);

/// Bytes of the elements; nothing if that does not fit in 63 bits. A shape with an extent of 0 has none, whatever the others are.
std::optional<std::ptrdiff_t> byte_count(const DDim& shape, DType dtype);

/// Throws ShapeError where a view that is to be saved has not one stride for each axis or more bytes than can be counted, and
/// std::invalid_argument for elements at a null pointer. Returns the bytes of its elements.
std::ptrdiff_t checked_byte_count(const ArrayToSave& array, std::string_view operation);

/// Calls `sink` with the bytes of all elements in row-major order, a block at a time: contiguous elements where they lie, others
/// through a buffer of 1 MiB. The array has passed checked_byte_count.
void for_each_block(const ArrayToSave& array, const std::function<void(std::span<const std::byte>)>& sink);

}  // namespace tessera::io
