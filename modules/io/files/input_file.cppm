module;
#include <cstddef>
export module tessera.io:input_file;
import tessera.standard;
import tessera.core;
import :refusal;

// A file that is open for reading at any place.
namespace tessera::io {

class InputFile {
 public:
  /// Opens a regular file. Throws std::system_error where the system refuses, FormatError for what is no regular file.
  explicit InputFile(const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// The path in quotes, for messages.
  const std::string& name() const { return name_; }
  /// Bytes of the file when it was opened.
  std::ptrdiff_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  /// Reads all of `to` from byte `at` on, straight into it: much of it in pieces by several threads. Throws std::system_error, and
  /// FormatError if the file has become shorter since it was opened. What is asked for is within the size.
  void read(std::ptrdiff_t at, std::span<std::byte> to) const;

 private:
  void read_piece(std::ptrdiff_t at, std::span<std::byte> to) const;

  std::string name_;
  int descriptor_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace tessera::io
