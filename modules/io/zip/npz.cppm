module;
#include <cstddef>
export module tessera.io:npz;
import tessera.standard;
import tessera.core;
import :byte_order;
import :input_file;
import :npy_header;
import :output_file;
import :refusal;
import :stored;
import :zip_directory;
import :zip_entry_reader;
import :zip_records;
import :zip_writer;

// Files of several arrays with names, as numpy.savez() writes them: .npy files in a zip file.
namespace tessera::io {

/// A .npz file that is open: its arrays are read one by one.
export class NpzFile {
 public:
  /// Reads the directory. Throws FormatError for what is no zip file of .npy files, is encrypted or compressed otherwise than by deflate, has
  /// names that are absolute, lead upwards or are there twice, entries that overlap, or sizes that the data cannot have;
  /// std::system_error where the system refuses.
  explicit NpzFile(const std::string& path);
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;
  ~NpzFile();

  /// Names of the arrays, without ".npy", in the order of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// Reads an array; deflated elements are inflated where they will stay, once the header has been checked. Throws IndexError
  /// for a name that is not there, FormatError as load_npy does and for data that is broken or has another CRC; OutOfMemory.
  StoredArray load(std::string_view name) const;

 private:
  std::unique_ptr<const InputFile> file_;
  std::vector<ZipEntry> entries_;
  std::vector<std::string> names_;  // of the entries
  std::unordered_map<std::string, std::size_t> places_;
};

/// All arrays of a .npz file, in its order. Throws what NpzFile throws.
export std::vector<NamedStoredArray> load_npz(const std::string& path);

/// Writes a .npz file. It appears under its name when it is complete and on the disk; when that fails, what was there before is still
/// there. Throws std::system_error where the system refuses, ShapeError for strides that do not fit their shape, std::invalid_argument for
/// names that are there twice, empty, absolute, lead to a folder above or are not UTF-8.
export void save_npz(const std::string& path, std::span<const NamedArrayToSave> arrays,
                     Compression compression = Compression::stored);

}  // namespace tessera::io
