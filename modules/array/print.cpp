module;
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.array;

// NumPy's rules for showing numbers and brackets (numpy.set_printoptions with its defaults).
namespace tessera {

namespace {

constexpr int most_decimals = 8;

std::string digits_of(double value, bool single_precision, std::chars_format format, int precision) {
  char text[512];
  // The shortest text that gives the value back, unless it has more decimals than are shown.
  const auto shortest = single_precision ? std::to_chars(text, text + sizeof text, static_cast<float>(value), format)
                                         : std::to_chars(text, text + sizeof text, value, format);
  std::string result(text, shortest.ptr);
  const auto point = result.find('.');
  const auto exponent = std::min(result.find('e'), result.size());
  if (point == std::string::npos || static_cast<int>(exponent - point) - 1 <= precision) return result;
  const auto rounded = std::to_chars(text, text + sizeof text, value, format, precision);
  result.assign(text, rounded.ptr);
  const auto tail = std::min(result.find('e'), result.size());
  const auto last = result.find_last_not_of('0', tail - 1);
  return result.erase(last + 1, tail - last - 1);
}

/// Decimals of "1.25" or "1.25e+10": 2.
std::size_t decimals_of(const std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return 0;
  return std::min(text.find('e'), text.size()) - point - 1;
}

bool needs_exponent(std::span<const double> values) {
  double smallest = INFINITY, largest = 0;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (!std::isfinite(value) || magnitude == 0) continue;
    smallest = std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  return largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);
}

std::string special(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// The text with a point and exactly `decimals` digits behind it, filled up with `filler`.
std::string with_decimals(std::string text, std::size_t decimals, char filler) {
  const auto exponent = std::min(text.find('e'), text.size());
  if (text.find('.') == std::string::npos) text.insert(exponent, ".");
  const std::size_t missing = decimals - decimals_of(text);
  text.insert(std::min(text.find('e'), text.size()), missing, filler);
  return text;
}

void pad_left(std::vector<std::string>& cells) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  for (std::string& cell : cells) cell.insert(0, width - cell.size(), ' ');
}

struct BracketWriter {
  const PrintedElements& printed;
  std::string text{};
  std::size_t next_cell = 0;

  void write(std::size_t axis) {
    if (axis == printed.shape.size()) {
      text += printed.cells[next_cell++];
      return;
    }
    const std::ptrdiff_t extent = printed.shape[axis];
    const bool cut = printed.summarised && extent > 2 * print_edge;
    const std::ptrdiff_t shown = cut ? 2 * print_edge : extent;
    const bool innermost = axis + 1 == printed.shape.size();
    text += '[';
    for (std::ptrdiff_t i = 0; i < shown; ++i) {
      if (i > 0) separate(axis, innermost);
      if (cut && i == print_edge) {
        text += "...";
        separate(axis, innermost);
      }
      write(axis + 1);
    }
    text += ']';
  }

  void separate(std::size_t axis, bool innermost) {
    if (innermost) {
      text += ' ';
      return;
    }
    text.append(printed.shape.size() - axis - 1, '\n');
    text.append(axis + 1, ' ');
  }
};

}  // namespace

std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, bool summarised) {
  const bool cut = summarised && extent > 2 * print_edge;
  std::vector<std::ptrdiff_t> positions(static_cast<std::size_t>(cut ? 2 * print_edge : extent));
  std::iota(positions.begin(), positions.end(), std::ptrdiff_t{0});
  if (cut) std::iota(positions.begin() + print_edge, positions.end(), extent - print_edge);
  return positions;
}

std::vector<std::string> format_floats(std::span<const double> values, bool single_precision) {
  const bool scientific = needs_exponent(values);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<std::string> cells;
  std::size_t decimals = 0;
  for (const double value : values) {
    cells.push_back(std::isfinite(value) ? digits_of(value, single_precision, format, most_decimals) : special(value));
    if (std::isfinite(value)) decimals = std::max(decimals, decimals_of(cells.back()));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (std::isfinite(values[i])) cells[i] = with_decimals(cells[i], decimals, scientific ? '0' : ' ');
  }
  pad_left(cells);
  return cells;
}

std::string lay_out(const PrintedElements& printed) {
  PrintedElements aligned = printed;
  pad_left(aligned.cells);
  if (std::ranges::find(aligned.shape, 0) != aligned.shape.end()) return "[]";
  BracketWriter writer{aligned};
  writer.write(0);
  return writer.text;
}

}  // namespace tessera
