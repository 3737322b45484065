// Formatters of {fmt}, from version 9 on: fmt::print("{:.3f}\n", x) for arrays and all else of the library that prints. Includes
// <fmt/ranges.h> and imports tessera, before or after other headers and `import tessera;`.
//
// {} writes what `out << x` does. What stands behind a colon is, for arrays and expressions, the specification of each element, checked by
// the compiler where the element type is known and by fmt::format_error elsewhere; for shapes, places and dtypes it is one for text.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <tessera/formatting.hpp>

namespace tessera::formatting {

struct Fmt {
  template <class T>
  using Formatter = fmt::formatter<T, char>;

  template <class T>
  static std::string format(const std::string& how, const T& value) {
    return fmt::format(fmt::runtime(how), value);
  }
  [[noreturn]] static void refuse(const char* why) { throw fmt::format_error(why); }
};

}  // namespace tessera::formatting

// Arrays are ranges, and shapes are tuples, but not to be written as such.
template <tessera::formatting::Printed X>
struct fmt::is_range<X, char> {
  static constexpr bool value = false;
};
template <tessera::formatting::Printed X>
struct fmt::is_tuple_like<X> {
  static constexpr bool value = false;
};

template <tessera::formatting::Numbers X>
struct fmt::formatter<X, char> {
  constexpr auto parse(fmt::format_parse_context& context) {
    return tessera::formatting::parse<X, tessera::formatting::Fmt>(context, spec_);
  }

  template <class Context>
  auto format(const X& x, Context& context) const {
    const std::string text = tessera::formatting::text<tessera::formatting::Fmt>(x, spec_);
    return std::copy(text.begin(), text.end(), context.out());
  }

 private:
  std::string_view spec_;
};

/// Shapes, places and dtypes are padded as text is.
template <tessera::formatting::Word X>
struct fmt::formatter<X, char> : fmt::formatter<fmt::string_view, char> {
  template <class Context>
  auto format(const X& x, Context& context) const {
    const std::string text = tessera::formatting::text<tessera::formatting::Fmt>(x, "");
    return fmt::formatter<fmt::string_view, char>::format(fmt::string_view(text.data(), text.size()), context);
  }
};
