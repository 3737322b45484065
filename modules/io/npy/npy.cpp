module;
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>
module tessera.io;
import tessera.core;
import tessera.array;

// Loading, mapping and saving .npy files.
namespace tessera::io {

namespace {

NpyHeader read_header(const InputFile& file, TrailingBytes trailing) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min(file.size(), npy_prelude_bytes)));
  file.read(0, start);
  start.resize(static_cast<std::size_t>(npy_header_end(file.name(), start, file.size())));
  file.read(0, start);
  return parse_npy_header(file.name(), start, file.size(), trailing);
}

ElementsInFile elements_of(const InputFile& file, const NpyHeader& header) {
  return {.source = file.name(),
          .at = header.data_begin,
          .bytes = header.data_bytes,
          .dtype = header.dtype,
          .shape = header.shape,
          .fortran_order = header.fortran_order,
          .big_endian = header.big_endian};
}

}  // namespace

StoredArray load_npy(const std::string& path, TrailingBytes trailing) {
  const InputFile file(path);
  const NpyHeader header = read_header(file, trailing);
  return read_elements(file, elements_of(file, header));
}

StoredArray map_npy(const std::string& path, MapMode mode, TrailingBytes trailing) {
  const InputFile file(path);
  const NpyHeader header = read_header(file, trailing);
  return map_elements(std::make_shared<const FileMapping>(file, mode), elements_of(file, header));
}

void save_npy(const std::string& path, const ArrayToSave& array) {
  checked_byte_count(array, "save_npy");
  OutputFile file(path);
  file.write(npy_header_text(array.dtype, array.shape));
  for_each_block(array, [&](std::span<const std::byte> block) { file.write(block); });
  file.commit();
}

}  // namespace tessera::io
