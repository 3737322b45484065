// Decompression of gzip streams in small pieces: what is not asked for is never held in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <span>
#include <string>

namespace digits {

/// Reads the decompressed bytes of a gzip stream, member after member. The stream must outlive the reader.
class GzipReader {
 public:
  /// `name` stands in messages.
  GzipReader(std::istream& compressed, std::string name);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Fills `target` as far as the stream reaches and returns the number of bytes; fewer than asked for means the end.
  /// Throws DataError if the stream is no gzip, is damaged or cut, or if other bytes follow it.
  std::size_t read(std::span<std::uint8_t> target);

 private:
  struct State;  // keeps zlib's macros out of this header

  bool refill();
  void start_next_member();

  std::istream& compressed_;
  std::string name_;
  std::unique_ptr<State> state_;
};

}  // namespace digits
