// Products: every pair of layouts, ranks, element types and shapes, against a triple loop in double.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Small whole numbers: every order of summation is exact, so results must be equal.
template <class T, int Rank>
Array<T, Rank> whole_numbers(const Dim<Rank>& shape, Arrangement kind, Random& random) {
  const Array<T, Rank> a = storage_like<T>(shape, kind, T(0), random);
  for_each_position(shape, [&](const auto& at) {
    const auto value = static_cast<int>(random.below(7)) - (std::is_unsigned_v<T> ? 0 : 3);
    if constexpr (Complex<T>)
      element(a, at) =
          T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(random.below(5)));
    else
      element(a, at) = T(value);
  });
  return a;
}

template <class T>
using wide_t = std::conditional_t<Complex<T>, std::complex<double>, double>;

/// What a triple loop gives.
template <class T>
std::vector<wide_t<T>> product_of(const Array<T, 2>& a, const Array<T, 2>& b) {
  std::vector<wide_t<T>> result;
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < b.shape()[1]; ++j) {
      wide_t<T> total = 0;
      for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k) {
        total +=
            static_cast<wide_t<T>>(element(a, std::array{i, k})) * static_cast<wide_t<T>>(element(b, std::array{k, j}));
      }
      result.push_back(total);
    }
  }
  return result;
}

template <class T>
std::string compare(const std::vector<T>& got, const std::vector<wide_t<T>>& expected) {
  if (got.size() != expected.size()) return "wrong number of elements";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (static_cast<wide_t<T>>(got[i]) == expected[i]) continue;
    return "element " + std::to_string(i) + " is " + text_of(got[i]) + ", expected " + text_of(expected[i]);
  }
  return "";
}

template <class T>
void check(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns, Arrangement left, Arrangement right,
           Arrangement target, Random& random) {
  INFO(name(dtype_of<T>) << " " << rows << "x" << inner << "x" << columns << ", " << name_of(left) << " by "
                         << name_of(right) << " into " << name_of(target));
  const Array<T, 2> a = whole_numbers<T>(Dim<2>{rows, inner}, left, random);
  const Array<T, 2> b = whole_numbers<T>(Dim<2>{inner, columns}, right, random);
  const auto expected = product_of(a, b);
  const Array<T, 2> x = there(a), y = there(b);
  const Array<T, 2> c = there(storage_like<T>(Dim<2>{rows, columns}, target, T(77), random, false));
  assign(c, dot(x, y));
  CHECK(compare(elements(c), expected) == "");
  if (rows == 0 || columns == 0) return;
  const std::vector<wide_t<T>> first_row(expected.begin(), expected.begin() + columns);
  std::vector<wide_t<T>> first_column;
  for (std::ptrdiff_t i = 0; i < rows; ++i) first_column.push_back(expected[static_cast<std::size_t>(i * columns)]);
  const Array<T, 1> d = there(storage_like<T>(Dim<1>{columns}, target, T(77), random, false));
  assign(d, dot(x(0, all), y));
  CHECK(compare(elements(d), first_row) == "");
  const Array<T, 1> e = there(storage_like<T>(Dim<1>{rows}, target, T(77), random, false));
  assign(e, dot(x, y(all, 0)));
  CHECK(compare(elements(e), first_column) == "");
  CHECK(static_cast<wide_t<T>>(item(dot(x(0, all), y(all, 0)))) == expected[0]);
}

template <class T>
void check_type() {
  Random random(500 + static_cast<int>(dtype_of<T>));
  INFO(random.how_to_repeat());
  for (const auto left : all_arrangements) {
    for (const auto right : all_arrangements) {
      const Arrangement target = target_arrangements[random.below(std::size(target_arrangements))];
      check<T>(random.between(1, 9), random.between(1, 9), random.between(1, 9), left, right, target, random);
    }
  }
  for (const Dim<3> shape : {Dim<3>{0, 3, 4}, Dim<3>{3, 0, 4}, Dim<3>{3, 4, 0}, Dim<3>{1, 0, 1}, Dim<3>{1, 1, 1},
                             Dim<3>{1, 17, 1}, Dim<3>{17, 1, 17}, Dim<3>{1, 5, 40}, Dim<3>{40, 5, 1}}) {
    for (const auto kind : {Arrangement::contiguous, Arrangement::transposed, Arrangement::random}) {
      check<T>(shape[0], shape[1], shape[2], kind, kind, kind, random);
    }
  }
}

}  // namespace

TEST_CASE("float and double products of every pair of layouts are those of a triple loop" *
          doctest::test_suite("any place")) {
  check_type<float>();
  check_type<double>();
}

TEST_CASE("products of 16-bit floats are computed in float and rounded once" * doctest::test_suite("any place")) {
  check_type<float16>();
  check_type<bfloat16>();
}

TEST_CASE("products of integers" * doctest::test_suite("any place")) {
  check_type<std::int32_t>();
  check_type<std::uint8_t>();
  check_type<std::int64_t>();
}

TEST_CASE("products of complex numbers" * doctest::test_suite("any place")) {
  check_type<std::complex<float>>();
  check_type<std::complex<double>>();
}

TEST_CASE("products around the sizes at which they are cut into tiles" * doctest::test_suite("any place")) {
  Random random(550);
  INFO(random.how_to_repeat());
  // From 4e6 operations on there are tiles: 2 * 125^3 is just below and 2 * 126^3 above. Registers are enough up to 16 x 16 by 16 x 16.
  for (const std::ptrdiff_t side : {15, 16, 17, 125, 126, 201}) {
    if (is_short_run() && side > 17) return;
    check<float>(side, side, side, Arrangement::contiguous, Arrangement::transposed, Arrangement::contiguous, random);
    check<double>(side, side, side, Arrangement::sliced, Arrangement::contiguous, Arrangement::negative, random);
  }
  check<float>(1025, 2, 513, Arrangement::transposed, Arrangement::contiguous, Arrangement::contiguous, random);
  check<float>(3, 4, 200000, Arrangement::contiguous, Arrangement::contiguous, Arrangement::contiguous, random);
  check<float>(200000, 4, 3, Arrangement::contiguous, Arrangement::transposed, Arrangement::sliced, random);
  check<std::int32_t>(200, 210, 190, Arrangement::contiguous, Arrangement::transposed, Arrangement::contiguous, random);
}

TEST_CASE("integer products wrap" * doctest::test_suite("any place")) {
  const Array<std::int8_t, 2> a = there(full(Dim{1, 3}, std::int8_t{100}));
  CHECK(evaluate(dot(a, a.T()))[{0, 0}] == static_cast<std::int8_t>(30000 % 256));
  const Array<std::int32_t, 2> b = there(full(Dim{2, 2}, std::int32_t{1} << 30));
  CHECK(array_equal(dot(b, b + 1), there(full(Dim{2, 2}, std::int32_t{-2147483648}))));
}

TEST_CASE("products of different types meet in the promoted type" * doctest::test_suite("any place")) {
  const Array<float, 2> a = there(make_array<float>({{1, 2}}));
  const Array<double, 2> b = there(make_array<double>({{1e300}, {2}}));
  CHECK(evaluate(dot(a, b))[{0, 0}] == 1e300);
  const Array<std::int8_t, 2> c = there(make_array<std::int8_t>({{100, 100}}));
  const Array<std::int32_t, 2> d = there(make_array<std::int32_t>({{1000}, {1}}));
  CHECK(evaluate(dot(c, d))[{0, 0}] == 100100);
}
