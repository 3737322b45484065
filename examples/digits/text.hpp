// Numbers and names as text, and numbers from text: the same on every machine, whatever its locale says.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace digits {

/// `value` with `decimals` (0 to 17) digits after the point; "nan", "inf" and "-inf" where it is not finite.
std::string fixed(double value, int decimals);

/// The shortest text that reads back as `value`, such as "0.1" or "1e-04".
std::string shortest(double value);

/// 60000 as "60,000".
std::string grouped(std::int64_t value);

/// 0.9778 as "97.78 %".
std::string percent(double fraction, int decimals = 2);

/// 1536 as "1.5 KiB"; whole bytes below 1 KiB.
std::string byte_count(std::int64_t bytes);

/// 0.00042 as "0.42 ms", 3.1 as "3.10 s", 125 as "2 min 05 s".
std::string duration(double seconds);

/// 16 lower-case hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

/// The numbers with `separator` between them.
std::string joined(std::span<const std::int64_t> values, std::string_view separator);

/// `text` as one word of a shell's command line, quoted where that is needed.
std::string shell_word(std::string_view text);

/// The number that the whole of `text` spells; nothing if it spells none, has blanks or a plus around it, or does not fit.
template <typename Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const char* const begin = text.data();
  const char* const last = begin + text.size();
  const auto [end, error] = std::from_chars(begin, last, number);
  if (error != std::errc{} || end != last) return std::nullopt;
  return number;
}

/// `text` in single quotes, on one line: control characters are spelled out and long texts are cut.
std::string in_quotes(std::string_view text);

/// `text` with the characters that HTML gives a meaning spelled as entities; fits elements and attributes.
std::string html_escaped(std::string_view text);

}  // namespace digits
