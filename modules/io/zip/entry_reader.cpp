module;
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>
module tessera.io;
import tessera.core;
import tessera.schedule;

// Inflating by zlib, and checksums.
namespace tessera::io {

namespace {

constexpr std::ptrdiff_t input_bytes = std::ptrdiff_t{256} << 10;
// Inflated bytes are still in the cache when their checksum is taken.
constexpr std::ptrdiff_t output_bytes = std::ptrdiff_t{256} << 10;

std::string to_hex(std::uint32_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[value >> shift & 15];
  return text;
}

}  // namespace

/// The deflated data of an entry, as far as it has been inflated.
class Inflater {
 public:
  Inflater(const InputFile& file, const ZipEntry& entry, const std::string& source)
      : file_(file), source_(source), at_(entry.data_begin), left_(entry.compressed) {
    input_.resize(static_cast<std::size_t>(std::min(input_bytes, left_)));
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream_); }

  /// Fills at most `to`; returns how many bytes there were, fewer only at the end of the data.
  std::ptrdiff_t inflate(std::span<std::byte> to) {
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    while (stream_.avail_out > 0 && !ended_) {
      refill();
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      ended_ = result == Z_STREAM_END;
      const bool starved = result == Z_BUF_ERROR && stream_.avail_in == 0 && left_ == 0;
      if (starved || (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)) {
        Refusal{.source = source_,
                .at = position(),
                .expected = "deflated data",
                .found = starved                  ? "its end in the middle"
                         : stream_.msg != nullptr ? stream_.msg
                                                  : "something else"}
            .raise();
      }
    }
    return std::ssize(to) - static_cast<std::ptrdiff_t>(stream_.avail_out);
  }

  /// All of the data belongs to the stream, and the stream has ended.
  bool is_complete() const { return ended_ && stream_.avail_in == 0 && left_ == 0; }

  std::ptrdiff_t position() const { return at_ - static_cast<std::ptrdiff_t>(stream_.avail_in); }

 private:
  void refill() {
    if (stream_.avail_in > 0 || left_ == 0) return;
    const auto piece = std::span(input_).first(static_cast<std::size_t>(std::min(std::ssize(input_), left_)));
    file_.read(at_, piece);
    stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_in = static_cast<uInt>(piece.size());
    at_ += std::ssize(piece);
    left_ -= std::ssize(piece);
  }

  const InputFile& file_;
  const std::string& source_;
  std::ptrdiff_t at_;    // byte of the file up to which it has been read
  std::ptrdiff_t left_;  // bytes of the entry behind that
  std::vector<std::byte> input_;
  z_stream stream_{};
  bool ended_ = false;
};

ZipEntryReader::ZipEntryReader(const InputFile& file, const ZipEntry& entry)
    : file_(file), entry_(entry), name_(file.name() + ", entry " + quoted(entry.name)) {
  if (entry.deflated) inflater_ = std::make_unique<Inflater>(file, entry, name_);
}

ZipEntryReader::~ZipEntryReader() = default;

void ZipEntryReader::read(std::span<std::byte> to) {
  if (inflater_ == nullptr) {
    file_.read(entry_.data_begin + position_, to);
    crc_ = crc_of(to, crc_);
    position_ += std::ssize(to);
    return;
  }
  while (!to.empty()) {
    const auto piece = to.first(std::min<std::size_t>(to.size(), static_cast<std::size_t>(output_bytes)));
    const std::ptrdiff_t got = inflater_->inflate(piece);
    position_ += got;
    if (got < std::ssize(piece)) {
      Refusal{.source = name_,
              .at = inflater_->position(),
              .expected = "data for " + count_of_bytes(entry_.uncompressed),
              .found = "its end after " + count_of_bytes(position_)}
          .raise();
    }
    crc_ = crc_of(piece, crc_);
    to = to.subspan(piece.size());
  }
}

void ZipEntryReader::finish() {
  if (inflater_ != nullptr) {
    std::byte beyond{};
    if (inflater_->inflate({&beyond, 1}) != 0 || !inflater_->is_complete()) {
      Refusal{.source = name_,
              .at = inflater_->position(),
              .expected = "the end of the data behind " + count_of_bytes(entry_.uncompressed),
              .found = "more"}
          .raise();
    }
  }
  if (crc_ != entry_.crc) {
    Refusal{.source = name_,
            .at = entry_.data_begin,
            .expected = "data of the CRC " + to_hex(entry_.crc),
            .found = to_hex(crc_),
            .advice = "the file is damaged"}
        .raise();
  }
}

std::uint32_t crc_of(std::span<const std::byte> bytes, std::uint32_t before) {
  constexpr std::ptrdiff_t piece_bytes = std::ptrdiff_t{1} << 20;
  const auto crc = [](std::uint32_t start, std::span<const std::byte> piece) {
    return static_cast<std::uint32_t>(::crc32_z(start, reinterpret_cast<const Bytef*>(piece.data()), piece.size()));
  };
  const std::ptrdiff_t pieces = (std::ssize(bytes) + piece_bytes - 1) / piece_bytes;
  if (pieces <= 1) return bytes.empty() ? before : crc(before, bytes);
  const auto piece_of = [&](std::ptrdiff_t i) {
    return bytes.subspan(static_cast<std::size_t>(i * piece_bytes),
                         static_cast<std::size_t>(std::min(piece_bytes, std::ssize(bytes) - i * piece_bytes)));
  };
  std::vector<std::uint32_t> parts(static_cast<std::size_t>(pieces));
  parallel_for(pieces, [&](std::ptrdiff_t i) { parts[static_cast<std::size_t>(i)] = crc(0, piece_of(i)); });
  for (std::ptrdiff_t i = 0; i < pieces; ++i) {
    before = static_cast<std::uint32_t>(
        ::crc32_combine(before, parts[static_cast<std::size_t>(i)], std::ssize(piece_of(i))));
  }
  return before;
}

}  // namespace tessera::io
