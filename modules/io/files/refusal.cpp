module;
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
module tessera.io;
import tessera.core;

// Messages of readers and writers.
namespace tessera::io {

void Refusal::raise() const {
  const std::string operation = "reading " + std::string(source);
  throw FormatError(
      to_string(Failure{.operation = operation,
                        .problem = "at byte " + std::to_string(at) + ": expected " + expected + ", found " + found,
                        .advice = advice}));
}

namespace {

void append_printable(std::string& text, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
}

}  // namespace

std::string quoted(std::string_view bytes) {
  constexpr std::size_t longest = 40;
  std::string text = "\"";
  append_printable(text, bytes.substr(0, longest));
  text += bytes.size() > longest ? "\"..." : "\"";
  return text;
}

std::string quoted_path(std::string_view path) {
  std::string text = "\"";
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_text = static_cast<unsigned char>(path[i]) >= 0x20;  // UTF-8 too; what() would end at a zero byte
    is_text ? void(text += path[i]) : append_printable(text, path.substr(i, 1));
  }
  return text + '"';
}

std::string count_of_bytes(std::ptrdiff_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

void raise_system_error(int error_number, const std::string& what) {
  throw std::system_error(error_number, std::generic_category(), what);
}

std::optional<std::size_t> find_broken_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) {
      ++at;
      continue;
    }
    const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || text.size() - at <= more) return at;
    std::uint32_t code = first & (0x3fu >> more);
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xc0) != 0x80) return at;
      code = code << 6 | (next & 0x3fu);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return at;
    at += more + 1;
  }
  return std::nullopt;
}

}  // namespace tessera::io
