// PNG (ISO/IEC 15948) and base64 (RFC 4648) for small grey images.
#include "image.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace digits {

namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(std::string_view type, const std::string& data) {
  const std::string body = std::string(type) + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
}

std::string compressed(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                static_cast<uLong>(data.size()), Z_BEST_COMPRESSION) != Z_OK)
    throw std::runtime_error("an image of " + std::to_string(data.size()) + " bytes could not be compressed");
  result.resize(size);
  return result;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= group.size() ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string ink_image(std::span<const float> pixels, int rows, int columns) {
  if (rows < 1 || columns < 1 || pixels.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
    throw std::invalid_argument("an image of " + std::to_string(rows) + "x" + std::to_string(columns) +
                                " pixels cannot be made of " + std::to_string(pixels.size()) + " values");
  std::string lines;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    constexpr char no_filter = 0;
    constexpr char black = 0;
    if (i % static_cast<std::size_t>(columns) == 0) lines += no_filter;
    lines += black;
    // max first: a NaN compares false and becomes 0.
    lines += static_cast<char>(std::lround(std::min(std::max(0.0f, pixels[i]), 1.0f) * 255));
  }
  // 8 bits a channel, grey with alpha, and the only methods of compression, filter and interlace that are needed.
  const std::string header = big_endian(static_cast<std::uint32_t>(columns)) +
                             big_endian(static_cast<std::uint32_t>(rows)) + std::string("\x08\x04\0\0\0", 5);
  const std::string png =
      "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", compressed(lines)) + chunk("IEND", "");
  return "data:image/png;base64," + base64(png);
}

}  // namespace digits
