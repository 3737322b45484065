module;
#include <cstddef>
#include <cstdint>
export module tessera.io:zip_entry_reader;
import tessera.standard;
import tessera.core;
import :input_file;
import :refusal;
import :zip_directory;

// Data of one entry of a zip file, from its first byte to its last.
namespace tessera::io {

class Inflater;

/// Reads an entry into memory that the caller has, with its CRC; deflated data is inflated straight into it. The file and the entry outlive it.
class ZipEntryReader {
 public:
  /// Throws std::bad_alloc.
  ZipEntryReader(const InputFile& file, const ZipEntry& entry);
  ZipEntryReader(const ZipEntryReader&) = delete;
  ZipEntryReader& operator=(const ZipEntryReader&) = delete;
  ~ZipEntryReader();

  /// The file and the entry, for messages.
  const std::string& name() const { return name_; }

  /// The next bytes. The caller asks for no more than the entry says it has. Throws FormatError for data that is broken or ends before that.
  void read(std::span<std::byte> to);

  /// All has been read. Throws FormatError if there is more data, or the CRC is another.
  void finish();

 private:
  const InputFile& file_;
  const ZipEntry& entry_;
  std::string name_;
  std::unique_ptr<Inflater> inflater_;  // null for a stored entry
  std::ptrdiff_t position_ = 0;         // bytes of the entry that have been read
  std::uint32_t crc_ = 0;
};

/// The CRC-32 of bytes behind those with the CRC `before`, by several threads.
std::uint32_t crc_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace tessera::io
