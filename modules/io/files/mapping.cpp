module;
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
module tessera.io;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// Elements of a file as storage of arrays: read into memory, or mapped.
namespace tessera::io {

namespace {

/// What the type's alignment is on the machines that we know: that of its parts for complex numbers.
std::ptrdiff_t alignment_of(DType dtype) {
  return kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype);
}

StoredArray stored(storage::BufferShare buffer, const ElementsInFile& elements) {
  return {.buffer = std::move(buffer),
          .dtype = elements.dtype,
          .shape = elements.shape,
          .strides = dense_strides(elements.shape, elements.fortran_order)};
}

}  // namespace

FileMapping::FileMapping(const InputFile& file, MapMode mode) : bytes_(static_cast<std::size_t>(file.size())) {
  const int protection = mode == MapMode::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
  // No swap is set aside for pages that may never be written to.
  void* const mapped = ::mmap(nullptr, bytes_, protection, MAP_PRIVATE | MAP_NORESERVE, file.descriptor(), 0);
  if (mapped == MAP_FAILED) raise_system_error(errno, "mapping " + file.name());
  data_ = static_cast<std::byte*>(mapped);
}

FileMapping::~FileMapping() { ::munmap(data_, bytes_); }

StoredArray read_elements(const InputFile& file, const ElementsInFile& elements) {
  storage::BufferShare buffer = storage::BufferShare::make(Place(CpuPlace{}), elements.bytes);
  file.read(elements.at, {static_cast<std::byte*>(buffer->data()), static_cast<std::size_t>(elements.bytes)});
  return stored(std::move(buffer), elements);
}

StoredArray map_elements(const std::shared_ptr<const FileMapping>& mapping, const ElementsInFile& elements) {
  // An empty array has no elements that could be in the wrong place.
  if (elements.bytes == 0) return stored(storage::BufferShare::make(Place(CpuPlace{}), 0), elements);
  const std::ptrdiff_t alignment = alignment_of(elements.dtype);
  if (elements.at % alignment != 0) {
    Refusal{.source = elements.source,
            .at = elements.at,
            .expected = "the elements of " + std::string(name(elements.dtype)) + " at a multiple of " +
                        count_of_bytes(alignment) + ", as mapped memory must have them",
            .found = "them " + count_of_bytes(elements.at % alignment) + " beyond one",
            .advice = "load the file, or save it again with this library"}
        .raise();
  }
  return stored(storage::BufferShare::make(
                    memory::Allocation::adopt(mapping->data() + elements.at, elements.bytes, CpuPlace{}, mapping)),
                elements);
}

}  // namespace tessera::io
