// Assignments whose kernels are compiled for the host and for GPUs; the program that writes their text and the tests that run it
// both go through this list.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace cases {

using namespace tessera;

struct Larger {
  static constexpr const char* device = "$0 > $1 ? $0 : $1";
  static float map(float a, float b) { return a > b ? a : b; }
};
struct Rounded {
  static constexpr const char* device = "$0 * 0.1f";
  static float16 map(float a) { return float16(a * 0.1f); }
};

/// Numbers of both signs around zero, and a few zeros, as elements of T.
template <class T, int Rank>
Array<T, Rank> numbers(const Dim<Rank>& shape, int seed = 0) {
  Array<T, 1> flat(Dim<1>{product(shape)});
  for (std::ptrdiff_t i = 0; i < product(shape); ++i) {
    const auto value = static_cast<double>((i * 37 + seed * 11) % 101 - 50);
    if constexpr (Complex<T>)
      flat.data()[i] =
          T(static_cast<typename T::value_type>(value / 16), static_cast<typename T::value_type>((i + seed) % 7 - 3));
    else if constexpr (Floating<T>)
      flat.data()[i] = static_cast<T>(value / 16);
    else if constexpr (std::same_as<T, bool>)
      flat.data()[i] = (i * 7 + seed) % 3 == 0;
    else
      flat.data()[i] = static_cast<T>(static_cast<std::int64_t>(value));
  }
  return reshape(flat, shape);
}

using Indices = DeviceLaunch::Indices;
inline constexpr double exactly = 0;
inline constexpr double float_functions = 4e-6;  // two libraries' errors, in results of moderate size
inline constexpr double double_functions = 1e-14;

/// Calls visit(name, tolerance, destination, expression, indices) for every case at the place. `tolerance` is relative to the larger
/// of the value and 1. Destinations are new arrays or views whose elements hold -1.
template <class Visit>
void elementwise(const Visit& visit, Place place) {
  const auto a = numbers<float>(Dim{17, 24}, 1).to(place);
  const auto b = numbers<float>(Dim{17, 24}, 2).to(place);
  const auto row = numbers<float>(Dim{24}, 3).to(place);
  const auto column = numbers<float>(Dim{17, 1}, 4).to(place);
  const auto line = numbers<float>(Dim{1003}, 5).to(place);
  const auto result = [place](auto shape) { return full(shape, -1.0f, place); };
  const auto softplus = [](auto x) { return log1p(exp(x)); };
  visit("update", exactly, result(Dim{17, 24}), -0.5f * (a + 0.25f * b), Indices::as_needed);
  visit("tail", exactly, result(Dim{1003}), line * line - 1, Indices::as_needed);
  visit("update_wide", exactly, result(Dim{17, 24}), -0.5f * (a + 0.25f * b), Indices::wide);
  visit("row", exactly, result(Dim{17, 24}), relu(a + row), Indices::as_needed);
  visit("column", exactly, result(Dim{17, 24}), a * column, Indices::as_needed);
  visit("column_wide", exactly, result(Dim{17, 24}), a * column, Indices::wide);
  visit("outer", exactly, result(Dim{17, 24}), row + column, Indices::as_needed);
  visit("transposed", exactly, result(Dim{24, 17}), a.T() + b.T(), Indices::as_needed);
  visit("transposed_beside_row", exactly, result(Dim{24, 17}), a.T() - column.T(), Indices::as_needed);
  visit("transposed_wide", exactly, result(Dim{24, 17}), a.T() + b.T(), Indices::wide);
  visit("transposed_destination", exactly, result(Dim{24, 17}).T(), a * b, Indices::as_needed);
  visit(
      "transposed_beside_others", exactly, result(Dim{24, 17}),
      where(a.T() > 0, cast<float>(numbers<std::int8_t>(Dim{17, 24}, 7).to(place).T()), column.T() + row(newaxis).T()),
      Indices::as_needed);
  visit("constant", exactly, result(Dim{17, 24}), a / b(range(3, 4), range(5, 6)), Indices::as_needed);
  visit("reversed", exactly, result(Dim{17, 24}), a(range(none, none, -1), ellipsis) - b, Indices::as_needed);
  visit("sliced", exactly, result(Dim{9, 8}), a(range(0, 17, 2), range(0, 24, 3)) * 2, Indices::as_needed);
  visit("sliced_destination", exactly, result(Dim{34, 24})(range(0, 34, 2), ellipsis), a + b, Indices::as_needed);
  visit("strided_destination", exactly, result(Dim{17, 48})(all, range(1, 48, 2)), a + b, Indices::as_needed);
  visit("odd_columns", exactly, result(Dim{17, 24})(all, range(1, 22)), a(all, range(1, 22)) + 1, Indices::as_needed);
  const auto cube = numbers<float>(Dim{5, 6, 8}, 6).to(place);
  visit("permuted", exactly, result(Dim{6, 5, 8}), transpose(cube, {1, 0, 2}) * 3, Indices::as_needed);
  visit("permuted_thrice", exactly, result(Dim{8, 5, 6}), transpose(cube, {2, 0, 1}) * 3, Indices::as_needed);
  visit("scalar_to_all", exactly, result(Dim{17, 24}), cast<float>(line(range(0, 1))), Indices::as_needed);
  visit("rank_0", exactly, result(Dim<0>{}), reshape(line(range(7, 8)), Dim<0>{}) + 1, Indices::as_needed);
  visit("activations", float_functions, result(Dim{17, 24}), where(a > b, softplus(a), tanh(b) * sigmoid(a)),
        Indices::as_needed);
  visit("functions", float_functions, result(Dim{1003}), sin(line) + cos(line) * exp(-abs(line)) + log(line * line + 1),
        Indices::as_needed);
  visit("users_function", exactly, result(Dim{17, 24}), F<Larger>(a, 0.5f) + F<Larger>(b, a), Indices::as_needed);
  visit("users_rounding", exactly, result(Dim{17, 24}), F<Rounded>(a) * 10, Indices::as_needed);
  visit("reduction_inside", float_functions, result(Dim{17, 24}), exp(a - max<1>(a, keepdims)), Indices::as_needed);
  visit("product_inside", exactly, result(Dim{17, 17}), relu(dot(a, b.T()) + 1), Indices::as_needed);
}

