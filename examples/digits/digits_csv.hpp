// Reader of the embedded digits: gzip-compressed lines of 64 pixels and a label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace digits {

inline constexpr std::size_t digit_pixels = 64;

/// Pixels scaled from 0..16 to 0..1, 64 a digit, and a label 0..9 for each.
struct DigitRows {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
};

/// Decompresses and parses; `name` stands in messages. Throws DataError naming line and column.
DigitRows read_digits(std::string_view compressed, const std::string& name);

/// As read_digits, from text that is not compressed: comma-separated whole numbers, every line ended by a line feed.
DigitRows parse_digits(std::string_view text, const std::string& name);

}  // namespace digits
