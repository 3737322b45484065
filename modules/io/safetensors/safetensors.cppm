module;
#include <cstddef>
export module tessera.io:safetensors;
import tessera.standard;
import tessera.core;
import :input_file;
import :mapping;
import :output_file;
import :refusal;
import :safetensors_header;
import :safetensors_json;
import :stored;

// Files of named tensors in the safetensors format, and checkpoints that are spread over several of them.
namespace tessera::io {

/// A safetensors file that is open: its tensors are read or mapped one by one, by any number of threads.
export class SafetensorsFile {
 public:
  /// Reads the header and checks all of it, as the reference implementation does. Throws FormatError with the byte, what was
  /// expected and what was found, also for types that the library has not, as F8_E4M3; std::system_error where the system refuses.
  explicit SafetensorsFile(const std::string& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;
  ~SafetensorsFile();

  /// Names of the tensors, in the order of the header.
  const std::vector<std::string>& names() const { return names_; }
  bool contains(std::string_view name) const;
  /// What the file says in "__metadata__", in its order.
  const SafetensorsMetadata& metadata() const { return header_.metadata; }

  /// Reads a tensor into memory of its own. Throws IndexError for a name that is not there, OutOfMemory, std::system_error.
  StoredArray load(std::string_view name) const;

  /// A tensor with the file as its storage, under the terms of map_npy; all tensors of one mode share one mapping. Throws IndexError
  /// for a name that is not there, FormatError for one that is not aligned for its type.
  StoredArray map(std::string_view name, MapMode mode = MapMode::copy_on_write) const;

 private:
  ElementsInFile elements_of(std::string_view name) const;

  std::unique_ptr<const InputFile> file_;
  SafetensorsHeader header_;
  std::vector<std::string> names_;  // of the header's tensors
  std::unordered_map<std::string, std::size_t> places_;
  mutable std::mutex mutex_;  // of the mappings
  mutable std::array<std::shared_ptr<const FileMapping>, 2> mappings_;
};

/// All tensors of a file, in the order of its header. Throws what SafetensorsFile throws.
export std::vector<NamedStoredArray> load_safetensors(const std::string& path);

/// Writes a file as the reference implementation does, tensors of the largest types first. It appears under its name when it is complete and on
/// the disk; when that fails, what was there before is still there. Throws std::system_error where the system refuses, DTypeError for
/// complex128, which the format has not, ShapeError for strides that do not fit their shape, std::invalid_argument for
/// names and keys that are there twice or not UTF-8, for "__metadata__" as a name, and for a header above 100 MB.
export void save_safetensors(const std::string& path, std::span<const NamedArrayToSave> tensors,
                             const SafetensorsMetadata& metadata = {});

/// A checkpoint in several safetensors files: an index, as model.safetensors.index.json, says which of them has which tensor.
export class ShardedSafetensors {
 public:
  /// Reads the index and the headers of all files that it names, which lie beside it. Throws what SafetensorsFile throws, also for an index that
  /// is no JSON object with a "weight_map", names of files that lead out of the folder, and tensors that are not where it says.
  explicit ShardedSafetensors(const std::string& index_path);

  /// Names of the tensors, in the order of the index.
  const std::vector<std::string>& names() const { return names_; }

  /// As those of SafetensorsFile.
  StoredArray load(std::string_view name) const { return file_of(name).load(name); }
  StoredArray map(std::string_view name, MapMode mode = MapMode::copy_on_write) const {
    return file_of(name).map(name, mode);
  }

 private:
  const SafetensorsFile& file_of(std::string_view name) const;

  std::string index_name_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::shared_ptr<const SafetensorsFile>> files_;  // by names of tensors
};

}  // namespace tessera::io
