module;
#include <cstddef>
export module tessera.io:mapping;
import tessera.standard;
import tessera.core;
import tessera.array;
import :byte_order;
import :input_file;
import :refusal;
import :stored;

// Files as memory.
namespace tessera::io {

/// What may be done to the elements of an array whose storage is a file.
export enum class MapMode {
  copy_on_write,  ///< writing changes this process's elements, never the file; a page is copied when it is first written to
  read_only,      ///< writing to an element ends the program, as writing to any constant memory does
};

/// A file in the address space, until the last share of it goes. It needs no open descriptor.
class FileMapping {
 public:
  /// Takes the same time for a file of any size. Throws std::system_error.
  FileMapping(const InputFile& file, MapMode mode);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

/// Where in a file the elements of an array lie.
struct ElementsInFile {
  std::string_view source;  // for messages
  std::ptrdiff_t at;        // byte of the file
  std::ptrdiff_t bytes;
  DType dtype;
  DDim shape;
  bool fortran_order = false;
  bool big_endian = false;
};

/// Reads the elements into memory of the pool, without checking anything: they are within the file. Throws OutOfMemory, and what
/// InputFile::read throws.
StoredArray read_elements(const InputFile& file, const ElementsInFile& elements);

/// The elements as they lie in the mapped file, which the array keeps alive. Throws FormatError if they are big-endian, not aligned for their
/// type, or bytes that no bool has: those of bool are all read.
StoredArray map_elements(const std::shared_ptr<const FileMapping>& mapping, const ElementsInFile& elements);

}  // namespace tessera::io
