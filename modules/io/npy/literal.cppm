module;
#include <cstddef>
export module tessera.io:npy_literal;
import tessera.standard;
import tessera.core;
import :refusal;

// The few kinds of Python literals that stand in headers of .npy files, read strictly.
namespace tessera::io {

/// Walks over a text that is a Python literal. Each function reads what it is named after, with white space before it, and throws
/// FormatError for anything else. No locale is involved.
class LiteralReader {
 public:
  /// `at` is the byte of the source at which the text begins.
  LiteralReader(std::string_view source, std::ptrdiff_t at, std::string_view text)
      : source_(source), start_(at), text_(text) {}

  /// Takes the character if it is the next one.
  bool take(char wanted);
  void require(char wanted, std::string_view where);

  /// A string in quotes of either kind, without escapes.
  std::string_view string(std::string_view what);
  bool boolean(std::string_view what);
  /// A number of 0 .. 2^63 - 1 in decimal digits. Python 2 wrote an L behind some: `may_have_l`.
  std::ptrdiff_t extent(bool may_have_l);

  /// To the next character that is no white space.
  void skip_space();

  /// Nothing but white space is left.
  void require_end();

  /// What comes next, for messages.
  std::string next() const;
  std::ptrdiff_t position() const { return start_ + static_cast<std::ptrdiff_t>(at_); }
  [[noreturn]] void refuse(std::string expected, std::string found, std::string_view advice = {}) const;

 private:
  std::string_view source_;
  std::ptrdiff_t start_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tessera::io
