module;
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>
module tessera.io;
import tessera.core;
import tessera.device;
import tessera.array;

// Arrays in zip files.
namespace tessera::io {

namespace {

constexpr std::string_view suffix = ".npy";

NpyHeader read_header(ZipEntryReader& reader, const ZipEntry& entry) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min(entry.uncompressed, npy_prelude_bytes)));
  reader.read(start);
  const std::ptrdiff_t end = npy_header_end(reader.name(), start, entry.uncompressed);
  const std::size_t read = start.size();
  start.resize(static_cast<std::size_t>(std::max(end, std::ssize(start))));
  reader.read(std::span(start).subspan(read));
  // A header of no bytes ends before what has been read; it has no dict, which the parser says.
  return parse_npy_header(reader.name(), std::span(start).first(static_cast<std::size_t>(end)), entry.uncompressed,
                          TrailingBytes::refused);
}

void check_names(std::span<const NamedArrayToSave> arrays) {
  std::unordered_set<std::string_view> names;
  for (const NamedArrayToSave& array : arrays) {
    std::string_view fault = fault_of_entry_name(array.name);
    if (fault.empty() && find_broken_utf8(array.name)) fault = "is not UTF-8";
    if (fault.empty() && array.name.size() > 65000) fault = "is longer than a zip file can hold";
    if (fault.empty() && !names.insert(array.name).second) fault = "is there twice";
    if (fault.empty()) continue;
    throw std::invalid_argument(
        to_string(Failure{.operation = "save_npz",
                          .problem = "the name " + quoted(array.name) + " " + std::string(fault),
                          .advice = "give each array a name of its own"}));
  }
}

}  // namespace

NpzFile::NpzFile(const std::string& path)
    : file_(std::make_unique<const InputFile>(path)), entries_(read_zip_directory(*file_)) {
  for (const ZipEntry& entry : entries_) {
    if (!entry.name.ends_with(suffix)) {
      Refusal{.source = file_->name(),
              .at = entry.begin,
              .expected = "entries whose names end in .npy",
              .found = quoted(entry.name),
              .advice = "a .npz file holds arrays only"}
          .raise();
    }
    places_.emplace(entry.name.substr(0, entry.name.size() - suffix.size()), names_.size());
    names_.push_back(entry.name.substr(0, entry.name.size() - suffix.size()));
  }
}

NpzFile::~NpzFile() = default;

StoredArray NpzFile::load(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) {
    std::string there;
    for (const std::string& other : names_) there += (there.empty() ? "" : ", ") + quoted(other);
    throw IndexError(to_string(Failure{.operation = "reading " + file_->name(),
                                       .problem = "there is no array " + quoted(name),
                                       .advice = there.empty() ? "there is none at all" : "there are " + there}));
  }
  const ZipEntry& entry = entries_[found->second];
  ZipEntryReader reader(*file_, entry);
  const NpyHeader header = read_header(reader, entry);
  StoredArray array{.buffer = storage::BufferShare::make(Place(CpuPlace{}), header.data_bytes),
                    .dtype = header.dtype,
                    .shape = header.shape,
                    .strides = dense_strides(header.shape, header.fortran_order)};
  const std::span elements(static_cast<std::byte*>(array.buffer->data()), static_cast<std::size_t>(header.data_bytes));
  reader.read(elements);
  reader.finish();
  make_elements(elements, header.dtype, header.big_endian);
  return array;
}

std::vector<NamedStoredArray> load_npz(const std::string& path) {
  const NpzFile file(path);
  std::vector<NamedStoredArray> arrays;
  arrays.reserve(file.names().size());
  for (const std::string& name : file.names()) arrays.push_back({name, file.load(name)});
  return arrays;
}

void save_npz(const std::string& path, std::span<const NamedArrayToSave> arrays, Compression compression) {
  check_names(arrays);
  for (const NamedArrayToSave& array : arrays) checked_byte_count(array.array, "save_npz");
  OutputFile file(path);
  ZipWriter zip(file);
  for (const auto& [name, array] : arrays) {
    zip.begin(name + std::string(suffix), compression);
    const std::string header = npy_header_text(array.dtype, array.shape);
    zip.write(std::as_bytes(std::span<const char>(header)));
    for_each_block(array, [&](std::span<const std::byte> block) { zip.write(block); });
    zip.end();
  }
  zip.finish();
  file.commit();
}

}  // namespace tessera::io
