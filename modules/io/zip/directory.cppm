module;
#include <cstddef>
#include <cstdint>
export module tessera.io:zip_directory;
import tessera.standard;
import tessera.core;
import :input_file;
import :refusal;
import :zip_records;

// What is in a zip file.
namespace tessera::io {

/// An entry that may be read: its data lies within the file and apart from all other entries, and its size is one that it can have.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::ptrdiff_t begin = 0;         // of its local header, in bytes of the file
  std::ptrdiff_t data_begin = 0;    // in bytes of the file
  std::ptrdiff_t compressed = 0;    // bytes in the file
  std::ptrdiff_t uncompressed = 0;  // bytes that it stands for
};

/// The most that a byte of deflated data can stand for: a match of 258 bytes takes 2 bits.
inline constexpr std::ptrdiff_t highest_deflate_ratio = 1032;

/// What is wrong with a name of an entry: empty, absolute, with a part "..", with a zero byte; nothing if it is a good one.
std::string_view fault_of_entry_name(std::string_view name);

/// All entries, in the order of the directory. Throws FormatError for encrypted entries, compression other than deflate, names that are absolute,
/// lead upwards or are there twice, sizes that the data cannot have, data that overlaps, and headers that contradict the directory.
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

}  // namespace tessera::io
