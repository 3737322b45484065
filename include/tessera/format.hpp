// Formatters of the standard library, where it has <format>: std::format("{:.3f}", x) for arrays and all else of the library that prints,
// as fmt.hpp has them for {fmt}. Empty where there is no <format>, as with libstdc++ 12. Imports tessera.
#pragma once

#include <version>

#ifdef __cpp_lib_format

#include <algorithm>
#include <format>
#include <string>
#include <string_view>
#include <tessera/formatting.hpp>

namespace tessera::formatting {

struct StandardFormat {
  template <class T>
  using Formatter = std::formatter<T, char>;

  template <class T>
  static std::string format(const std::string& how, const T& value) {
    return std::vformat(how, std::make_format_args(value));
  }
  [[noreturn]] static void refuse(const char* why) { throw std::format_error(why); }
};

}  // namespace tessera::formatting

template <tessera::formatting::Numbers X>
struct std::formatter<X, char> {
  constexpr auto parse(std::format_parse_context& context) {
    return tessera::formatting::parse<X, tessera::formatting::StandardFormat>(context, spec_);
  }

  template <class Context>
  auto format(const X& x, Context& context) const {
    return std::ranges::copy(tessera::formatting::text<tessera::formatting::StandardFormat>(x, spec_), context.out())
        .out;
  }

 private:
  std::string_view spec_;
};

/// Shapes, places and dtypes are padded as text is.
template <tessera::formatting::Word X>
struct std::formatter<X, char> : std::formatter<std::string_view, char> {
  template <class Context>
  auto format(const X& x, Context& context) const {
    const std::string text = tessera::formatting::text<tessera::formatting::StandardFormat>(x, "");
    return std::formatter<std::string_view, char>::format(text, context);
  }
};

#endif