template <class Visit>
void types(const Visit& visit, Place place) {
  const auto a16 = numbers<float16>(Dim{1003}, 1).to(place);
  const auto ab16 = numbers<bfloat16>(Dim{1003}, 2).to(place);
  const auto a32 = numbers<float>(Dim{1003}, 3).to(place);
  const auto a64 = numbers<double>(Dim{1003}, 4).to(place);
  visit("half", exactly, full(Dim{1003}, float16(-1.0f), place), a16 * 0.3f + 1, Indices::as_needed);
  visit("brain_half", exactly, full(Dim{1003}, bfloat16(-1.0f), place), ab16 * 0.3f + 1, Indices::as_needed);
  visit("half_beside_float", exactly, full(Dim{1003}, -1.0f, place), a16 * a32, Indices::as_needed);
  visit("half_from_double", exactly, full(Dim{1003}, float16(-1.0f), place), a64 / 3, Indices::as_needed);
  visit("brain_half_from_double", exactly, full(Dim{1003}, bfloat16(-1.0f), place), a64 / 3, Indices::as_needed);
  visit("half_inside", exactly, full(Dim{1003}, -1.0f, place), cast<float16>(a32 / 3) - a32, Indices::as_needed);
  visit("double", double_functions, full(Dim{1003}, -1.0, place), exp(-a64 * a64) + sqrt(abs(a64)) + atan2(a64, 2.0),
        Indices::as_needed);
  visit("narrowed", exactly, full(Dim{1003}, -1.0f, place), a64 * a32, Indices::as_needed);
  const auto i8 = numbers<std::int8_t>(Dim{1003}, 5).to(place);
  const auto i16 = numbers<std::int16_t>(Dim{1003}, 6).to(place);
  const auto i32 = numbers<std::int32_t>(Dim{1003}, 7).to(place);
  const auto i64 = numbers<std::int64_t>(Dim{1003}, 8).to(place);
  const auto u8 = numbers<std::uint8_t>(Dim{1003}, 9).to(place);
  const auto u32 = numbers<std::uint32_t>(Dim{1003}, 10).to(place);
  visit("int8", exactly, full(Dim{1003}, std::int8_t(-1), place), i8 * i8 * 3 - i8 / (i8 + 1), Indices::as_needed);
  visit("int16", exactly, full(Dim{1003}, std::int16_t(-1), place), i16 * 1000 + i8 % 7, Indices::as_needed);
  visit("int32", exactly, full(Dim{1003}, std::int32_t(-1), place), (i32 << 3) ^ (i32 >> 2) | (i16 & 15),
        Indices::as_needed);
  visit("int64", exactly, full(Dim{1003}, std::int64_t(-1), place), i64 * i64 * 1000003 - i32 / 3, Indices::as_needed);
  visit("uint8", exactly, full(Dim{1003}, std::uint8_t(7), place), ~u8 + u8 * 5, Indices::as_needed);
  visit("uint32", exactly, full(Dim{1003}, std::uint32_t(7), place), u32 * 77777u - (u32 >> 5), Indices::as_needed);
  visit("comparison", exactly, full(Dim{1003}, false, place), (i32 < i16) & (a32 >= 0) | !(a16 == 0),
        Indices::as_needed);
  visit("casts", exactly, full(Dim{1003}, std::int32_t(-1), place),
        cast<std::int8_t>(a32 * 1000) + cast<std::int32_t>(a64), Indices::as_needed);
  visit("choice_of_types", exactly, full(Dim{1003}, -1.0, place), where(i8 > 0, a32, a64), Indices::as_needed);
  const auto z = numbers<std::complex<float>>(Dim{1003}, 11).to(place);
  const auto zz = numbers<std::complex<double>>(Dim{1003}, 12).to(place);
  visit("complex64", float_functions, full(Dim{1003}, std::complex<float>(-1), place), z * z + z / 2.0f,
        Indices::as_needed);
  visit("complex128", double_functions, full(Dim{1003}, std::complex<double>(-1), place), zz * (zz - 1.0) + z,
        Indices::as_needed);
  visit("complex_beside_real", float_functions, full(Dim{1003}, std::complex<float>(-1), place), z * a32,
        Indices::as_needed);
}

template <class Visit>
void for_each(const Visit& visit, Place place = CpuPlace{}) {
  elementwise(visit, place);
  types(visit, place);
}

}  // namespace cases
