module;
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.io;
import tessera.core;

// Deflating by zlib, and the records of zip files.
namespace tessera::io {

namespace {

// Bytes are in the cache when they are written behind their checksum.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr int version = 45;     // of the format: the one with sizes of 64 bits
constexpr int dos_date = 0x21;  // 1980-01-01, as NumPy has it: equal arrays make equal files
constexpr std::uint32_t permissions = 0600u << 16;

bool is_ascii(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return static_cast<signed char>(c) >= 0; });
}

/// Version needed, flags, method, time, date, CRC: what a local header and the directory begin with.
void append_common(std::string& record, const ZipEntry& entry) {
  append_little_endian(record, version, 2);
  append_little_endian(record, is_ascii(entry.name) ? 0 : zip_utf8, 2);
  append_little_endian(record, entry.deflated ? 8 : 0, 2);
  append_little_endian(record, 0, 2);
  append_little_endian(record, dos_date, 2);
  append_little_endian(record, entry.crc, 4);
}

std::uint64_t or_in_extra_field(std::ptrdiff_t value) {
  return std::min(static_cast<std::uint64_t>(value), zip_in_extra_field);
}

}  // namespace

/// Deflates what it is given into a file.
class Deflater {
 public:
  explicit Deflater(OutputFile& file) : file_(file), output_(piece_bytes) {
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { ::deflateEnd(&stream_); }

  void write(std::span<const std::byte> piece) { run(piece, Z_NO_FLUSH); }
  void end() { run({}, Z_FINISH); }

 private:
  void run(std::span<const std::byte> piece, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));  // zlib does not write to it
    stream_.avail_in = static_cast<uInt>(piece.size());
    int result = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      result = ::deflate(&stream_, flush);
      file_.write(std::span<const std::byte>(output_).first(output_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0 || (flush == Z_FINISH && result == Z_OK));
  }

  OutputFile& file_;
  std::vector<std::byte> output_;
  z_stream stream_{};
};

ZipWriter::ZipWriter(OutputFile& file) : file_(file) {}
ZipWriter::~ZipWriter() = default;

void ZipWriter::begin(const std::string& name, Compression compression) {
  ZipEntry entry{.name = name, .deflated = compression == Compression::deflated, .begin = file_.position()};
  file_.write(local_header(entry));  // with sizes and CRC of 0, until they are known
  entry.data_begin = file_.position();
  if (entry.deflated) deflater_ = std::make_unique<Deflater>(file_);
  entries_.push_back(std::move(entry));
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  ZipEntry& entry = entries_.back();
  entry.uncompressed += std::ssize(bytes);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    entry.crc = crc_of(piece, entry.crc);
    deflater_ != nullptr ? deflater_->write(piece) : file_.write(piece);
    bytes = bytes.subspan(piece.size());
  }
}

void ZipWriter::end() {
  if (deflater_ != nullptr) deflater_->end();
  deflater_.reset();
  ZipEntry& entry = entries_.back();
  entry.compressed = file_.position() - entry.data_begin;
  const std::string header = local_header(entry);
  file_.overwrite(entry.begin, std::as_bytes(std::span<const char>(header)));
}

void ZipWriter::finish() {
  const std::ptrdiff_t begin = file_.position();
  for (const ZipEntry& entry : entries_) file_.write(central_record(entry));
  file_.write(end_records(begin));
}

std::string ZipWriter::local_header(const ZipEntry& entry) const {
  std::string header;
  append_little_endian(header, zip_local_signature, 4);
  append_common(header, entry);
  append_little_endian(header, zip_in_extra_field, 4);
  append_little_endian(header, zip_in_extra_field, 4);
  append_little_endian(header, entry.name.size(), 2);
  append_little_endian(header, 20, 2);
  header += entry.name;
  append_little_endian(header, zip64_extra_id, 2);
  append_little_endian(header, 16, 2);
  append_little_endian(header, static_cast<std::uint64_t>(entry.uncompressed), 8);
  append_little_endian(header, static_cast<std::uint64_t>(entry.compressed), 8);
  return header;
}

std::string ZipWriter::central_record(const ZipEntry& entry) const {
  std::string large;
  for (const std::ptrdiff_t value : {entry.uncompressed, entry.compressed, entry.begin}) {
    if (or_in_extra_field(value) == zip_in_extra_field)
      append_little_endian(large, static_cast<std::uint64_t>(value), 8);
  }
  std::string record;
  append_little_endian(record, zip_central_signature, 4);
  append_little_endian(record, 3 << 8 | version, 2);  // made on Unix
  append_common(record, entry);
  append_little_endian(record, or_in_extra_field(entry.compressed), 4);
  append_little_endian(record, or_in_extra_field(entry.uncompressed), 4);
  append_little_endian(record, entry.name.size(), 2);
  append_little_endian(record, large.empty() ? 0 : large.size() + 4, 2);
  append_little_endian(record, 0, 2);  // no comment
  append_little_endian(record, 0, 4);  // the first disk, no attributes
  append_little_endian(record, permissions, 4);
  append_little_endian(record, or_in_extra_field(entry.begin), 4);
  record += entry.name;
  if (!large.empty()) {
    append_little_endian(record, zip64_extra_id, 2);
    append_little_endian(record, large.size(), 2);
    record += large;
  }
  return record;
}

std::string ZipWriter::end_records(std::ptrdiff_t directory_begin) const {
  const std::ptrdiff_t end = file_.position();
  const std::uint64_t entries = entries_.size();
  const auto begin = static_cast<std::uint64_t>(directory_begin);
  const auto bytes = static_cast<std::uint64_t>(end) - begin;
  std::string records;
  if (entries >= 0xffff || begin >= zip_in_extra_field || bytes >= zip_in_extra_field) {
    append_little_endian(records, zip64_end_signature, 4);
    append_little_endian(records, static_cast<std::uint64_t>(zip64_end_bytes - 12), 8);
    append_little_endian(records, 3 << 8 | version, 2);
    append_little_endian(records, version, 2);
    append_little_endian(records, 0, 8);  // this disk and that of the directory
    append_little_endian(records, entries, 8);
    append_little_endian(records, entries, 8);
    append_little_endian(records, bytes, 8);
    append_little_endian(records, begin, 8);
    append_little_endian(records, zip64_locator_signature, 4);
    append_little_endian(records, 0, 4);
    append_little_endian(records, static_cast<std::uint64_t>(end), 8);
    append_little_endian(records, 1, 4);
  }
  append_little_endian(records, zip_end_signature, 4);
  append_little_endian(records, 0, 4);
  append_little_endian(records, std::min<std::uint64_t>(entries, 0xffff), 2);
  append_little_endian(records, std::min<std::uint64_t>(entries, 0xffff), 2);
  append_little_endian(records, std::min(bytes, zip_in_extra_field), 4);
  append_little_endian(records, std::min(begin, zip_in_extra_field), 4);
  append_little_endian(records, 0, 2);
  return records;
}

}  // namespace tessera::io
