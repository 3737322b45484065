module;
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
module tessera.schedule;

// Escaping, and numbers as text. Everything reads its text as UTF-8 code points, so that no output is ever ill-formed.
namespace tessera {

namespace {

constexpr char32_t replacement = 0xFFFD;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// How many bytes a code point takes that begins with `lead`; 0 if none begins so.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Overlong forms, surrogates and what lies above U+10FFFF are not UTF-8.
bool is_valid(char32_t point, std::size_t length) {
  constexpr std::array<char32_t, 5> lowest{0, 0, 0x80, 0x800, 0x10000};
  return point >= lowest[length] && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

/// Takes the first code point off `text`, which is not empty; a byte that begins none is taken as U+FFFD.
char32_t take(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = length_of(lead);
  constexpr std::array<unsigned, 5> payload{0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t point = lead & payload[length];
  bool valid = length > 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = is_continuation(text[i]);
    point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  valid = valid && is_valid(point, length);
  text.remove_prefix(valid ? length : 1);
  return valid ? point : replacement;
}

void put(std::string& out, char32_t point) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  const auto rest = [&](unsigned shift) { byte(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xC0U | (point >> 6U));
    return rest(0);
  }
  if (point < 0x10000) {
    byte(0xE0U | (point >> 12U));
    rest(6);
    return rest(0);
  }
  byte(0xF0U | (point >> 18U));
  rest(12);
  rest(6);
  rest(0);
}

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

/// Tabs and ends of lines stay; all other control characters and the two non-characters of XML do not.
char32_t printable(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return point;
  return is_control(point) || point == 0xFFFE || point == 0xFFFF ? replacement : point;
}

/// `text` code point by code point, each as `spelled` spells it: a C string, or nullptr for the code point itself.
template <class Spelled>
std::string spelled_out(std::string_view text, Spelled spelled) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t point = take(text);
    if (const char* const spelling = spelled(point))
      out += spelling;
    else
      put(out, printable(point));
  }
  return out;
}

const char* json_spelling(char32_t point) {
  switch (point) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return nullptr;
  }
}

std::string json_control(char32_t point) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("\\u00") + digits[(point >> 4U) & 0xFU] + digits[point & 0xFU];
}

double width_of(char32_t point) {
  constexpr std::string_view narrow = " !'()*,-./:;I[\\]`fijlrt{|}";
  constexpr std::string_view wide = "%@MW_mw<>=+~#&";
  if (point >= 0x1100) return 1.05;
  if (point >= 0x80) return 0.7;
  const char letter = static_cast<char>(point);
  if (narrow.find(letter) != narrow.npos) return 0.39;
  if (wide.find(letter) != wide.npos) return 0.88;
  return letter >= 'A' && letter <= 'Z' ? 0.71 : 0.63;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  return spelled_out(text, [](char32_t point) -> const char* {
    switch (point) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
      case '\r': return "&#13;";  // as it stands, a reader would make a line feed of it
      default: return nullptr;
    }
  });
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char32_t point = take(text);
    if (const char* const spelling = json_spelling(point))
      out += spelling;
    else if (is_control(point))
      out += json_control(point);
    else
      put(out, point);
  }
  return out + "\"";
}

std::string dot_quoted(std::string_view text) {
  return "\"" +
         spelled_out(text,
                     [](char32_t point) -> const char* {
                       switch (point) {
                         case '"': return "\\\"";
                         case '\\': return "\\\\";
                         case '&': return "&amp;";  // Graphviz reads entities in labels
                         case '\n': return "\\n";
                         case '\r': return " ";
                         default: return nullptr;
                       }
                     }) +
         "\"";
}

std::string decimal(double value, int decimals) {
  std::array<char, 340> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  std::string text(buffer.data(), end);
  if (decimals > 0) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, ",");
  return text;
}

std::string duration(std::int64_t nanoseconds) {
  const double magnitude = std::abs(static_cast<double>(nanoseconds));
  if (magnitude < 1000) return std::to_string(nanoseconds) + " ns";
  double value = static_cast<double>(nanoseconds) / 1000;
  std::string_view unit = " µs";
  for (const std::string_view larger : {" ms", " s"}) {
    if (std::abs(value) < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  const double size = std::abs(value);
  const int decimals = size < 9.995 ? 2 : (size < 99.95 ? 1 : 0);
  std::array<char, 64> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return std::string(buffer.data(), end) + std::string(unit);
}

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) width += width_of(take(text));
  return width;
}

std::string shortened(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "…";
  constexpr double shortest_useful = 1.8;  // about three letters
  const double room = width - width_of(U'.') * 2;
  std::string_view rest = text;
  for (double used = 0; !rest.empty();) {
    std::string_view next = rest;
    used += width_of(take(next));
    if (used > room) break;
    rest = next;
  }
  const std::string_view kept = text.substr(0, text.size() - rest.size());
  return text_width(kept) < shortest_useful ? "" : std::string(kept) + std::string(ellipsis);
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

}  // namespace tessera
