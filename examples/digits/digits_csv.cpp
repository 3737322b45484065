// Reader of the embedded digits: strict, because a silent slip here would look like a network that learns badly.
#include "digits_csv.hpp"

#include <array>
#include <optional>
#include <span>
#include <sstream>

#include "errors.hpp"
#include "gzip_reader.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr int brightest = 16;
constexpr int largest_label = 9;
constexpr std::size_t most_bytes = std::size_t{16} << 20;  // fifty times the real file

std::string where(const std::string& name, std::size_t line, std::size_t column) {
  return name + ", line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// The number at the start of `rest`, which loses it together with the character behind it.
int take(std::string_view& rest, int largest, char follower, const std::string& place) {
  const std::string_view cell = rest.substr(0, rest.find_first_of(",\n"));
  const std::optional<int> value = number_from<int>(cell);
  if (!value || *value < 0 || *value > largest)
    throw DataError(place + ": " + in_quotes(cell) + " is not a whole number from 0 to " + std::to_string(largest));
  rest.remove_prefix(cell.size());
  if (rest.empty() || rest.front() != follower)
    throw DataError(place + ": expected " + (follower == ',' ? "a comma" : "the end of the line") +
                    " after this value; a line has 64 pixels and a label");
  rest.remove_prefix(1);
  return *value;
}

}  // namespace

DigitRows parse_digits(std::string_view text, const std::string& name) {
  DigitRows rows;
  for (std::size_t line = 1; !text.empty(); ++line) {
    for (std::size_t column = 1; column <= digit_pixels; ++column)
      rows.pixels.push_back(static_cast<float>(take(text, brightest, ',', where(name, line, column))) / brightest);
    rows.labels.push_back(take(text, largest_label, '\n', where(name, line, digit_pixels + 1)));
  }
  if (rows.labels.empty()) throw DataError(name + " holds no digits");
  return rows;
}

DigitRows read_digits(std::string_view compressed, const std::string& name) {
  std::istringstream input{std::string(compressed)};
  GzipReader reader(input, name);
  std::string text;
  std::array<std::uint8_t, 1 << 16> piece;
  while (const std::size_t size = reader.read(piece)) {
    if (text.size() + size > most_bytes)
      throw DataError(name + " holds more than " + byte_count(most_bytes) + " of text");
    text.append(reinterpret_cast<const char*>(piece.data()), size);
  }
  return parse_digits(text, name);
}

}  // namespace digits
