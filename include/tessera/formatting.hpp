// What fmt.hpp and format.hpp share: which types print, and arrays as text whose elements are written by a format specification.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

import tessera;

namespace tessera::formatting {

template <class X>
inline constexpr bool is_reference = false;
template <class T>
inline constexpr bool is_reference<Reference<T>> = true;

template <class X>
inline constexpr bool is_dim = false;
template <int Rank>
inline constexpr bool is_dim<Dim<Rank>> = true;

/// Shapes, places and element types: a format specification is one for text.
template <class X>
concept Word = is_dim<X> || std::same_as<X, DDim> || std::same_as<X, DType> || std::same_as<X, Place> || StaticPlace<X>;

/// One value: a format specification is one for numbers.
template <class X>
concept SingleValue = is_reference<X> || std::same_as<X, DReference> || std::same_as<X, DValue> ||
                      std::same_as<X, float16> || std::same_as<X, bfloat16>;

/// Arrays and expressions: a format specification is that of each element.
template <class X>
concept Elementwise =
    Elements<X> || ExpressionNode<X> || std::same_as<X, DArray> || std::same_as<X, DExpression> || DynamicTree<X>;

/// What has numbers, to which a format specification applies.
template <class X>
concept Numbers = std::same_as<X, std::remove_cvref_t<X>> && (SingleValue<X> || Elementwise<X>);

/// What a formatter is there for.
template <class X>
concept Printed = Numbers<X> || Word<X>;

// ------------------------------------------------------------------------------------------------------ specifications

/// The type as which elements are given to a formatter; void if that is known at run time only.
template <class X>
struct Formatted {
  using type = void;
};
template <class X>
  requires Element<std::remove_const_t<typename X::value_type>>
struct Formatted<X> : Formatted<std::remove_const_t<typename X::value_type>> {};
template <Element T>
struct Formatted<T> {
  using type = std::conditional_t<
      std::same_as<T, bool>, bool,
      std::conditional_t<kind_of<T> == Kind::signed_integer, long long,
                         std::conditional_t<kind_of<T> == Kind::unsigned_integer, unsigned long long,
                                            std::conditional_t<std::same_as<T, double>, double, float>>>>;
};
template <class Part>
struct Formatted<std::complex<Part>> {
  using type = std::complex<Part>;
};

/// The parts of a specification for numbers, [[fill]align][sign][#][0][width][.precision][L][type].
struct Parts {
  std::string_view alignment, sign, alternate, zero, width, rest;

