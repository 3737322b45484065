// Tests of the element types: their names, sizes and kinds, and what is one.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
import tessera;

using namespace tessera;

namespace {

struct Expected {
  DType dtype;
  std::string_view name;
  std::ptrdiff_t size;
  Kind kind;
};

constexpr Expected expected[] = {
    {DType::boolean, "bool", 1, Kind::boolean},           {DType::int8, "int8", 1, Kind::signed_integer},
    {DType::int16, "int16", 2, Kind::signed_integer},     {DType::int32, "int32", 4, Kind::signed_integer},
    {DType::int64, "int64", 8, Kind::signed_integer},     {DType::uint8, "uint8", 1, Kind::unsigned_integer},
    {DType::uint16, "uint16", 2, Kind::unsigned_integer}, {DType::uint32, "uint32", 4, Kind::unsigned_integer},
    {DType::uint64, "uint64", 8, Kind::unsigned_integer}, {DType::float16, "float16", 2, Kind::floating},
    {DType::bfloat16, "bfloat16", 2, Kind::floating},     {DType::float32, "float32", 4, Kind::floating},
    {DType::float64, "float64", 8, Kind::floating},       {DType::complex64, "complex64", 8, Kind::complex},
    {DType::complex128, "complex128", 16, Kind::complex},
};
static_assert(std::size(expected) == dtype_count);

template <DType D>
constexpr bool cpp_type_agrees =
    dtype_of<element_t<D>> == D && sizeof(element_t<D>) == item_size(D) && kind_of<element_t<D>> == kind(D);

template <int... I>
constexpr bool all_cpp_types_agree(std::integer_sequence<int, I...>) {
  return (cpp_type_agrees<static_cast<DType>(I)> && ...);
}
static_assert(all_cpp_types_agree(std::make_integer_sequence<int, dtype_count>{}));

enum class Colour { red };

}  // namespace

static_assert(dtype_of<float> == DType::float32 && std::is_same_v<element_t<DType::float64>, double>);
static_assert(dtype_of<std::complex<double>> == DType::complex128 && dtype_of<bool> == DType::boolean);
static_assert(dtype_of<long> == dtype_of<long long> && dtype_of<unsigned long> == dtype_of<unsigned long long>);

static_assert(Element<float> && Element<std::int8_t> && Element<bfloat16> && Element<std::complex<float>> &&
              Element<long long>);
static_assert(!Element<char> && !Element<long double> && !Element<wchar_t> && !Element<const float> &&
              !Element<float&>);
static_assert(!Element<void> && !Element<float*> && !Element<Colour> && !Element<std::complex<long double>> &&
              !Element<std::string_view>);

static_assert(Integer<std::int16_t> && Integer<std::uint64_t> && !Integer<bool> && !Integer<float> && !Integer<char>);
static_assert(Floating<float16> && Floating<double> && !Floating<int> && !Floating<std::complex<float>> &&
              !Floating<long double>);
static_assert(Complex<std::complex<float>> && !Complex<float> && !Complex<std::complex<long double>>);
static_assert(Real<bool> && Real<std::uint8_t> && Real<bfloat16> && !Real<std::complex<double>> && !Real<char>);

static_assert(std::is_same_v<compute_t<float16>, float> && std::is_same_v<compute_t<bfloat16>, float>);
static_assert(std::is_same_v<compute_t<std::int8_t>, std::int8_t> && std::is_same_v<compute_t<double>, double>);

TEST_CASE("every dtype has NumPy's name, its size in bytes and its kind") {
  int position = 0;
  for (const Expected& one : expected) {
    CAPTURE(one.name);
    CHECK(static_cast<int>(one.dtype) == position++);
    CHECK(name(one.dtype) == one.name);
    CHECK(item_size(one.dtype) == one.size);
    CHECK((kind(one.dtype) == one.kind));
  }
}

// --8<-- [start:dtype]
TEST_CASE("an element type is known at compile time and at run time") {
  static_assert(dtype_of<float> == DType::float32);
  static_assert(std::is_same_v<element_t<DType::float16>, float16>);
  static_assert(Element<std::int8_t> && !Element<char>);  // a closed list: char and long double are no element types

  const DType dtype = DType::complex64;
  CHECK(name(dtype) == "complex64");
  CHECK(item_size(dtype) == 8);
}
// --8<-- [end:dtype]

// --8<-- [start:kind]
TEST_CASE("the kind of an element type is known at compile time and at run time") {
  static_assert(kind_of<float16> == Kind::floating && kind_of<bool> == Kind::boolean);

  const DType dtype = DType::complex64;
  CHECK((kind(dtype) == Kind::complex));

  int integers = 0;
  for (int number = 0; number < dtype_count; ++number) {
    const Kind one = kind(static_cast<DType>(number));
    integers += one == Kind::signed_integer || one == Kind::unsigned_integer ? 1 : 0;
  }
  CHECK(integers == 8);
}
// --8<-- [end:kind]
