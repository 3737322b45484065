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
  make_elements({static_cast<std::byte*>(buffer->data()), static_cast<std::size_t>(elements.bytes)}, elements.dtype,
                elements.big_endian);
  return stored(std::move(buffer), elements);
}

StoredArray map_elements(const std::shared_ptr<const FileMapping>& mapping, const ElementsInFile& elements) {
  // An empty array has no elements that could be in the wrong place.
  if (elements.bytes == 0) return stored(storage::BufferShare::make(Place(CpuPlace{}), 0), elements);
  const auto refuse = [&](std::ptrdiff_t at, std::string expected, std::string found, std::string_view advice) {
    Refusal{.source = elements.source,
            .at = at,
            .expected = std::move(expected),
            .found = std::move(found),
            .advice = advice}
        .raise();
  };
  std::byte* const data = mapping->data() + elements.at;
  if (elements.big_endian) {
    refuse(elements.at, "little-endian elements, as mapped memory must have them",
           "big-endian ones of " + std::string(name(elements.dtype)), "load the file, which turns them round");
  }
  if (elements.dtype == DType::boolean) {
    const std::ptrdiff_t at = find_no_bool({data, static_cast<std::size_t>(elements.bytes)});
    if (at < elements.bytes) {
      refuse(elements.at + at, "0 or 1 for an element of bool", std::to_string(std::to_integer<int>(data[at])),
             "load the file, which makes 1 of it");
    }
  }
  const std::ptrdiff_t alignment = alignment_of(elements.dtype);
  if (elements.at % alignment != 0) {
    refuse(elements.at,
           "the elements of " + std::string(name(elements.dtype)) + " at a multiple of " + count_of_bytes(alignment) +
               ", as mapped memory must have them",
           "them " + count_of_bytes(elements.at % alignment) + " beyond one",
           "load the file, or save it again with this library");
  }
  return stored(storage::BufferShare::make(memory::Allocation::adopt(data, elements.bytes, CpuPlace{}, mapping)),
                elements);
}

}  // namespace tessera::io
