module;
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// NumPy's rules for showing floating and complex numbers (numpy.set_printoptions with its defaults).
namespace tessera {

namespace {

constexpr int most_decimals = 8;

/// The value rounded to what `dtype` holds.
double rounded_to(double value, DType dtype) {
  switch (dtype) {
    case DType::float16: return static_cast<double>(static_cast<float>(float16(value)));
    case DType::bfloat16: return static_cast<double>(static_cast<float>(bfloat16(value)));
    case DType::float32: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

double parsed(const char* first, const char* last) {
  double value = 0;
  std::from_chars(first, last, value);
  return value;
}

/// The decimal number of fewest digits that `dtype` rounds to `value`, as a double, whose own shortest text has those digits.
double shortest_decimal(double value, DType dtype) {
  char text[64];
  if (dtype == DType::float64 || !std::isfinite(value)) return value;
  if (dtype == DType::float32) {
    return parsed(
        text, std::to_chars(text, text + sizeof text, static_cast<float>(value), std::chars_format::scientific).ptr);
  }
  // Five significant digits tell all 16-bit numbers apart. At a power of two neighbours above are twice as far as below, so
  // of two decimals equally near only the outer one may give it back.
  const double outwards = std::nextafter(value, value < 0 ? -INFINITY : INFINITY);
  for (int decimals = 0; decimals < 5; ++decimals) {
    for (const double near : {value, outwards}) {
      const double decimal =
          parsed(text, std::to_chars(text, text + sizeof text, near, std::chars_format::scientific, decimals).ptr);
      if (rounded_to(decimal, dtype) == value) return decimal;
    }
  }
  return value;
}

/// Decimals of "1.25" or "1.25e+10": 2.
std::size_t decimals_of(const std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return 0;
  return std::min(text.find('e'), text.size()) - point - 1;
}

std::string special(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// The shortest text that gives the value back: "1", "0.5", "1.5e+10".
std::string shortest_text(double value, DType dtype, std::chars_format format) {
  if (!std::isfinite(value)) return special(value);
  char text[512];
  return {text, std::to_chars(text, text + sizeof text, shortest_decimal(value, dtype), format).ptr};
}

std::string text_with_decimals(double value, std::chars_format format, int decimals) {
  char text[512];
  return {text, std::to_chars(text, text + sizeof text, value, format, decimals).ptr};
}

/// As shortest_text, rounded where that has more decimals than are shown.
std::string cut_text(double value, DType dtype, std::chars_format format) {
  std::string result = shortest_text(value, dtype, format);
  if (decimals_of(result) <= most_decimals) return result;
  result = text_with_decimals(value, format, most_decimals);
  const auto tail = std::min(result.find('e'), result.size());
  const auto last = result.find_last_not_of('0', tail - 1);
  return result.erase(last + 1, tail - last - 1);
}

/// From this magnitude on NumPy writes exponents: a power of ten whose digits the type still tells apart, 1e8 at most.
double exponent_from(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
    case DType::float16: return 1e3;
    case DType::float32: return 1e6;
    default: return 1e8;
  }
}

/// Whether NumPy would change to scientific notation; it compares in the elements' own precision.
bool needs_exponent(std::span<const double> values, DType dtype) {
  double smallest = INFINITY, largest = 0;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (!std::isfinite(value) || magnitude == 0) continue;
    smallest = std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  return largest > 0 && (largest >= exponent_from(dtype) || smallest < rounded_to(1e-4, dtype) ||
                         rounded_to(largest / smallest, dtype) > 1000);
}

/// "1.5" with blanks in the place of the decimals that others have: "1.5  ".
std::vector<std::string> fixed_texts(std::span<const double> values, DType dtype) {
  std::vector<std::string> texts;
  std::size_t decimals = 0;
  for (const double value : values) {
    texts.push_back(cut_text(value, dtype, std::chars_format::fixed));
    decimals = std::max(decimals, decimals_of(texts.back()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (texts[i].find('.') == std::string::npos) texts[i] += '.';
    texts[i].append(decimals - decimals_of(texts[i]), ' ');
  }
  return texts;
}

/// Digits of the exponent of "1e-05": 2.
std::size_t exponent_digits(const std::string& text) { return text.size() - text.find('e') - 2; }

/// "1.50e+08": as many decimals and digits of the exponent as the longest needs. NumPy fills up with the digits that follow
/// in the value, not with zeros.
std::vector<std::string> scientific_texts(std::span<const double> values, DType dtype) {
  std::size_t decimals = 0, digits = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const std::string text = cut_text(value, dtype, std::chars_format::scientific);
    decimals = std::max(decimals, decimals_of(text));
    digits = std::max(digits, exponent_digits(text));
  }
  const auto written = [&](double value) {
    if (!std::isfinite(value)) return special(value);
    std::string text = cut_text(value, dtype, std::chars_format::scientific);
    if (decimals_of(text) < decimals)
      text = text_with_decimals(value, std::chars_format::scientific, static_cast<int>(decimals));
    if (decimals == 0) text.insert(text.find('e'), ".");
    return text.insert(text.find('e') + 2, digits - exponent_digits(text), '0');
  };
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(written(value));
  return texts;
}

std::string signed_text(std::string text) { return text.front() == '-' ? text : '+' + text; }

/// Scalars are written out from 1e-4 to where arrays get exponents; doubles up to 1e16.
std::string scalar_digits(double value, DType dtype) {
  const double magnitude = std::abs(value);
  const double end = dtype == DType::float64 ? 1e16 : exponent_from(dtype);
  const bool written_out = magnitude == 0 || (magnitude >= 1e-4 && magnitude < end);
  return shortest_text(value, dtype, written_out ? std::chars_format::fixed : std::chars_format::scientific);
}

}  // namespace

std::vector<std::string> format_floats(std::span<const double> values, DType dtype) {
  return needs_exponent(values, dtype) ? scientific_texts(values, dtype) : fixed_texts(values, dtype);
}

std::vector<std::string> format_complex(std::span<const double> real, std::span<const double> imag, DType dtype) {
  std::vector<std::string> cells = format_floats(real, dtype);
  std::vector<std::string> imaginary = format_floats(imag, dtype);
  std::ranges::transform(imaginary, imaginary.begin(), signed_text);
  pad_left(cells);
  pad_left(imaginary);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t digits = imaginary[i].find_last_not_of(' ') + 1;
    cells[i] += imaginary[i].substr(0, digits) + 'j' + imaginary[i].substr(digits);
  }
  return cells;
}

std::string scalar_text(double value, DType dtype) {
  const std::string text = scalar_digits(value, dtype);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // 'n' as in nan and inf
}

std::string scalar_text(double real, double imag, DType dtype) {
  if (real == 0 && !std::signbit(real)) return scalar_digits(imag, dtype) + 'j';
  return '(' + scalar_digits(real, dtype) + signed_text(scalar_digits(imag, dtype)) + "j)";
}

std::size_t text_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void pad_left(std::vector<std::string>& cells) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, text_length(cell));
  for (std::string& cell : cells) cell.insert(0, width - text_length(cell), ' ');
}

}  // namespace tessera
