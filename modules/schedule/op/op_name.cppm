module;
#include <cstddef>
export module tessera.schedule:op_name;
import tessera.standard;

// What an op is called in traces, pictures and errors.
namespace tessera {

namespace schedule {

/// The one copy of a text in this process; it lives for ever.
export const char* interned(std::string_view text);

}  // namespace schedule
using schedule::interned;

/// A name that lives for ever, so that an op holds one pointer: a string literal, or a std::string, of which one copy is kept in
/// the process for each different text.
export class OpName {
 public:
  template <std::size_t Size>
  consteval OpName(const char (&literal)[Size]) : text_(literal) {}
  template <std::same_as<const char*> Pointer>
  OpName(Pointer) {
    static_assert(sizeof(Pointer) == 0,
                  "the name of an op is a string literal, or a std::string, of which a copy is kept");
  }
  inline OpName(const std::string& text) : text_(interned(text)) {}

  /// Of a text that lives for ever.
  static constexpr OpName of_immortal(const char* text) {
    OpName name("");
    name.text_ = text;
    return name;
  }

  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace tessera
