module;
#include <cstddef>
export module tessera.io:output_file;
import tessera.standard;
import tessera.core;
import :refusal;

// A file that appears under its name when it is complete, or not at all.
namespace tessera::io {

/// Writes to a temporary file in the target's folder, which takes the target's name when all has reached the disk. Before that the
/// target is as it was, and the temporary file goes with this object. A target that is a symbolic link keeps being one: what it points to
/// is replaced. A file that is replaced hands its permissions on.
class OutputFile {
 public:
  /// Throws std::system_error where the folder cannot be written to, or the target is something else than a regular file.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Bytes written so far.
  std::ptrdiff_t position() const { return position_; }

  /// Appends; few bytes are collected. Throws std::system_error.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view bytes);

  /// Replaces bytes that were written before. Throws std::system_error.
  void overwrite(std::ptrdiff_t at, std::span<const std::byte> bytes);

  /// Puts the file in the target's place. When it returns, file and name are on the disk. Throws std::system_error; the target is then
  /// as it was, unless the message says that only its folder could not be written to the disk.
  void commit();

 private:
  void flush();
  void write_at(std::ptrdiff_t at, std::span<const std::byte> bytes);
  void begin_writing_back(std::ptrdiff_t end);
  [[noreturn]] void fail(int error_number, const char* doing) const;

  std::string name_;       // of the target, for messages
  std::string target_;     // without symbolic links
  std::string temporary_;  // empty when there is none
  int descriptor_ = -1;
  std::vector<std::byte> collected_;  // the last bytes, which are not in the file yet
  std::ptrdiff_t position_ = 0;
  std::ptrdiff_t on_the_way_ = 0;  // up to here the kernel has been told to write to the disk
};

}  // namespace tessera::io
