module;
#include <cstdint>
export module tessera.schedule:markup;
import tessera.standard;

// Text and numbers as XML, JSON and DOT want them. Whatever is not valid UTF-8 becomes U+FFFD in all three.
namespace tessera {

/// `text` as the content of an XML element or attribute; a character that XML cannot hold becomes U+FFFD.
std::string xml_escaped(std::string_view text);

/// `text` as a JSON string, with its quotes.
std::string json_quoted(std::string_view text);

/// `text` as a DOT string, with its quotes, that Graphviz shows as it stands.
std::string dot_quoted(std::string_view text);

/// `value` with at most `decimals` digits after the point and no zeros at their end; the same in every locale.
std::string decimal(double value, int decimals);

/// 10000 as "10,000".
std::string grouped(std::uint64_t value);

/// A number of nanoseconds with three digits and its unit: "840 ns", "35.1 µs", "1.20 ms", "2.50 s".
std::string duration(std::int64_t nanoseconds);

/// About how wide `text` is, in units of the font's size.
double text_width(std::string_view text);

/// `text`, cut and ended by "…" if it is wider than `width` units of the font's size; nothing if hardly any of it would be left.
std::string shortened(std::string_view text, double width);

/// The last part of a path.
std::string_view file_name(std::string_view path);

}  // namespace tessera
