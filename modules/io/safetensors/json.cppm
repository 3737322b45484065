module;
#include <cstddef>
export module tessera.io:safetensors_json;
import tessera.standard;
import tessera.core;
import :refusal;

// JSON (RFC 8259), read strictly and without making a tree of it.
namespace tessera::io {

/// Walks over a text. Each function reads what it is named after, with white space before it, and throws FormatError for anything else: `what`
/// says in the message what was wanted. Keys of an object must differ.
class JsonReader {
 public:
  /// `at` is the byte of the source at which the text begins. Throws FormatError for a text that is not UTF-8.
  JsonReader(std::string_view source, std::ptrdiff_t at, std::string_view text);

  std::string string(std::string_view what);
  /// A number of 0 .. 2^63 - 1 in decimal digits alone.
  std::ptrdiff_t integer(std::string_view what);
  /// Calls `member` with each key; it reads the value.
  void object(std::string_view what, const std::function<void(const std::string& key)>& member);
  /// Calls `element` where each element begins; it reads it.
  void array(std::string_view what, const std::function<void()>& element);
  /// Any value, which may be nested 64 deep.
  void skip_value();
  /// Nothing but white space is left.
  void require_end();

  std::ptrdiff_t position() const { return start_ + static_cast<std::ptrdiff_t>(at_); }
  [[noreturn]] void refuse(std::string expected, std::string found, std::string_view advice = {}) const;
  [[noreturn]] void refuse_next(std::string expected) const;

 private:
  void skip_space();
  bool take(char wanted);
  void take_escape(std::string& value);
  unsigned hexadecimal();
  void skip_number();
  void enter();

  std::string source_;
  std::ptrdiff_t start_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// The text as a JSON string, in quotes and escaped as serde_json does it.
std::string json_string(std::string_view text);

}  // namespace tessera::io
