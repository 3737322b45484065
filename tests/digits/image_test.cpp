// Tests of images inside a page: the PNG is taken apart again.
#include "image.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string from_base64(std::string_view text) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  REQUIRE(text.size() % 4 == 0);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char character : text) {
    if (character == '=') break;
    const std::size_t value = alphabet.find(character);
    REQUIRE(value != alphabet.npos);
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(static_cast<std::size_t>(i)));
  return value;
}

/// Data of the chunk that `png` starts with; the chunk is taken off and its checksum is checked.
std::string_view take_chunk(std::string_view& png, std::string_view type) {
  const std::uint32_t size = big_endian(png);
  const std::string_view body = png.substr(4, 4 + size);
  CHECK(body.substr(0, 4) == type);
  CHECK(big_endian(png.substr(8 + size)) == crc32(0, reinterpret_cast<const Bytef*>(body.data()), 4 + size));
  png.remove_prefix(12 + size);
  return body.substr(4);
}

}  // namespace

TEST_CASE("an ink image is a valid PNG of black with the pixels as opacity") {
  const std::vector<float> pixels{0.0f, 0.2f, 1.0f, 1.5f, -1.0f, NAN};
  const std::string uri = digits::ink_image(pixels, 2, 3);
  constexpr std::string_view prefix = "data:image/png;base64,";
  REQUIRE(uri.substr(0, prefix.size()) == prefix);
  const std::string bytes = from_base64(std::string_view(uri).substr(prefix.size()));
  std::string_view png = bytes;
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  png.remove_prefix(8);
  const std::string_view header = take_chunk(png, "IHDR");
  CHECK(big_endian(header) == 3);            // width
  CHECK(big_endian(header.substr(4)) == 2);  // height
  CHECK(header.substr(8) == std::string_view("\x08\x04\0\0\0", 5));
  const std::string_view data = take_chunk(png, "IDAT");
  std::array<unsigned char, 64> lines{};
  uLongf size = lines.size();
  REQUIRE(uncompress(lines.data(), &size, reinterpret_cast<const Bytef*>(data.data()),
                     static_cast<uLong>(data.size())) == Z_OK);
  CHECK(std::vector<int>(lines.begin(), lines.begin() + size) ==
        std::vector<int>{0, 0, 0, 0, 51, 0, 255, 0, 0, 255, 0, 0, 0, 0});
  CHECK(take_chunk(png, "IEND").empty());
  CHECK(png.empty());
}

TEST_CASE("an image of the wrong size is refused with the numbers") {
  CHECK_THROWS_WITH_AS(digits::ink_image(std::vector<float>(5), 2, 3),
                       "an image of 2x3 pixels cannot be made of 5 values", std::invalid_argument);
  CHECK_THROWS_AS(digits::ink_image({}, 0, 3), std::invalid_argument);
}
