// Tests of joining, padding and repeating dynamic arrays, against the static functions.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class T>
void check_joined(std::mt19937& random) {
  const Array<T, 2> a = random_array<T>(Dim{2, 3}, random), b = random_array<T>(Dim{4, 3}, random);
  const Array<T, 2> c = random_matrix<T>(2, 3, 2, random);
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(concat({a, b}), evaluate(concat<0>(a, b))));
  CHECK(is_same(concat({DArray(a), c, a}, -1), evaluate(concat<1>(a, c, a))));
  CHECK(is_same(stack({a, c}), evaluate(stack<0>(a, c))));
  CHECK(is_same(stack({a, c}, -1), evaluate(stack<-1>(a, c))));
  const std::vector<DArray> several{a, b, a};
  CHECK(is_same(concat(several, 0), evaluate(concat<0>(a, b, a))));
}

template <class T>
void check_moved(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{3, 4, 5}, random);
  const DArray x = a;
  const T fill = value_at<T>(random);
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(roll(x, 2, 1), evaluate(roll<1>(a, 2))));
  CHECK(is_same(roll(x, {-1, 7}, {0, -1}), evaluate(roll<0, 2>(a, -1, 7))));
  CHECK(is_same(pad(x, {{1, 0}, {0, 2}, {3, 1}}, fill), evaluate(pad(a, {{1, 0}, {0, 2}, {3, 1}}, fill))));
  CHECK(is_same(pad(x, 2, fill), evaluate(pad(a, 2, fill))));
  for (const PadMode mode : {PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap}) {
    CHECK(is_same(pad(x, {{7, 1}, {0, 9}, {2, 2}}, mode), evaluate(pad(a, {{7, 1}, {0, 9}, {2, 2}}, mode))));
    CHECK(is_same(pad(x, 1, mode), evaluate(pad(a, 1, mode))));
  }
  CHECK(is_same(tile(x, {2, 1, 3}), evaluate(tile(a, {2, 1, 3}))));
  CHECK(is_same(tile(x, {1, 1, 1}), a));
  CHECK(is_same(tile(x, {0, 2, 1}), evaluate(tile(a, {0, 2, 1}))));
  CHECK(is_same(repeat(x, 3, 1), evaluate(repeat<1>(a, 3))));
  CHECK(is_same(repeat(x, 2, -1), evaluate(repeat<-1>(a, 2))));
  const DArray turned = transpose(x, {2, 0, 1});
  CHECK(is_same(tile(turned, {1, 2, 2}), evaluate(tile(transpose(a, {2, 0, 1}), {1, 2, 2}))));
}

}  // namespace

TEST_CASE("joined arrays have the types and bits of the static ones") {
  std::mt19937 random(32);
  check_joined<bool>(random);
  check_joined<std::uint8_t>(random);
  check_joined<float16>(random);
  check_joined<double>(random);
  check_joined<std::complex<float>>(random);
}

TEST_CASE("elements move as those of static arrays do") {
  std::mt19937 random(33);
  check_moved<bool>(random);
  check_moved<std::int16_t>(random);
  check_moved<bfloat16>(random);
  check_moved<float>(random);
  check_moved<std::complex<double>>(random);
}

TEST_CASE("joined types are promoted, and static arrays and expressions are parts too") {
  const Array<float, 1> a{1, 2};
  const DArray x = make_darray({3.0, 4.0});
  const DArray joined = concat({a, x, x * 2, a + 1});
  CHECK(joined.dtype() == DType::float64);
  CHECK(to_string(joined) == "[1. 2. 3. 4. 6. 8. 2. 3.]");
}

TEST_CASE("at the highest rank axes repeat without one to spare") {
  std::mt19937 random(34);
  const Array<int, 2> a = random_array<int>(Dim{2, 3}, random);
  const DArray nine = DArray(a).reshape({2, 1, 1, 1, 1, 1, 1, 1, 3});
  CHECK(is_same(tile(nine, {2, 1, 1, 1, 1, 1, 1, 1, 2}).reshape({4, 6}), evaluate(tile(a, {2, 2}))));
  CHECK(is_same(repeat(nine, 2, 8).reshape({2, 6}), evaluate(repeat<1>(a, 2))));
  CHECK(is_same(roll(nine, 1, 8).reshape({2, 3}), evaluate(roll<1>(a, 1))));
  CHECK_THROWS_WITH_AS(stack({nine, nine}), doctest::Contains("stack: the result would have 10 axes"), ShapeError);
}

TEST_CASE("results without elements need no memory, whatever their other extents are") {
  const DArray x = zeros(DType::int8, make_ddim({2, 3}));
  CHECK(tile(x, {0, std::ptrdiff_t{1} << 40}).shape() == make_ddim({0, std::ptrdiff_t{3} << 40}));
  const DArray wide = zeros(DType::float32, make_ddim({0, std::ptrdiff_t{1} << 40, std::ptrdiff_t{1} << 23}));
  CHECK(softmax(wide, {1, 2}).size() == 0);
  CHECK(wide.is_contiguous());
  CHECK(concat({wide, wide}, 1).shape()[1] == std::ptrdiff_t{1} << 41);
  CHECK(roll(wide, 1, 1).size() == 0);
}

TEST_CASE("what does not join is said, with shapes and types") {
  const DArray x = zeros(DType::float32, make_ddim({2, 3})), y = zeros(DType::float32, make_ddim({2, 4}));
  CHECK_THROWS_WITH_AS(concat({x, y}), doctest::Contains("axis 1 has extents 4 and 3"), ShapeError);
  CHECK_THROWS_WITH_AS(concat({x, x({0})}), doctest::Contains("part 1 has 1 axes and part 0 has 2"), ShapeError);
  CHECK_THROWS_WITH_AS(concat(std::vector<DArray>()), doctest::Contains("no arrays"), ShapeError);
  CHECK_THROWS_AS(concat({x, y}, 2), IndexError);
  CHECK_THROWS_WITH_AS(stack({x, y}), doctest::Contains("does not fit part 0"), ShapeError);
  CHECK_THROWS_WITH_AS(concat({x, x.cast(DType::int32)}), doctest::Contains("no common type"), DTypeError);
  CHECK_THROWS_WITH_AS(roll(x, {1, 2}, 0), doctest::Contains("2 shifts for 1 axes"), ShapeError);
  CHECK_THROWS_WITH_AS(pad(x, {{1, 1}}, 0), doctest::Contains("1 pairs of widths"), ShapeError);
  CHECK_THROWS_WITH_AS(pad(x, {{1, -1}, {0, 0}}, 0), doctest::Contains("padded by 1 and -1"), ShapeError);
  CHECK_THROWS_AS(pad(x.cast(DType::int32), 1, 0.5), DTypeError);
  CHECK_THROWS_WITH_AS(pad(zeros(DType::int8, make_ddim({0})), 1, PadMode::wrap), doctest::Contains("no elements"),
                       ShapeError);
  CHECK_THROWS_WITH_AS(tile(x, {2}), doctest::Contains("1 numbers of times"), ShapeError);
  CHECK_THROWS_WITH_AS(tile(x, {2, -2}), doctest::Contains("repeated -2 times"), ShapeError);
  CHECK_THROWS_WITH_AS(repeat(x, -1, 0), doctest::Contains("repeated -1 times"), ShapeError);
}
