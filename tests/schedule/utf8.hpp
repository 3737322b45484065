// The code points of a UTF-8 text, read strictly: what the checkers of JSON and XML have in common.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

/// Takes a code point off `text`. Throws std::runtime_error if it is not the shortest form of one, or if nothing is left.
inline char32_t take_code_point(std::string_view& text) {
  if (text.empty()) throw std::runtime_error("the text ends too early");
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC0 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF8 ? 4
                                           : 0;
  if (length == 0 || length > text.size())
    throw std::runtime_error("this begins no code point: " + std::to_string(lead));
  char32_t point = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) throw std::runtime_error("a code point is cut off");
    point = point * 64 + (byte(i) & 0x3FU);
  }
  constexpr char32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  if (point < lowest[length] || point > 0x10FFFF || is_surrogate)
    throw std::runtime_error("not a code point: " + std::to_string(static_cast<unsigned long>(point)));
  text.remove_prefix(length);
  return point;
}

/// Names that a careless writer of any format gets wrong, and how each must read where it can be written in full.
struct NastyName {
  std::string_view written;
  std::string_view read;
};

inline constexpr NastyName nasty_names[] = {
    {"", ""},
    {"plain", "plain"},
    {"a < b && c > \"d\"", "a < b && c > \"d\""},
    {"it's", "it's"},
    {"back\\slash \\N \\l \\", "back\\slash \\N \\l \\"},
    {"]]> <!-- --> <![CDATA[ </title></svg>", "]]> <!-- --> <![CDATA[ </title></svg>"},
    {"&lt; &amp; &#10;", "&lt; &amp; &#10;"},
    {"x \xE2\x86\x92 y, \xC3\xBC\xC3\x9F, \xF0\x9F\xA6\x8A", "x \xE2\x86\x92 y, \xC3\xBC\xC3\x9F, \xF0\x9F\xA6\x8A"},
    {"lone \x80 lead \xC3", "lone \xEF\xBF\xBD lead \xEF\xBF\xBD"},
    {"overlong \xC0\xAF", "overlong \xEF\xBF\xBD\xEF\xBF\xBD"},
    {"surrogate \xED\xA0\x80", "surrogate \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"too high \xF4\x90\x80\x80", "too high \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"two\nlines\tand a tab", "two\nlines\tand a tab"},
};
