module;
#include <cstddef>
#include <cstdint>
export module tessera.core:dtype;
import tessera.standard;
import :float16;
import :bfloat16;

// The closed list of element types, at compile time (Element) and at run time (DType).
namespace tessera {

/// Element type of an array, known at run time.
export enum class DType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

/// The kinds of element types; promotion and assignment stay within a kind unless the array API says otherwise.
export enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

/// The C++ types in the order of DType's enumerators.
using ElementTypes =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, float16, bfloat16, float, double, std::complex<float>, std::complex<double>>;

/// How many element types there are: DTypes are numbered from 0.
export inline constexpr int dtype_count = static_cast<int>(std::tuple_size_v<ElementTypes>);

/// The C++ type of a DType.
export template <DType D>
using element_t = std::tuple_element_t<static_cast<std::size_t>(D), ElementTypes>;

template <class T, std::size_t... I>
constexpr int element_position(std::index_sequence<I...>) {
  int position = -1;
  ((std::is_same_v<T, std::tuple_element_t<I, ElementTypes>> ? void(position = static_cast<int>(I)) : void()), ...);
  return position;
}

template <class T>
constexpr int position_of() {
  if constexpr (std::is_same_v<T, long long>) {  // the same representation as int64_t, another name
    return static_cast<int>(DType::int64);
  } else if constexpr (std::is_same_v<T, unsigned long long>) {
    return static_cast<int>(DType::uint64);
  } else {
    return element_position<T>(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
  }
}

/// A type that an array can hold: one of bool, int8-64, uint8-64, float16, bfloat16, float, double, complex<float>, complex<double>.
export template <class T>
concept Element = position_of<T>() >= 0 && !std::is_const_v<T>;

/// The DType of a C++ element type.
export template <Element T>
inline constexpr DType dtype_of = static_cast<DType>(position_of<T>());

struct DTypeFacts {
  std::string_view name;
  std::ptrdiff_t size;
  Kind kind;
};

inline constexpr DTypeFacts dtype_facts[] = {
    {"bool", 1, Kind::boolean},
    {"int8", 1, Kind::signed_integer},
    {"int16", 2, Kind::signed_integer},
    {"int32", 4, Kind::signed_integer},
    {"int64", 8, Kind::signed_integer},
    {"uint8", 1, Kind::unsigned_integer},
    {"uint16", 2, Kind::unsigned_integer},
    {"uint32", 4, Kind::unsigned_integer},
    {"uint64", 8, Kind::unsigned_integer},
    {"float16", 2, Kind::floating},
    {"bfloat16", 2, Kind::floating},
    {"float32", 4, Kind::floating},
    {"float64", 8, Kind::floating},
    {"complex64", 8, Kind::complex},
    {"complex128", 16, Kind::complex},
};

/// "float32", as NumPy names it.
export constexpr std::string_view name(DType dtype) { return dtype_facts[static_cast<int>(dtype)].name; }

/// The same: std::cout << x.dtype().
export std::string to_string(DType dtype);
export std::ostream& operator<<(std::ostream& out, DType dtype);

/// Bytes of one element.
export constexpr std::ptrdiff_t item_size(DType dtype) { return dtype_facts[static_cast<int>(dtype)].size; }

/// The kind of an element type.
export constexpr Kind kind(DType dtype) { return dtype_facts[static_cast<int>(dtype)].kind; }

namespace core {

/// int8-64 or uint8-64; bool is not one.
export constexpr bool is_integer(DType dtype) {
  return kind(dtype) == Kind::signed_integer || kind(dtype) == Kind::unsigned_integer;
}

}  // namespace core

/// The kind of a C++ element type.
export template <Element T>
inline constexpr Kind kind_of = kind(dtype_of<T>);

/// int8-64 or uint8-64; bool is not one.
export template <class T>
concept Integer = Element<T> && core::is_integer(dtype_of<T>);

/// float16, bfloat16, float or double.
export template <class T>
concept Floating = Element<T> && kind_of<T> == Kind::floating;

/// std::complex<float> or std::complex<double>.
export template <class T>
concept Complex = Element<T> && kind_of<T> == Kind::complex;

/// bool, an integer or a floating type: types with an order.
export template <class T>
concept Real = Element<T> && !Complex<T>;

template <class T>
struct compute {
  using type = T;
};
template <>
struct compute<float16> {
  using type = float;
};
template <>
struct compute<bfloat16> {
  using type = float;
};

/// The type in which arithmetic on T happens: float for float16 and bfloat16, T itself otherwise.
export template <Element T>
using compute_t = typename compute<T>::type;

namespace core {

/// Calls `body` with the C++ type of a dtype as its template argument.
export template <class Body>
decltype(auto) with_element(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::boolean: return body.template operator()<bool>();
    case DType::int8: return body.template operator()<std::int8_t>();
    case DType::int16: return body.template operator()<std::int16_t>();
    case DType::int32: return body.template operator()<std::int32_t>();
    case DType::int64: return body.template operator()<std::int64_t>();
    case DType::uint8: return body.template operator()<std::uint8_t>();
    case DType::uint16: return body.template operator()<std::uint16_t>();
    case DType::uint32: return body.template operator()<std::uint32_t>();
    case DType::uint64: return body.template operator()<std::uint64_t>();
    case DType::float16: return body.template operator()<float16>();
    case DType::bfloat16: return body.template operator()<bfloat16>();
    case DType::float32: return body.template operator()<float>();
    case DType::float64: return body.template operator()<double>();
    case DType::complex64: return body.template operator()<std::complex<float>>();
    case DType::complex128: break;
  }
  return body.template operator()<std::complex<double>>();
}

}  // namespace core

}  // namespace tessera
