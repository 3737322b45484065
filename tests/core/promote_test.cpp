// Tests of type promotion against the tables of the array API standard, written out.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
import tessera;

using namespace tessera;

namespace {

// Python array API standard 2023.12, "Type Promotion Rules"; "." where it defines none. The rows and columns f2 (float16)
// and bf (bfloat16) are ours: beside wider types they behave as a floating type of 2 bytes, together they give float32.
constexpr std::string_view table[dtype_count][dtype_count] = {
    //       ?    i1    i2    i4    i8    u1    u2    u4    u8    f2    bf    f4    f8    c8    c16
    /* ?*/ {"?", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", "."},
    /*i1*/ {".", "i1", "i2", "i4", "i8", "i2", "i4", "i8", ".", ".", ".", ".", ".", ".", "."},
    /*i2*/ {".", "i2", "i2", "i4", "i8", "i2", "i4", "i8", ".", ".", ".", ".", ".", ".", "."},
    /*i4*/ {".", "i4", "i4", "i4", "i8", "i4", "i4", "i8", ".", ".", ".", ".", ".", ".", "."},
    /*i8*/ {".", "i8", "i8", "i8", "i8", "i8", "i8", "i8", ".", ".", ".", ".", ".", ".", "."},
    /*u1*/ {".", "i2", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ".", ".", ".", ".", ".", "."},
    /*u2*/ {".", "i4", "i4", "i4", "i8", "u2", "u2", "u4", "u8", ".", ".", ".", ".", ".", "."},
    /*u4*/ {".", "i8", "i8", "i8", "i8", "u4", "u4", "u4", "u8", ".", ".", ".", ".", ".", "."},
    /*u8*/ {".", ".", ".", ".", ".", "u8", "u8", "u8", "u8", ".", ".", ".", ".", ".", "."},
    /*f2*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "f2", "f4", "f4", "f8", "c8", "c16"},
    /*bf*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "f4", "bf", "f4", "f8", "c8", "c16"},
    /*f4*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "f4", "f4", "f4", "f8", "c8", "c16"},
    /*f8*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "f8", "f8", "f8", "f8", "c16", "c16"},
    /*c8*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "c8", "c8", "c8", "c16", "c8", "c16"},
    /*c16*/ {".", ".", ".", ".", ".", ".", ".", ".", ".", "c16", "c16", "c16", "c16", "c16", "c16"},
};

constexpr std::string_view codes[dtype_count] = {"?",  "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                                 "u8", "f2", "bf", "f4", "f8", "c8", "c16"};

std::string_view code(std::optional<DType> dtype) { return dtype ? codes[static_cast<int>(*dtype)] : "."; }

/// The DType of promote_t for each pair, by instantiation; nothing where the pair is not Promotable.
template <DType A, DType B>
constexpr std::optional<DType> promoted_at_compile_time() {
  if constexpr (Promotable<element_t<A>, element_t<B>>) {
    return dtype_of<promote_t<element_t<A>, element_t<B>>>;
  } else {
    return std::nullopt;
  }
}

template <int... I>
constexpr std::array<std::optional<DType>, sizeof...(I)> all_pairs(std::integer_sequence<int, I...>) {
  return {promoted_at_compile_time<static_cast<DType>(I / dtype_count), static_cast<DType>(I % dtype_count)>()...};
}

template <class Check>
void for_each_pair(const Check& check) {
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto left = static_cast<DType>(a);
      const auto right = static_cast<DType>(b);
      INFO("", std::string(name(left)), " with ", std::string(name(right)));
      check(left, right);
    }
  }
}

}  // namespace

TEST_CASE("promotion follows the array API standard for every pair of dtypes") {
  for_each_pair(
      [](DType a, DType b) { CHECK(code(try_promote(a, b)) == table[static_cast<int>(a)][static_cast<int>(b)]); });
}

TEST_CASE("promote_t and promote agree for every pair of dtypes") {
  constexpr auto pairs = all_pairs(std::make_integer_sequence<int, dtype_count * dtype_count>{});
  for_each_pair([&](DType a, DType b) {
    const auto at_compile_time =
        pairs[static_cast<std::size_t>(static_cast<int>(a) * dtype_count + static_cast<int>(b))];
    CHECK(code(at_compile_time) == code(try_promote(a, b)));
    if (at_compile_time) CHECK(code(promote(a, b)) == code(at_compile_time));
  });
}

