// What the fuzz targets of file formats share: the input as a file, and arrays that must be what they say.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
import tessera;
import tessera.io;

/// A file of these bytes in memory, with a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (::write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Every element that shape and strides reach is within the storage. All of it is read.
inline void require_consistent(const tessera::io::StoredArray& array) {
  const std::ptrdiff_t item = tessera::item_size(array.dtype);
  const std::ptrdiff_t count = tessera::product(array.shape);
  require(array.buffer->bytes() == count * item, "the storage has another size than the elements");
  std::ptrdiff_t last = 0;
  for (int axis = 0; axis < array.shape.rank(); ++axis) {
    const std::ptrdiff_t stride = array.strides[static_cast<std::size_t>(axis)];
    require(stride > 0, "a stride is not positive");
    if (count > 0) last += (array.shape[axis] - 1) * stride;
  }
  require(count == 0 || last == count - 1, "the last element is not at the end of the storage");
  const auto* bytes = static_cast<const volatile unsigned char*>(array.buffer->data());
  unsigned char most = 0;
  for (std::ptrdiff_t i = 0; i < count * item; ++i) most = bytes[i] > most ? bytes[i] : most;
  require(array.dtype != tessera::DType::boolean || most <= 1, "a bool is neither true nor false");
}
