// Makes gzip streams and IDX files for the tests, whole and broken ones.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// `content` as a gzip stream.
inline std::string gzip(std::string_view content) {
  z_stream stream{};
  constexpr int as_gzip = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, as_gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2 failed");
  std::string result(deflateBound(&stream, static_cast<uLong>(content.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return result;
}

/// An IDX header: a magic number and extents, big-endian.
inline std::string idx_header(std::uint32_t magic, const std::vector<std::uint32_t>& extents) {
  std::string bytes;
  const auto append = [&bytes](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  };
  append(magic);
  for (const std::uint32_t extent : extents) append(extent);
  return bytes;
}

inline constexpr std::uint32_t images_magic = 0x803;
inline constexpr std::uint32_t labels_magic = 0x801;

/// Images whose bytes count up from 0, as an idx3-ubyte file before compression.
inline std::string idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  std::string bytes = idx_header(images_magic, {count, rows, columns});
  for (std::uint32_t i = 0; i < count * rows * columns; ++i) bytes += static_cast<char>(i);
  return bytes;
}

/// Labels 0, 1, ... 9, 0, ... as an idx1-ubyte file before compression.
inline std::string idx_labels(std::uint32_t count) {
  std::string bytes = idx_header(labels_magic, {count});
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}
