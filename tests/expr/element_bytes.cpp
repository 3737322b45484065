// Compiled once for all tests, and optimised in every build: much of their time goes here.
#include "element_bytes.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

namespace support {

namespace {

/// Calls body(offset) with each element's offset in bytes, in row-major order.
template <class Body>
void for_each_offset(const ElementBytes& elements, const Body& body) {
  std::ptrdiff_t left = 1;
  for (const std::ptrdiff_t extent : elements.shape) left *= extent;
  std::vector<std::ptrdiff_t> position(elements.shape.size());
  for (std::ptrdiff_t offset = 0; left > 0; --left) {
    body(offset);
    for (std::size_t axis = elements.shape.size(); axis-- > 0;) {
      offset += elements.strides[axis];
      if (++position[axis] < elements.shape[axis]) break;
      offset -= elements.strides[axis] * elements.shape[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace

void copy_out(void* to, const ElementBytes& from) {
  auto* next = static_cast<std::byte*>(to);
  for_each_offset(from, [&](std::ptrdiff_t offset) {
    std::memcpy(next, static_cast<const std::byte*>(from.data) + offset, static_cast<std::size_t>(from.item));
    next += from.item;
  });
}

void copy_in(const ElementBytes& to, const void* from) {
  auto* next = static_cast<const std::byte*>(from);
  for_each_offset(to, [&](std::ptrdiff_t offset) {
    std::memcpy(static_cast<std::byte*>(to.data) + offset, next, static_cast<std::size_t>(to.item));
    next += to.item;
  });
}

std::ptrdiff_t offset_of(const std::ptrdiff_t* position, const std::ptrdiff_t* strides, int rank) {
  std::ptrdiff_t offset = 0;
  for (int axis = 0; axis < rank; ++axis) offset += position[axis] * strides[axis];
  return offset;
}

void to_next_position(std::ptrdiff_t* position, const std::ptrdiff_t* extents, int rank) {
  for (int axis = rank; axis-- > 0;) {
    if (++position[axis] < extents[axis]) return;
    position[axis] = 0;
  }
}

}  // namespace support
