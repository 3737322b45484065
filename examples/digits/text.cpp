// Numbers and names as text for people.
#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace digits {

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;  // the longest finite double has 309 digits before the point
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return std::string(text.data(), end);
}

std::string shortest(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first_digit = value < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > first_digit + 3;) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

std::string percent(double fraction, int decimals) { return fixed(fraction * 100, decimals) + " %"; }

std::string byte_count(std::int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr std::array<const char*, 5> units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0 of the smaller unit.
  for (; amount >= 1023.95 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return fixed(amount, 1) + " " + units[unit];
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return fixed(seconds, 0) + " s";
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995) return fixed(seconds * 1e3, seconds < 0.01 ? 2 : 0) + " ms";
  if (seconds < 9.995) return fixed(seconds, 2) + " s";
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  if (seconds > 1e9) return fixed(seconds, 0) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::string rest = std::to_string(whole % 60);
  return grouped(whole / 60) + " min " + (rest.size() < 2 ? "0" : "") + rest + " s";
}

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t place = 16; place-- > 0; value >>= 4) text[place] = "0123456789abcdef"[value & 15];
  return text;
}

std::string joined(std::span<const std::int64_t> values, std::string_view separator) {
  std::string text;
  for (const std::int64_t value : values) {
    if (!text.empty()) text += separator;
    text += std::to_string(value);
  }
  return text;
}

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=+.,:/@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char character : text) word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return word + "'";
}

std::string in_quotes(std::string_view text) {
  static constexpr std::size_t longest = 120;
  std::string result = "'";
  for (const char character : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte != 0x7f) {
      result += character;
    } else {
      result += "\\x" + hexadecimal(byte).substr(14);
    }
  }
  if (text.size() > longest) result += "...";
  return result + "'";
}

std::string html_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    switch (character) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += character;
    }
  }
  return result;
}

}  // namespace digits
