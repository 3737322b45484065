module;
#include <cstddef>
#include <cstdint>
export module tessera.io:zip_writer;
import tessera.standard;
import tessera.core;
import :output_file;
import :zip_directory;

// Writing zip files, entry after entry.
namespace tessera::io {

/// How entries of a .npz file are kept.
export enum class Compression {
  stored,    ///< as they are, as by numpy.savez
  deflated,  ///< by zlib at its usual level, as by numpy.savez_compressed
};

class Deflater;

/// Entries have sizes of 64 bits, as NumPy's. The caller's names are good ones and each is there once.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file);
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  /// Begins an entry. Throws std::system_error, std::bad_alloc, as those below.
  void begin(const std::string& name, Compression compression);
  void write(std::span<const std::byte> bytes);
  void end();

  /// Writes the directory behind the entries.
  void finish();

 private:
  std::string local_header(const ZipEntry& entry) const;
  std::string central_record(const ZipEntry& entry) const;
  std::string end_records(std::ptrdiff_t directory_begin) const;

  OutputFile& file_;
  std::unique_ptr<Deflater> deflater_;  // null between entries and while one is stored
  std::vector<ZipEntry> entries_;
};

}  // namespace tessera::io