  constexpr explicit Parts(std::string_view spec) {
    const auto take = [&](std::size_t count) {
      const std::string_view taken = spec.substr(0, count);
      spec.remove_prefix(count);
      return taken;
    };
    const auto among = [&](std::size_t position, std::string_view choices) {
      return position < spec.size() && choices.find(spec[position]) != std::string_view::npos;
    };
    std::size_t fill = 1;  // bytes of a character of UTF-8
    while (fill < spec.size() && (static_cast<unsigned char>(spec[fill]) & 0xC0U) == 0x80U) ++fill;
    if (among(fill, "<>^")) {
      alignment = take(fill + 1);
    } else if (among(0, "<>^")) {
      alignment = take(1);
    }
    if (among(0, "+- ")) sign = take(1);
    if (among(0, "#")) alternate = take(1);
    if (among(0, "0")) zero = take(1);
    std::size_t digits = 0;
    while (among(digits, "0123456789")) ++digits;
    width = take(digits);
    rest = spec;
  }
};

/// Reads a specification from a format string, as far as that can be checked without elements: what the elements' type does not take is
/// refused here where the type is known, so by the compiler.
template <class X, class Library, class Context>
constexpr auto parse(Context& context, std::string_view& spec) {
  using Type = typename Formatted<X>::type;
  const auto begin = context.begin();
  auto end = begin;
  while (end != context.end() && *end != '}') {
    if (*end == '{') Library::refuse("width and precision of elements stand in the format string as numbers");
    ++end;
  }
  spec = std::string_view(begin, static_cast<std::size_t>(end - begin));
  if constexpr (std::is_same_v<Type, std::complex<float>> || std::is_same_v<Type, std::complex<double>>) {
    if (!Parts(spec).zero.empty()) Library::refuse("complex elements are not filled with zeros");
    typename Library::template Formatter<typename Type::value_type>().parse(context);
  } else if constexpr (!std::is_void_v<Type>) {
    if (!spec.empty()) typename Library::template Formatter<Type>().parse(context);
  }
  return end;
}

/// A value as the specification writes it: bool as True and False or as an integer, float16 and bfloat16 as float, complex numbers as
/// their parts, with the width of the whole.
template <class Library>
std::string text_of(const DValue& value, std::string_view spec) {
  const auto written = [](std::string_view how, const auto& x) {
    return Library::format("{:" + std::string(how) + "}", x);
  };
  if (spec.empty()) return to_string(value);
  switch (kind(value.dtype())) {
    case Kind::boolean: {
      const bool is_true = value.as<bool>();
      if (std::string_view("bBdoxX").find(spec.back()) != std::string_view::npos) return written(spec, is_true);
      return written(spec, std::string_view(is_true ? "True" : "False"));
    }
    case Kind::signed_integer: return written(spec, value.cast(DType::int64).as<std::int64_t>());
    case Kind::unsigned_integer: return written(spec, value.cast(DType::uint64).as<std::uint64_t>());
    case Kind::floating:
      if (value.dtype() == DType::float64) return written(spec, value.as<double>());
      return written(spec, value.cast(DType::float32).as<float>());
    case Kind::complex: break;
  }
  const Parts parts(spec);
  if (!parts.zero.empty()) Library::refuse("complex elements are not filled with zeros");
  const std::string how = std::string(parts.alternate) + std::string(parts.rest);
  const auto joined = [&](const auto& z) {
    return written(std::string(parts.sign) + how, z.real()) + written("+" + how, z.imag()) + "j";
  };
  const std::string whole = value.dtype() == DType::complex64 ? joined(value.as<std::complex<float>>())
                                                              : joined(value.as<std::complex<double>>());
  const std::string alignment(parts.alignment.empty() ? ">" : parts.alignment);
  return written(alignment + std::string(parts.width), std::string_view(whole));
}

// ------------------------------------------------------------------------------------------------------------- layout

/// The elements of an array on the host as `text_of` writes them, in the brackets of to_string.
class ElementsText {
 public:
  ElementsText(const DArray& array, std::string (*text_of)(const DValue&, std::string_view), std::string_view spec)
      : array_(array), text_of_(text_of), spec_(spec), shape_(array.shape()) {
    std::vector<std::ptrdiff_t> index;
    collect(index);
  }

  std::string text() && { return storage::in_brackets(shape_.extents(), std::move(cells_)); }

 private:
  void collect(std::vector<std::ptrdiff_t>& index) {
    const int axis = static_cast<int>(index.size());
    if (axis == shape_.rank()) return cells_.push_back(text_of_(array_.element(index).get(), spec_));
    for (const std::ptrdiff_t i : storage::shown_positions(shape_[axis], array_.size())) {
      index.push_back(i);
      collect(index);
      index.pop_back();
    }
  }

  const DArray& array_;
  std::string (*text_of_)(const DValue&, std::string_view);
  std::string_view spec_;
  DDim shape_;
  std::vector<std::string> cells_;
};

template <class X>
concept HasDynamicForm = requires(const X& x) { DArray(x); };

/// What a formatter writes.
template <class Library, Printed X>
std::string text(const X& x, std::string_view spec) {
  if constexpr (std::same_as<X, DType>) {
    return std::string(name(x));
  } else if constexpr (StaticPlace<X>) {
    return to_string(Place(x));
  } else if constexpr (Word<X>) {
    return to_string(x);
  } else if constexpr (std::same_as<X, float16> || std::same_as<X, bfloat16>) {
    return text_of<Library>(DValue(x), spec);
  } else if constexpr (is_reference<X> || std::same_as<X, DReference>) {
    return text_of<Library>(DValue(x.get()), spec);
  } else if constexpr (std::same_as<X, DValue>) {
    return text_of<Library>(x, spec);
  } else if constexpr (std::same_as<X, DExpression>) {
    return text<Library>(DArray(x), spec);
  } else if constexpr (!HasDynamicForm<X>) {  // more axes than a dynamic array has
    if (!spec.empty()) Library::refuse("elements are formatted in arrays of up to 9 axes");
    return to_string(x);
  } else {
    if (spec.empty()) return to_string(x);
    const DArray found(x);
    if (!found.has_storage()) return to_string(found);
    if (found.size() == 0) return "[]";
    const DArray host = found.to(CpuPlace{});
    return ElementsText(host, &text_of<Library>, spec).text();
  }
}

}  // namespace tessera::formatting