TEST_CASE("a pair without a common type throws a DTypeError that names both") {
  int undefined = 0;
  for_each_pair([&](DType a, DType b) {
    if (try_promote(a, b)) return;
    ++undefined;
    const std::string message = "promote: " + std::string(name(a)) + " and " + std::string(name(b)) +
                                " have no common type; convert one of them: cast<T>(x)";
    CHECK_THROWS_WITH_AS(promote(a, b), message.c_str(), DTypeError);
  });
  CHECK(undefined == 2 * 14 + 2 * 8 * 6 + 2 * 4);  // bool with others, integers with inexact types, uint64 with signed
}

// --8<-- [start:promote]
TEST_CASE("promotion keeps the values of both types, at compile time and at run time") {
  static_assert(std::is_same_v<promote_t<float, double>, double>);
  static_assert(std::is_same_v<promote_t<std::int8_t, std::uint8_t>, std::int16_t>);
  static_assert(std::is_same_v<promote_t<float16, bfloat16>, float>);
  static_assert(!Promotable<int, float>);  // the standard asks for an explicit conversion: cast<float>(x)

  CHECK((promote(DType::float32, DType::float64) == DType::float64));
  CHECK_THROWS_AS(promote(DType::int32, DType::float32), DTypeError);
}
// --8<-- [end:promote]

// --8<-- [start:assignable]
TEST_CASE("two element types are asked for the one that holds both, and whether one takes the other") {
  CHECK((try_promote(DType::int8, DType::uint8) == DType::int16));
  CHECK(!try_promote(DType::int32, DType::float32));  // there is none, and nothing is thrown

  CHECK(assignable(DType::float64, DType::float32));  // may narrow among floats
  CHECK(assignable(DType::float32, DType::complex64));
  CHECK(!assignable(DType::int64, DType::int32));    // but loses no integer
  CHECK(!assignable(DType::float32, DType::int32));  // nor changes the kind
}
// --8<-- [end:assignable]

static_assert(Promotable<float, std::complex<float>> && !Promotable<std::int64_t, std::uint64_t> &&
              !Promotable<bool, int>);
static_assert(!Promotable<float, char> && !Promotable<std::string_view, float>);

// A C++ scalar takes the type of the array it meets, unless it is of a higher kind.
static_assert(WeakScalar<int> && WeakScalar<double> && WeakScalar<bool> && WeakScalar<long double>);
static_assert(!WeakScalar<float16> && !WeakScalar<std::complex<float>> && !WeakScalar<std::string_view>);
static_assert(WeakWith<double, float> && WeakWith<int, float16> && WeakWith<double, std::complex<float>> &&
              WeakWith<int, std::uint8_t>);
static_assert(!WeakWith<double, int> && !WeakWith<int, bool> && !WeakWith<bool, int> && !WeakWith<bool, float> &&
              !WeakWith<int, char>);

TEST_CASE("assignment narrows floats, widens integers and never crosses kinds, except from floating to complex") {
  const auto group = [](DType dtype) {
    const std::string_view kind = codes[static_cast<int>(dtype)].substr(0, 1);
    return kind == "u" ? std::string_view("i") : kind == "b" ? std::string_view("f") : kind;
  };
  for_each_pair([&](DType from, DType to) {
    const auto is_signed = [](DType dtype) { return codes[static_cast<int>(dtype)].substr(0, 1) == "i"; };
    const bool holds = is_signed(from) == is_signed(to) ? item_size(from) <= item_size(to)
                                                        : is_signed(to) && item_size(from) < item_size(to);
    const bool allowed = group(from) == "i" && group(to) == "i"
                             ? holds
                             : group(from) == group(to) || (group(from) == "f" && group(to) == "c");
    CHECK(assignable(from, to) == allowed);
  });
}

static_assert(AssignableTo<double, float> && AssignableTo<std::uint8_t, std::int16_t> &&
              !AssignableTo<std::int64_t, std::uint8_t> && AssignableTo<float, std::complex<float>>);
static_assert(!AssignableTo<float, int> && !AssignableTo<int, float> && !AssignableTo<std::complex<float>, float>);
static_assert(!AssignableTo<bool, int> && !AssignableTo<float, char>);
