module;
#include <cstddef>
#include <cstdint>
export module tessera.io:zip_records;
import tessera.standard;
import tessera.core;
import :byte_order;
import :input_file;
import :refusal;

// The records of a zip file as they lie in it (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
namespace tessera::io {

inline constexpr std::uint32_t zip_local_signature = 0x04034b50;
inline constexpr std::uint32_t zip_central_signature = 0x02014b50;
inline constexpr std::uint32_t zip_end_signature = 0x06054b50;
inline constexpr std::uint32_t zip64_end_signature = 0x06064b50;
inline constexpr std::uint32_t zip64_locator_signature = 0x07064b50;

inline constexpr std::ptrdiff_t zip_local_bytes = 30;  // without name and extra fields, as those below
inline constexpr std::ptrdiff_t zip_central_bytes = 46;
inline constexpr std::ptrdiff_t zip_end_bytes = 22;
inline constexpr std::ptrdiff_t zip64_end_bytes = 56;
inline constexpr std::ptrdiff_t zip64_locator_bytes = 20;

inline constexpr std::uint64_t zip_in_extra_field =
    0xffffffff;  // a size or offset that stands in the extra field of zip64
inline constexpr std::uint16_t zip64_extra_id = 1;

/// Bits of a record's flags.
inline constexpr unsigned zip_encrypted = 1u << 0 | 1u << 6 | 1u << 13;
inline constexpr unsigned zip_patched = 1u << 5;
inline constexpr unsigned zip_has_descriptor = 1u
                                               << 3;  // CRC and sizes stand behind the data too, and may be 0 before it
inline constexpr unsigned zip_utf8 = 1u << 11;

/// Where the central directory lies.
struct ZipEnd {
  std::ptrdiff_t directory_begin = 0;
  std::ptrdiff_t directory_bytes = 0;
  std::uint64_t entries = 0;
};

/// Finds the directory by the record at the end of the file, behind which stands a comment at most. Throws FormatError.
ZipEnd find_zip_end(const InputFile& file);

/// What a local header and the directory both say of an entry; sizes are those of the extra field where they stand there.
struct ZipRecord {
  std::ptrdiff_t at = 0;  // byte of the file
  unsigned flags = 0;
  unsigned method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t uncompressed = 0;
  std::string name;
  std::uint64_t local_begin = 0;    // of a record of the directory
  std::ptrdiff_t record_bytes = 0;  // with name, extra fields and comment
};

/// A record of the directory; `bytes` is what is left of it, `at` where that lies in the file. Throws FormatError.
ZipRecord read_central_record(const InputFile& file, std::ptrdiff_t at, std::span<const std::byte> bytes);

/// The local header at byte `at`, which ends before `end`. Throws FormatError.
ZipRecord read_local_record(const InputFile& file, std::ptrdiff_t at, std::ptrdiff_t end);

}  // namespace tessera::io
